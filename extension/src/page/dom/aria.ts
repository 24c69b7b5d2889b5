// Rule of this file: role, name and states are what a screen reader gets. A
// name is for a person and a model: white space collapsed, truncated, and never
// made of the value of a secret field.

import { getAriaChecked, getAriaDisabled, getAriaExpanded, getAriaInvalid, getAriaLevel, getAriaPressed, getAriaSelected } from "ivya/utils";
import { accessibleDescription, accessibleName } from "./accessible-name";
import { hasAttributes, isFrame, keepLastStyle } from "./dom";
import { indexLabels } from "./label-index";
import { truncate, normalize, textOf } from "./read-text";
import { keepRolesInParents } from "./role";
import { keepShadowRoots } from "./shadow";

export { mayHaveRole, roleOf, selectorOfRole } from "./role";

const MAX_NAME = 120;

let names: Map<Element, string> | undefined;

/** The accessible name, truncated; a frame's name or title. */
export function nameOf(el: Element): string {
  return truncate(fullNameOf(el), MAX_NAME);
}

/** The whole accessible name. */
export function fullNameOf(el: Element): string {
  const known = names?.get(el);
  if (known !== undefined) return known;
  const name = orElse(() => accessibleName(el), () => normalize(el.getAttribute("aria-label") || textOf(el)));
  const full = name || (isFrame(el) ? normalize(el.getAttribute("name") ?? "") : "");
  names?.set(el, full);
  return full;
}

/** What describes the element besides its name, truncated. */
export function descriptionOf(el: Element): string {
  return truncate(orElse(() => accessibleDescription(el, fullNameOf(el)), () => ""), MAX_NAME);
}

// A form exposes its fields as properties by their names, before its own: the
// algorithms fail in it, and around it, where a field shadows a property that
// they need.
function orElse<T>(compute: () => T, fallback: () => T): T {
  try {
    return compute();
  } catch {
    return fallback();
  }
}

const DESCRIBING = ["aria-describedby", "aria-description", "title"];
const CHECKABLE = new Set("checkbox menuitemcheckbox menuitemradio option radio switch treeitem".split(" "));
const CHOICES = new Set("grid listbox tree".split(" "));
const SORTED = new Set("ascending descending other".split(" "));
const WITH_LEVEL = new Set(["heading", "treeitem"]);

/** The states that are worth reporting, as they are written: checked, level=2. */
export function statesOf(el: Element, role: string, control: boolean): string[] {
  const states: string[] = [];
  const add = (name: string, value: boolean | string) => {
    if (value) states.push(value === true ? name : `${name}=${value}`);
  };
  // Most elements have none of these attributes, and testing that is cheap.
  const bare = !hasAttributes(el);
  const has = (attribute: string) => !bare && el.hasAttribute(attribute);
  const level = WITH_LEVEL.has(role) ? getAriaLevel(el) : 0;
  if (level > 0) add("level", String(level));
  if (CHECKABLE.has(role)) add("checked", getAriaChecked(el));
  if (has("aria-selected")) add("selected", getAriaSelected(el));
  if (has("aria-pressed")) add("pressed", getAriaPressed(el));
  if (role === "summary") add("expanded", el.parentElement?.hasAttribute("open") ? true : "false");
  else if (has("aria-expanded")) add("expanded", getAriaExpanded(el) === true ? true : "false");
  if (control && has("aria-haspopup")) add("haspopup", popupOf(el, role));
  if (has("aria-sort")) add("sort", tokenOf(el, "aria-sort", SORTED));
  if (control) add("disabled", mayBeDisabled(el) && orElse(() => getAriaDisabled(el), () => el.matches(":disabled")));
  if (has("aria-invalid")) add("invalid", getAriaInvalid(el) !== "false");
  add("required", has("required") || (has("aria-required") && el.getAttribute("aria-required") === "true"));
  if (control && DESCRIBING.some(has)) {
    const description = descriptionOf(el);
    add("description", description && JSON.stringify(description));
  }
  add("readonly", has("readonly") || (has("aria-readonly") && el.getAttribute("aria-readonly") === "true"));
  return states;
}

// ivya asks each element around one, also through shadow roots.
const mayBeDisabled = (el: Element): boolean => el.matches(":disabled, [aria-disabled], [aria-disabled] *") || el.getRootNode() !== el.ownerDocument;

// That a value is chosen in a list; of a combobox the role says so.
function popupOf(el: Element, role: string): string {
  const popup = tokenOf(el, "aria-haspopup", CHOICES);
  return role === "combobox" && popup === "listbox" ? "" : popup;
}

function tokenOf(el: Element, attribute: string, tokens: ReadonlySet<string>): string {
  const token = el.getAttribute(attribute)?.toLowerCase() ?? "";
  return tokens.has(token) ? token : "";
}

/** Runs a function that reads many names or makes many queries, with what they share read once. It must not await. */
export function withAriaCaches<T>(read: () => T): T {
  if (names) return read();
  names = new Map();
  const ends = [indexLabels(), keepRolesInParents(), keepLastStyle(), keepShadowRoots()];
  try {
    return read();
  } finally {
    names = undefined;
    for (const end of ends) end();
  }
}
