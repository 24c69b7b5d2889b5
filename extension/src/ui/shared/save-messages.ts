// Rule of this file: the address of the page that saves and tries an action, which names what it is
// about. It does nothing until the user presses a button in it.

export const SAVE_PAGE = "save.html";
/** Names the tab. */
export const SAVE_TAB = "tab";
/** Present where the conversation of the tab's pane is meant, and not whoever came last. */
export const SAVE_CONVERSATION = "conversation";

/** Present where the action is stored already: made of the last recording of the tab. */
export const SAVE_RECORDED = "recorded";

/** Returns the address of the page for a tab, relative to the extension. */
export const savePage = (tabId: number, of?: typeof SAVE_CONVERSATION | typeof SAVE_RECORDED): string => `${SAVE_PAGE}?${SAVE_TAB}=${tabId}${of === undefined ? "" : `&${of}`}`;
