// Rule of this file: role, name and states are what a screen reader gets. A
// name is for a person and a model: white space collapsed, truncated, and never
// made of the value of a secret field.

import {
  beginAriaCaches,
  endAriaCaches,
  getAriaChecked,
  getAriaDisabled,
  getAriaExpanded,
  getAriaInvalid,
  getAriaLevel,
  getAriaPressed,
  getAriaRole,
  getAriaSelected,
  getElementAccessibleName,
} from "ivya/utils";
import { isFrame } from "./dom";
import { truncate, normalize, textOf } from "./read-text";
import { isSecret } from "./secrets";
import { exposeClosedRoots } from "./shadow";

const MAX_NAME = 120;

/** The element's role; "generic" where it has none. */
export function roleOf(el: Element): string {
  if (isFrame(el)) return "iframe";
  if (el.localName === "summary" && !el.hasAttribute("role")) return "summary";
  return orElse(() => getAriaRole(el), () => el.getAttribute("role")) || "generic";
}

/** The accessible name, truncated; a frame's name or title. */
export function nameOf(el: Element): string {
  return truncate(normalize(accessibleName(el)), MAX_NAME);
}

function accessibleName(el: Element): string {
  const name = orElse(() => getElementAccessibleName(el, false), () => el.getAttribute("aria-label") || textOf(el));
  return name || (isFrame(el) ? (el.getAttribute("name") ?? "") : "");
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

const CHECKABLE = new Set("checkbox menuitemcheckbox menuitemradio option radio switch treeitem".split(" "));
const WITH_LEVEL = new Set(["heading", "treeitem"]);

/** The states that are worth reporting, as they are written: checked, level=2. */
export function statesOf(el: Element, role: string, control: boolean): string[] {
  const states: string[] = [];
  const add = (name: string, value: boolean | string) => {
    if (value) states.push(value === true ? name : `${name}=${value}`);
  };
  // Most elements have none of these attributes, and testing that is cheap.
  const has = (attribute: string) => el.hasAttribute(attribute);
  const level = WITH_LEVEL.has(role) ? getAriaLevel(el) : 0;
  if (level > 0) add("level", String(level));
  if (CHECKABLE.has(role)) add("checked", getAriaChecked(el));
  if (has("aria-selected")) add("selected", getAriaSelected(el));
  if (has("aria-pressed")) add("pressed", getAriaPressed(el));
  if (role === "summary") add("expanded", el.parentElement?.hasAttribute("open") ? true : "false");
  else if (has("aria-expanded")) add("expanded", getAriaExpanded(el) === true ? true : "false");
  if (control) add("disabled", orElse(() => getAriaDisabled(el), () => el.matches(":disabled")));
  if (has("aria-invalid")) add("invalid", getAriaInvalid(el) !== "false");
  add("required", has("required") || el.getAttribute("aria-required") === "true");
  add("readonly", has("readonly") || el.getAttribute("aria-readonly") === "true");
  return states;
}

/**
 * Runs a function that reads many names, with ivya's caches on. A name can be
 * made of the values of fields inside or referred to; while it runs, secret fields
 * have none in the realms that it enters. It must not await.
 */
export function withAriaCaches<T>(read: (enter: (doc: Document) => void) => T): T {
  const restore: (() => void)[] = [];
  const entered = new Set<Document>();
  const enter = (doc: Document) => {
    const view = doc.defaultView;
    if (!view || entered.has(doc)) return;
    entered.add(doc);
    exposeClosedRoots(view);
    restore.push(hideSecrets(view as Window & typeof globalThis));
  };
  enter(document);
  beginAriaCaches();
  try {
    return read(enter);
  } finally {
    endAriaCaches();
    for (const undo of restore) undo();
  }
}

const ownValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.get;

/** The length of the field's value, which may be a secret. */
export function valueLength(field: HTMLInputElement): number {
  return String(ownValue?.call(field) ?? "").length;
}

function hideSecrets(realm: Window & typeof globalThis): () => void {
  const prototype = realm.HTMLInputElement.prototype;
  const value = Object.getOwnPropertyDescriptor(prototype, "value");
  if (!value?.get) return () => undefined;
  const { get } = value;
  Object.defineProperty(prototype, "value", {
    ...value,
    get(this: HTMLInputElement) {
      return isSecret(this) ? "" : get.call(this);
    },
  });
  return () => Object.defineProperty(prototype, "value", value);
}
