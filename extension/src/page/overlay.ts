// Rule: hiding what is not there succeeds and says so, so that maps may bracket
// their steps with hide and show on every host.

const ID = "actions-json-menu";

/** overlay.menu.hide */
export const hide = () => ({ overlay_id: ID, hidden: true, overlay_present: false });

/** overlay.menu.show */
export const show = () => ({ overlay_id: ID, hidden: false, overlay_present: false });
