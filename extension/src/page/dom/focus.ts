// Rule: focus moves as the mouse or the Tab key of a person would move it, and
// never scrolls the page.

import { ancestorsOf, childrenOf, deepActive, embeddedDocument, embedsDocument, isElement, isFrame, isHTML, isInput, styleOf } from "./dom";
import { anyShadowRootOf, shadowRootOf } from "./shadow";
import { disabledControl } from "./visibility";

const FOCUSABLE =
  "a[href], area[href], button, input, select, textarea, summary, iframe, audio[controls], video[controls], [tabindex], [contenteditable]:not([contenteditable=false i])";

/** Reports whether a click can focus the element: rendered, enabled, of a focusable kind. */
export function isFocusable(el: Element): el is HTMLElement {
  return el.matches(FOCUSABLE) && isHTML(el) && !disabledControl(el) && el.checkVisibility({ visibilityProperty: true }) && !(isInput(el) && el.type === "hidden");
}

/** The mouse's default action on mousedown: focus the nearest element that takes it, else blur the focused one. */
export function focusByMouse(target: Element): void {
  for (const at of ancestorsOf(target)) {
    if (isFocusable(at)) return focusOn(at);
    if (shadowRootOf(at)?.delegatesFocus) return focusOn(at as HTMLElement);
  }
  const active = deepActive();
  if (isHTML(active)) active.blur();
}

/** Focuses the element where keys do not go to it already. */
export function focusOn(el: HTMLElement): void {
  if (deepActive() === el) {
    if (el.matches(":focus")) return;
    el.ownerDocument.defaultView?.focus(); // it only looks focused: see getsKeys
  }
  el.focus({ preventScroll: true });
}

/**
 * Reports whether keys go to the document, or to a frame in it that this script can enter. A page
 * that focuses an element while the browser gives the focus to a frame, as in a blur event, makes
 * it the active one and document.hasFocus() true, and the keys go to the frame all the same.
 * :focus-within tells then that an element has the focus, and :focus that its document has not.
 */
export function getsKeys(doc: Document): boolean {
  let active = doc.activeElement;
  for (let inner = active; inner; inner = anyShadowRootOf(inner)?.activeElement ?? null) active = inner;
  if (!doc.hasFocus()) return false;
  if (active && embedsDocument(active)) {
    const inner = embeddedDocument(active);
    return inner !== null && getsKeys(inner);
  }
  return doc.documentElement?.matches(":focus-within") !== true || active?.matches(":focus") === true;
}

/** All elements that Tab visits, in its order; inside the open modal dialog where there is one. */
export function tabOrder(): HTMLElement[] {
  const modal = [...document.querySelectorAll("dialog:modal")].at(-1);
  const found: HTMLElement[] = [];
  collect(modal ?? document.documentElement, found);
  const first = found.filter((el) => el.tabIndex > 0).sort((a, b) => a.tabIndex - b.tabIndex);
  return [...first, ...found.filter((el) => el.tabIndex === 0)].filter(isRadioStop);
}

function collect(el: Element, found: HTMLElement[]): void {
  if (el.hasAttribute("inert") || styleOf(el).display === "none") return;
  if (isFrame(el)) {
    const inner = el.contentDocument?.documentElement;
    if (inner) collect(inner, found);
    return;
  }
  // The first summary of a details only; others are plain text.
  const plainSummary = el.localName === "summary" && el.parentElement?.querySelector(":scope > summary") !== el;
  if (!plainSummary && isFocusable(el) && el.tabIndex >= 0 && !shadowRootOf(el)?.delegatesFocus) found.push(el);
  for (const child of childrenOf(el)) if (isElement(child)) collect(child, found);
}

// Of a group of radio buttons Tab visits the checked one, or the first.
function isRadioStop(el: HTMLElement, _: number, all: HTMLElement[]): boolean {
  if (!isInput(el) || el.type !== "radio" || !el.name || el.checked) return true;
  const group = all.filter((other) => isInput(other) && other.type === "radio" && other.name === el.name && other.form === el.form);
  return group[0] === el && !group.some((other) => (other as HTMLInputElement).checked);
}

/** Moves the focus as Tab does, around the ends; false where nothing can take it. */
export function moveFocus(backwards: boolean): boolean {
  const order = tabOrder();
  const active = deepActive();
  let index = active ? order.indexOf(active as HTMLElement) : -1;
  if (active && index < 0) {
    // Focused but not a tab stop: go on from its place in the document.
    const next = order.findIndex((el) => active.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING);
    index = next < 0 ? order.length - 1 : backwards ? next : next - 1;
  } else if (!active) {
    index = backwards ? 0 : -1;
  }
  const target = order.at((index + (backwards ? -1 : 1) + order.length) % (order.length || 1));
  if (!target) return false;
  target.focus();
  // The Tab key selects a field's text.
  if (isInput(target)) target.select();
  return true;
}
