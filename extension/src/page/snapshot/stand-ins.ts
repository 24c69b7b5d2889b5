// Rule of this file: a site that draws its own list keeps another one for screen
// readers or for its form. Of the two, the one that is drawn is listed: only there
// is something to press.

import { isSelect, styleOf } from "../dom/dom";
import { hasDrawnTwin } from "../dom/hidden-select";
import { isRendered } from "../dom/visibility";

/** Reports whether the element stands for one that is drawn beside it. */
export function isStandIn(el: Element, role: string): boolean {
  if (role === "combobox") return isSelect(el) && hasDrawnTwin(el);
  if (role === "option") return el.localName !== "option" && el.getClientRects().length > 0 && !isRendered(el);
  if (role !== "listbox" || isRendered(el)) return false;
  return el.getClientRects().length > 0 && styleOf(el).overflow !== "visible";
}
