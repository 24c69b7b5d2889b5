// Rule of this file: what is hidden from a screen reader is listed only where a person
// presses it: an arrow of a number field, the cross of a chip. What lies behind a
// dialog is hidden too, and so is what stands in for something else: both stay out.

import { ancestorsOf, styleOf } from "../dom/dom";
import { intersect } from "../dom/geometry";
import { isRendered, isShown, measure } from "../dom/visibility";

/** What is higher than a control is a part of the page that something lies over. */
const MAX_HEIGHT = 100;

/** Narrower or lower than this, nobody sees it. */
const MIN_SIDE = 3;

/** A hidden field has the value of one that is drawn, a hidden link leads where another one does. */
const DOUBLES = "a, iframe, input, select, textarea";

export const isAriaHidden = (el: Element): boolean => el.getAttribute("aria-hidden")?.toLowerCase() === "true";

/** Reports whether the hidden element is small enough to be drawn for a control. */
export const isSmallAsControl = (hidden: Element): boolean => hidden.getBoundingClientRect().height <= MAX_HEIGHT;

/** Reports whether a person sees the element, in the hidden one or itself hidden, and can press it. */
export function isPointerOnly(el: Element, hidden: Element): boolean {
  if (el.matches(DOUBLES) || !isShown(el) || styleOf(el).pointerEvents === "none") return false;
  const { width, height } = el.getBoundingClientRect();
  if (Math.min(width, height) < MIN_SIDE) return false;
  const { blockers } = measure(el).visibility;
  // Off screen, the browser does not tell what covers it.
  return blockers.every((blocker) => blocker === "off_screen" && isRendered(hidden) && !isCutOff(el));
}

// A slide beside the shown one, or what is in a closed panel, cannot be scrolled to by hand.
function isCutOff(el: Element): boolean {
  const box = el.getBoundingClientRect();
  for (const at of ancestorsOf(el)) {
    if (at === at.ownerDocument.body) return false;
    if (/hidden|clip/.test(styleOf(at).overflow) && !intersect(box, at.getBoundingClientRect())) return true;
  }
  return false;
}
