// Rule of this file: a control may be drawn by other elements than the one that has
// its name: a field is transparent below its placeholder, or takes no pointer inside
// its wrapper. A person clicks what is drawn there. It belongs to the control only if
// it contains no other one, but the small signs of its own that remove what is chosen.

import { ancestorsOf, composedClosest, composedContains, isInput, isSelect, isTextArea, styleOf } from "../dom/dom";
import { editingHost } from "../dom/editable";
import type { Box, Point } from "../dom/geometry";
import { occluderAt } from "../dom/hit-test";
import { queryAll } from "../dom/selectors";
import { clickPoints, isRendered, isTransparent, visibleBox } from "../dom/visibility";

const CONTROLS =
  ":is(a[href], button, input:not([type=hidden]), select, textarea, summary, [contenteditable]:not([contenteditable=false i]), [onclick], [tabindex]:not([tabindex^='-']), " +
  "[role=button], [role=link], [role=checkbox], [role=radio], [role=switch], [role=combobox], [role=listbox], [role=option], [role=menuitem], [role=tab], [role=slider], [role=spinbutton], [role=textbox], [role=searchbox], [role=treeitem]):not([aria-hidden=true i])";

/** What is drawn over a field that is drawn itself may be a veil over the form, unless it is as small as a control. */
const MAX_CONTROL_HEIGHT = 100;

/** Narrower or lower than this, the element itself is not what a person sees. */
const MIN_DRAWN_SIDE = 3;

/** What takes a chip away is no larger than this. */
const MAX_SIGN_SIDE = 24;

/** Where the pointer meets the control of the element in place of the element. */
export interface DrawnControl {
  hitTarget: Element;
  point: Point;
}

/** Returns what draws the control of the element; null where nothing does, or something foreign is over it. */
export function drawnControl(el: Element): DrawnControl | null {
  if (composedClosest(el, "[inert]") || !isConnectedToView(el)) return null;
  if (isTransparent(el)) {
    const box = visibleBox(el);
    const point = box && clickPoints(el, box).find((at) => occluderAt(el, at) === null);
    if (point && isDrawnAround(el, point)) return { hitTarget: el, point };
  }
  const field = isField(el);
  for (const around of ancestorsOf(el)) {
    if (isPage(around)) return null;
    if (around === el || !(field ? true : isControl(around))) continue;
    if (!isRendered(around) || isTransparent(around)) continue;
    const others = field ? otherControls(around, el) : [];
    if (others.some((other) => !isSign(other, el)) || (field && isLarge(around) && (others.length > 0 || isDrawn(el)))) return null;
    const point = pointIn(around, el, others);
    if (point) return { hitTarget: around, point };
    if (!field) return null;
  }
  return null;
}

const isPage = (el: Element): boolean => el === el.ownerDocument.body || el === el.ownerDocument.documentElement;

const isConnectedToView = (el: Element): boolean => el.isConnected && el.checkVisibility({ visibilityProperty: true });

function isField(el: Element): boolean {
  if (isInput(el) || isTextArea(el) || isSelect(el) || editingHost(el) !== null) return true;
  return el.matches("[role=combobox], [role=textbox], [role=searchbox], [role=spinbutton], [role=slider]");
}

/** Reports whether the element is something to press by itself: by its kind, or by the cursor that it sets. */
function isControl(el: Element): boolean {
  if (el.matches(CONTROLS) || el.localName === "label") return true;
  return styleOf(el).cursor === "pointer" && !isLarge(el);
}

const isLarge = (el: Element): boolean => el.getBoundingClientRect().height > MAX_CONTROL_HEIGHT;

/** Reports whether the element itself is what a person sees and the pointer may meet. */
export function isDrawn(el: Element): boolean {
  const box = visibleBox(el);
  return box !== null && box.right - box.left >= MIN_DRAWN_SIDE && box.bottom - box.top >= MIN_DRAWN_SIDE && !isTransparent(el) && styleOf(el).pointerEvents !== "none";
}

function otherControls(around: Element, el: Element): Element[] {
  return queryAll(around, CONTROLS).filter((other) => !composedContains(el, other) && !composedContains(other, el) && isRendered(other));
}

// A field that is drawn itself is the place to click; one that is not may be drawn as chips.
function isSign(other: Element, el: Element): boolean {
  const { width, height } = other.getBoundingClientRect();
  return !isField(other) && !isDrawn(el) && Math.max(width, height) <= MAX_SIGN_SIDE;
}

// A transparent element at the place of something small that is drawn: a section of a
// date field, a button of a row that the pointer shows.
function isDrawnAround(el: Element, point: Point): boolean {
  for (const around of ancestorsOf(el)) {
    if (isPage(around) || isLarge(around)) return false;
    if (!isTransparent(around)) return contains(visibleBox(around), point);
  }
  return false;
}

const contains = (box: Box | null, { x, y }: Point): boolean => box !== null && x >= box.left && x < box.right && y >= box.top && y < box.bottom;

// Where the element is, if that is in the wrapper, else anywhere in it that is no other's.
function pointIn(around: Element, el: Element, others: Element[]): Point | undefined {
  const [box, own] = [visibleBox(around), visibleBox(el)];
  if (!box) return undefined;
  const points = [...(own ? clickPoints(el, own).slice(0, 1) : []), ...clickPoints(around, box)];
  const isFree = (point: Point): boolean => others.every((other) => occluderAt(other, point) !== null);
  return points.find((point) => contains(box, point) && occluderAt(around, point) === null && isFree(point));
}
