// Rule of this file: role, name and states are what a screen reader is told. A
// name is for a person and a model: white space collapsed, cut, and never made
// of what stands in a secret field.

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
import { cut, normalize, textOf } from "./read-text";
import { isSecret } from "./secrets";
import { teachClosedRoots } from "./shadow";

const MAX_NAME = 120;

/** The element's role; "generic" where it has none. */
export function roleOf(el: Element): string {
  if (isFrame(el)) return "iframe";
  if (el.localName === "summary" && !el.hasAttribute("role")) return "summary";
  return orElse(() => getAriaRole(el), () => el.getAttribute("role")) || "generic";
}

/** The accessible name, cut; a frame's name or title. */
export function nameOf(el: Element): string {
  return cut(normalize(accessibleName(el)), MAX_NAME);
}

function accessibleName(el: Element): string {
  const name = orElse(() => getElementAccessibleName(el, false), () => el.getAttribute("aria-label") || textOf(el));
  return name || (isFrame(el) ? (el.getAttribute("name") ?? "") : "");
}

// A form gives its fields by their names, before its own properties: the
// algorithms fail in it, and around it, where a field has the name of one that
// they need.
function orElse<T>(ask: () => T, otherwise: () => T): T {
  try {
    return ask();
  } catch {
    return otherwise();
  }
}

const CHECKED = new Set("checkbox menuitemcheckbox menuitemradio option radio switch treeitem".split(" "));
const LEVELLED = new Set(["heading", "treeitem"]);

/** The states that are worth a word, as they are written: checked, level=2. */
export function statesOf(el: Element, role: string, control: boolean): string[] {
  const states: string[] = [];
  const say = (name: string, value: boolean | string) => {
    if (value) states.push(value === true ? name : `${name}=${value}`);
  };
  // Most elements say nothing by attributes: asking those is cheap.
  const says = (attribute: string) => el.hasAttribute(attribute);
  const level = LEVELLED.has(role) ? getAriaLevel(el) : 0;
  if (level > 0) say("level", String(level));
  if (CHECKED.has(role)) say("checked", getAriaChecked(el));
  if (says("aria-selected")) say("selected", getAriaSelected(el));
  if (says("aria-pressed")) say("pressed", getAriaPressed(el));
  if (role === "summary") say("expanded", el.parentElement?.hasAttribute("open") ? true : "false");
  else if (says("aria-expanded")) say("expanded", getAriaExpanded(el) === true ? true : "false");
  if (control) say("disabled", orElse(() => getAriaDisabled(el), () => el.matches(":disabled")));
  if (says("aria-invalid")) say("invalid", getAriaInvalid(el) !== "false");
  say("required", says("required") || el.getAttribute("aria-required") === "true");
  say("readonly", says("readonly") || el.getAttribute("aria-readonly") === "true");
  return states;
}

/**
 * Runs what reads many names, with their cache. A name can be made of the
 * values of fields inside or referred to; for as long as it runs, secret fields
 * have none in the realms that it enters. It must not await.
 */
export function readingNames<T>(read: (enter: (doc: Document) => void) => T): T {
  const restore: (() => void)[] = [];
  const entered = new Set<Document>();
  const enter = (doc: Document) => {
    const view = doc.defaultView;
    if (!view || entered.has(doc)) return;
    entered.add(doc);
    teachClosedRoots(view);
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

/** The length of what stands in the field, which may be a secret. */
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
