// Rule of this file: an element has one role, the same in a snapshot, for a
// locator and in an error: the first role of its attribute that exists, else
// what its tag stands for, else "generic".

import { getAriaRole } from "ivya/utils";
import { attributeOf, isFrame, isHTML, localNameOf, parentOf } from "./dom";

const ROLES = new Set(
  "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading img image insertion link list listbox listitem log main marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem".split(" "),
);

/** The element's role; "generic" where it has none. */
export function roleOf(el: Element): string {
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
