// Rule of this file: a site that draws its own list keeps another one for screen
// readers or for its form. Of the two, the one that is drawn is listed: only there
// is something to press.

import { isSelect, styleOf } from "../dom/dom";
import { deepElementAt } from "../dom/hit-test";
import { isRendered, visibleCenter } from "../dom/visibility";

/** No more than this is drawn of what is hidden but must not be display:none. */
const MAX_HIDDEN_SIDE = 2;

const DRAWN = "button, [role=combobox], [role=listbox], [aria-haspopup], [tabindex]";

/** Reports whether the element stands for one that is drawn beside it. */
export function isStandIn(el: Element, role: string): boolean {
  if (role === "combobox") return isSelect(el) && hasDrawnTwin(el);
  if (role === "option") return el.localName !== "option" && el.getClientRects().length > 0 && !isRendered(el);
  if (role !== "listbox" || isRendered(el)) return false;
  return el.getClientRects().length > 0 && styleOf(el).overflow !== "visible";
}

function hasDrawnTwin(select: HTMLSelectElement): boolean {
  const { width, height } = select.getBoundingClientRect();
  const tiny = width <= MAX_HIDDEN_SIDE || height <= MAX_HIDDEN_SIDE;
  if (!tiny && styleOf(select).opacity !== "0") return false;
  const twin = [...(select.parentElement?.children ?? [])].find((other) => other !== select && isDrawn(other));
  if (!twin) return false;
  if (tiny) return true;
  // A transparent one that lies over its picture takes the press itself.
  const middle = visibleCenter(twin);
  const hit = middle && deepElementAt(middle)?.element;
  return !!hit && twin.contains(hit);
}

function isDrawn(el: Element): boolean {
  const control = el.matches(DRAWN) ? el : el.querySelector(DRAWN);
  return control !== null && !isSelect(control) && isRendered(control);
}
