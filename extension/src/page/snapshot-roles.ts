// Rule of this file: what a role means for a snapshot stands here and nowhere
// else.

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** What is operated: it gets a ref. */
export const CONTROLS = set(
  "button checkbox combobox iframe link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton summary switch tab textbox treeitem",
);

/** Containers that a locator or a subtree may start at: they get a ref, too. */
export const SCOPES = set("dialog alertdialog form grid table tree treegrid");

/** Makes no line of its own; what is inside stands in its place. */
export const TRANSPARENT = set(
  "generic presentation none document rowgroup strong emphasis code mark subscript superscript insertion deletion time term definition",
);

/** Says nothing without a name. */
export const NEEDS_NAME = set("group region img figure form separator");

/** Around a single node, which then stands in their place, they say nothing. */
export const WRAPPERS = set("listitem paragraph cell gridcell");

/** Its name is its content: of that only controls are still worth a line. */
export const NAMED_WHOLE = set("button checkbox heading link menuitem menuitemcheckbox menuitemradio option radio summary switch tab tooltip");

/** Its name is its content, where nothing labels it: the parts say more. */
export const NAMED_BY_PARTS = set("cell columnheader gridcell row rowheader treeitem");

/** An empty one keeps the others in their columns. */
export const KEPT_EMPTY = set("cell gridcell columnheader rowheader");

/** Among controls alone, these say where they are. */
export const CONTEXT = set(
  "alert alertdialog banner complementary contentinfo dialog form group main menu navigation radiogroup region search status tablist tabpanel toolbar",
);

/** What of these is no control, names the controls in it. */
export const LABELLING = set("row listitem article");

/** Elements that no person reads. */
export const SILENT = set("head script style noscript template");
