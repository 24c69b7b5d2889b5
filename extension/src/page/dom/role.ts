// Rule of this file: an element has one role, the same in a snapshot, for a
// locator and in an error: the first role of its attribute that exists, else
// what its tag stands for, else "generic".

import { getAriaRole } from "ivya/utils";
import { attributeOf, hasAttributes, isFrame, isHTML, localNameOf, parentElementOf, parentOf } from "./dom";

const ROLES = new Set(
  "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading img image insertion link list listbox listitem log main marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem".split(" "),
);

/** The tags that stand for a role, where their attributes and what is around them say so. */
const TAGS_OF_ROLES: Record<string, string> = {
  article: "article",
  banner: "header",
  blockquote: "blockquote",
  button: "button input",
  caption: "caption",
  cell: "td th",
  checkbox: "input",
  code: "code",
  columnheader: "th",
  combobox: "input select",
  complementary: "aside",
  contentinfo: "footer",
  definition: "dd",
  deletion: "del s",
  dialog: "dialog",
  document: "html",
  emphasis: "em",
  figure: "figure",
  form: "form",
  gridcell: "td th",
  group: "address details fieldset hgroup optgroup",
  heading: "h1 h2 h3 h4 h5 h6",
  iframe: "iframe frame",
  img: "img svg",
  insertion: "ins",
  link: "a area",
  list: "menu ol ul",
  listbox: "datalist select",
  listitem: "li",
  main: "main",
  mark: "mark",
  math: "math",
  meter: "meter",
  navigation: "nav",
  option: "option",
  paragraph: "p",
  progressbar: "progress",
  radio: "input",
  region: "section",
  row: "tr",
  rowgroup: "tbody tfoot thead",
  rowheader: "th",
  search: "search",
  searchbox: "input",
  separator: "hr",
  slider: "input",
  spinbutton: "input",
  status: "output",
  strong: "strong",
  subscript: "sub",
  summary: "summary",
  superscript: "sup",
  table: "table",
  term: "dfn dt",
  textbox: "html input textarea",
  time: "time",
};

/** Of these the attributes or what is around them decide whether they stand for it. */
const UNSURE = new Set("a area dd dt footer form frame header html iframe img input li section select summary svg tbody td tfoot th thead tr".split(" "));

/** Without a role of their own these stand for what they are in their parent. */
const BY_PARENT = new Set("dd dt li tbody td tfoot thead tr".split(" "));

const tagsOf = new Map(Object.entries(TAGS_OF_ROLES).map(([role, tags]) => [role, new Set(tags.split(" "))]));
const rolesOf = new Map([...tagsOf].flatMap(([role, tags]) => [...tags].map((tag) => [tag, role])));

/** The element's role; "generic" where it has none. */
export function roleOf(el: Element): string {
  // Most elements of a page have theirs by their tag alone, and ivya takes its time.
  if (isGivenRole(el)) return knownRoleOf(el);
  const tag = localNameOf(el).toLowerCase();
  const role = rolesOf.get(tag);
  if (!UNSURE.has(tag)) return role ?? "generic";
  return inParents && BY_PARENT.has(tag) ? roleInParent(el, tag, inParents) : knownRoleOf(el);
}

/** A selector of what may have the role in a document: fewer than all, so that a page of 100,000 elements is looked through quickly. */
export function selectorOfRole(role: string): string {
  if (role === "generic" || isPresentational(role)) return "*";
  return [...(tagsOf.get(role) ?? UNSURE), "html", "[role]", "[contenteditable]"].join();
}

/** Reports whether the element may have the role: quickly, for those that have another one by their tag. */
export function mayHaveRole(el: Element, role: string): boolean {
  return tagsOf.get(role)?.has(localNameOf(el).toLowerCase()) !== false || isGivenRole(el);
}

/** The roles of what is in a parent, by their tags. */
type RolesInParents = Map<Element, Map<string, string>>;

let inParents: RolesInParents | undefined;

/** Keeps the roles of what is in lists and tables, until the function that it returns is called: nothing may change before. */
export function keepRolesInParents(): () => void {
  inParents = new Map();
  return () => {
    inParents = undefined;
  };
}

function roleInParent(el: Element, tag: string, known: RolesInParents): string {
  const parent = parentElementOf(el) as Element;
  const roles = known.get(parent) ?? new Map<string, string>();
  const role = roles.get(tag) ?? knownRoleOf(el);
  known.set(parent, roles.set(tag, role));
  return role;
}

// By an attribute, or as an editor: in a shadow root, without a parent element, it can be one by its host's doing.
function isGivenRole(el: Element): boolean {
  if (!parentElementOf(el)) return true;
  return hasAttributes(el) && (attributeOf(el, "role") !== null || attributeOf(el, "contenteditable") !== null);
}

function knownRoleOf(el: Element): string {
  if (isFrame(el)) return "iframe";
  const written = writtenRole(el);
  if (written && !isPresentational(written)) return written;
  // Whether none counts, and what it makes of the rows of a table, ivya knows.
  const role = ivyaRole(el) ?? "";
  if (isPresentational(role)) return role;
  return nativeRole(el) ?? (role || (isEditor(el) ? "textbox" : "generic"));
}

export function isPresentational(role: string): boolean {
  return role === "none" || role === "presentation";
}

/** Reports whether the element is the outermost of an editable region. */
export function isEditor(el: Element): boolean {
  return isHTML(el) && el.isContentEditable && !el.parentElement?.isContentEditable;
}

function writtenRole(el: Element): string | undefined {
  const written = attributeOf(el, "role")?.toLowerCase().split(/\s+/).find((role) => ROLES.has(role));
  return written === "image" ? "img" : written;
}

// A form exposes its fields as properties by their names, before its own: where
// they shadow what ivya needs, it has no role.
function ivyaRole(el: Element): string | null {
  try {
    return getAriaRole(el);
  } catch {
    return null;
  }
}

const NATIVE: Record<string, (el: Element) => string | undefined> = {
  address: () => "group",
  form: (el) => (isNamed(el) ? "form" : undefined),
  hgroup: () => "group",
  s: () => "deletion",
  search: () => "search",
  section: (el) => (isNamed(el) ? "region" : undefined),
  summary: (el) => (parentOf(el)?.localName === "details" ? "summary" : undefined),
  th: headerRole,
};

// What ivya does not know, or knows in an older version of the mappings.
function nativeRole(el: Element): string | undefined {
  const name = localNameOf(el);
  return isHTML(el) && Object.hasOwn(NATIVE, name) ? NATIVE[name]?.(el) : undefined;
}

function isNamed(el: Element): boolean {
  return ["aria-label", "aria-labelledby", "title"].some((name) => attributeOf(el, name)?.trim());
}

// Without a scope, a header is one of its column where its row has no data.
function headerRole(el: Element): string {
  const scope = attributeOf(el, "scope")?.toLowerCase() ?? "";
  if (scope.startsWith("row")) return "rowheader";
  if (scope.startsWith("col")) return "columnheader";
  const cells = [...(el.parentElement?.children ?? [])];
  return cells.some((cell) => cell.localName === "td") ? "rowheader" : "columnheader";
}
