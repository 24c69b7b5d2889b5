// Rule of this file: what is hidden from a screen reader is listed only where a person
// presses it: an arrow of a number field, the cross of a chip. What lies behind a
// dialog is hidden too, and so is what stands in for something else: both stay out.

import { ancestorsOf, childrenOf, composedClosest, isElement, isFrame, styleOf, viewOf } from "../dom/dom";
import { intersect } from "../dom/geometry";
import { isRendered, isShown, measure } from "../dom/visibility";

/** What is higher than a control is a part of the page that something lies over. */
const MAX_HEIGHT = 100;

/** Narrower or lower than this, nobody sees it. */
const MIN_SIDE = 3;

/** A hidden field has the value of one that is drawn, a hidden link leads where another one does. */
const DOUBLES = "a, iframe, input, select, textarea";

/** What is drawn in these does what they do: the arrow of a list, the box of a checkbox. */
const SAME = "label, a[href], summary, [role=link], [role=combobox], [role=checkbox], [role=radio], [role=switch], [role=slider]";

const DRAWINGS = "button, canvas, img, svg";

const CLEAR = /^(?:transparent|rgba\(.*, 0\))$/;

/** Reports whether to look at the element, which is the hidden one or in it. */
export function mayHoldTargets(el: Element, hidden: Element): boolean {
  // A drawing is pressed as a whole.
  if (isFrame(el) || el.parentElement?.localName === "svg") return false;
  if (el !== hidden || el.getAttribute("role") === "tooltip") return true;
  return el.getBoundingClientRect().height <= MAX_HEIGHT && !composedClosest(el, SAME);
}

/** Reports whether a person sees the element, in the hidden one or itself hidden, and can press it. */
export function isPointerOnly(el: Element, hidden: Element): boolean {
  if (el.matches(DOUBLES) || !isShown(el) || styleOf(el).pointerEvents === "none") return false;
  const { width, height } = el.getBoundingClientRect();
  if (Math.min(width, height) < MIN_SIDE || !isPainted(el)) return false;
  const { blockers } = measure(el).visibility;
  // Off screen, the browser does not tell what covers it.
  return blockers.every((blocker) => blocker === "off_screen" && isRendered(hidden) && !isCutOff(el));
}

// A place for an icon may be empty.
function isPainted(el: Element): boolean {
  if (el.matches(DRAWINGS) || childrenOf(el).some(paints)) return true;
  const { backgroundImage, backgroundColor, maskImage, borderStyle } = styleOf(el);
  if ([backgroundImage, maskImage, borderStyle].some((value) => value !== "none") || !CLEAR.test(backgroundColor)) return true;
  return ["::before", "::after"].some((pseudo) => !/^(?:none|normal)$/.test(viewOf(el).getComputedStyle(el, pseudo).content));
}

function paints(child: Node): boolean {
  if (!isElement(child)) return child.nodeType === Node.TEXT_NODE && child.nodeValue?.trim() !== "";
  return isRendered(child) || (styleOf(child).display === "contents" && isPainted(child));
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
