// Rule of this file: what a role means for a snapshot is defined here and nowhere
// else.

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Controls: they get a ref. */
export const CONTROLS = set(
  "button checkbox combobox iframe link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton summary switch tab textbox treeitem",
);

/** Controls with one action: what is drawn inside of them is no target by its cursor. */
export const SINGLE_ACTION = set("button checkbox link radio slider summary switch");

/** In a grid these are targets. */
export const HEADERS = set("columnheader rowheader");

/** These are targets where the arrow keys move the focus between them. */
export const ITEMS = set("article cell columnheader generic img listitem none presentation row rowheader");

/** Containers that a locator or a subtree may start at: they get a ref, too. */
export const SCOPES = set("dialog alertdialog form grid table tree treegrid");

/** These have no line of their own; their content takes their place. */
export const TRANSPARENT = set(
  "generic presentation none document rowgroup strong emphasis code mark subscript superscript insertion deletion time term definition",
);

/** These are left out without a name. */
export const NEEDS_NAME = set("group region img figure form separator");

/** Around a single node these are left out, and the node takes their place. */
export const WRAPPERS = set("listitem paragraph cell gridcell");

/** Their name is their content: only controls in it still get a line. */
export const NAMED_WHOLE = set("button checkbox heading link menuitem menuitemcheckbox menuitemradio option radio summary switch tab tooltip");

/** Their name is their content, unless they are labelled: the parts are more useful than the name. */
export const NAMED_BY_CONTENT = set("cell columnheader gridcell row rowheader treeitem");

/** Kept when empty, so that the others stay in their columns. */
export const KEPT_EMPTY = set("cell gridcell columnheader rowheader");

/** Kept in a snapshot of controls alone: they show where the controls are. */
export const CONTEXT = set(
  "alert alertdialog banner complementary contentinfo dialog form group main menu navigation radiogroup region search status tablist tabpanel toolbar",
);

/** The text of these that is not a control's names the controls in them. */
export const LABELLING = set("row listitem article");

/** Elements that no person reads. */
export const SKIPPED_TAGS = set("head script style noscript template");
