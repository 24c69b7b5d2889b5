// Rule: three questions are kept apart. Is it rendered (does it have a box)?
// Is it visible (is a part of it on screen now, seen through every clipping
// ancestor and frame, and not transparent)? Is it clickable (enabled, and found by
// the browser's own hit test, of whatever size)?

import { ancestorsOf, composedClosest, documentAround, isInput, isSelect, localNameOf, parentOf, styleOf, viewOf } from "./dom";
import { type Box, type Point, type Rect, area, center, intersect, round, toRect } from "./geometry";
import { occluderAt } from "./hit-test";
import { labelOf } from "./labels";
import { ownBoxes } from "./nested-items";
import { frameOf, clipToAncestors, outOfFrame, ownPlace, toTop } from "./viewport";

export type Blocker = "not_rendered" | "off_screen" | "transparent" | "disabled" | "inert" | "pointer_events_none" | "covered";

export interface Occluder {
  target_label: string;
  tag_name: string;
  rect: Rect;
}

export interface Visibility {
  state: "visible" | "requires_scroll" | "not_rendered";
  visible: boolean;
  visible_ratio: number;
  fully_visible: boolean;
  bounding_box: Rect;
  visible_rect: Rect | null;
  visible_center: Point | null;
  receives_events: boolean;
  clickable: boolean;
  enabled: boolean;
  occluded_by: Occluder | null;
  blockers: Blocker[];
}

/**
 * Reports whether the element has a box (not display:none, visibility:hidden or of zero
 * size), as have all frames around it.
 */
export function isRendered(el: Element): boolean {
  const rect = el.getBoundingClientRect();
  if (rect.width <= 0 || rect.height <= 0 || !el.checkVisibility({ visibilityProperty: true })) return false;
  return isDocumentRendered(el.ownerDocument);
}

/** Reports whether all frames around the document have a box. */
export function isDocumentRendered(doc: Document): boolean {
  const frame = frameOf(doc);
  return frame ? isRendered(frame) : (ownPlace()?.rendered ?? true);
}

/** The part on screen now, in the top viewport; null where there is none. */
export function visibleBox(el: Element): Box | null {
  let box: Box | null = clip(el, el.getBoundingClientRect());
  for (let frame = frameOf(el.ownerDocument); box && frame; frame = frameOf(frame.ownerDocument)) {
    const view = viewOf(frame);
    box = intersect(outOfFrame(box, frame), { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight });
    box = box && clip(frame, box);
  }
  return box && clipToAncestors(box);
}

// Clips a box of the element to its document's viewport and its clipping ancestors.
function clip(el: Element, start: Box): Box | null {
  const root = documentAround(el).documentElement;
  let box = intersect(start, { left: 0, top: 0, right: root.clientWidth || viewOf(el).innerWidth, bottom: viewOf(el).innerHeight });
  let { position } = styleOf(el);
  for (let at = parentOf(el); box && at && at !== root; at = parentOf(at)) {
    const style = styleOf(at);
    const containsAll = style.transform !== "none" || style.filter !== "none" || style.perspective !== "none" || /paint|strict|content/.test(style.contain);
    // A box is only clipped by what it is positioned in.
    if (position === "fixed" && !containsAll) continue;
    if (position === "absolute" && style.position === "static" && !containsAll) continue;
    position = style.position;
    const clips = style.overflowX !== "visible" || style.overflowY !== "visible";
    // The body's overflow is the viewport's; an inline box clips nothing.
    if (!clips || at === at.ownerDocument.body || style.display === "inline" || style.display === "contents") continue;
    const rect = at.getBoundingClientRect();
    box = intersect(box, {
      left: style.overflowX === "visible" ? -Infinity : rect.left,
      top: style.overflowY === "visible" ? -Infinity : rect.top,
      right: style.overflowX === "visible" ? Infinity : rect.right,
      bottom: style.overflowY === "visible" ? Infinity : rect.bottom,
    });
  }
  return box;
}

/** The opacities of the element, its ancestors and its frames, multiplied. */
export function opacityOf(el: Element): number {
  let opacity = ownPlace()?.opacity ?? 1;
  for (let at: Element | null = el; at; at = frameOf(at.ownerDocument)) {
    for (const step of ancestorsOf(at)) opacity *= Number(styleOf(step).opacity);
  }
  return opacity;
}

/** Reports whether the element is invisible by its opacity. */
export const isTransparent = (el: Element): boolean => opacityOf(el) < 0.01;

/** Reports whether the element is on screen now, in part at least, and not transparent. */
export function isVisible(el: Element): boolean {
  // The cheap test first: most elements of a long page are far away.
  const rect = el.getBoundingClientRect();
  if (rect.bottom <= 0 || rect.right <= 0 || rect.top >= viewOf(el).innerHeight || rect.left >= viewOf(el).innerWidth) return false;
  return isRendered(el) && visibleBox(el) !== null && !isTransparent(el);
}

/** The centre of the visible part, in the top viewport; null where there is none. */
export function visibleCenter(el: Element): Point | null {
  const box = isVisible(el) ? visibleBox(el) : null;
  const middle = box && center(box);
  return middle && { x: round(middle.x), y: round(middle.y) };
}

/** Reports whether a person could see the element, after scrolling if needed. */
export const isShown = (el: Element): boolean => isRendered(el) && !isTransparent(el);

/** The disabled control that the element is or is in; null where there is none. */
export function disabledControl(el: Element): Element | null {
  return composedClosest(el, "button:disabled, input:disabled, select:disabled, textarea:disabled, option:disabled") ?? (el.matches(":disabled") ? el : null);
}

// Sites draw their own picture of such a control and keep the real one transparent
// on top of it: people click on it all the time.
function isDrawnByPage(el: Element): boolean {
  return isSelect(el) || (isInput(el) && ["checkbox", "radio", "file", "range", "color"].includes(el.type));
}

/** Returns what covers a point of the top viewport in the ancestor documents. */
export type OccluderLookup = (point: Point) => Occluder | null;

/** Measures one element. The point is where a click hits it. */
export function measure(el: Element, lookup: OccluderLookup = () => null): { visibility: Visibility; point: Point | null } {
  const bounding = toTop(el.getBoundingClientRect(), el.ownerDocument);
  const rendered = isRendered(el);
  const box = rendered ? visibleBox(el) : null;
  const transparent = rendered && isTransparent(el);
  const { point, occluder } = box ? findPoint(el, box, lookup) : { point: null, occluder: null };
  const blockers: Blocker[] = [];
  if (!rendered) blockers.push("not_rendered");
  else if (!box) blockers.push("off_screen");
  if (transparent && !isDrawnByPage(el)) blockers.push("transparent");
  if (disabledControl(el)) blockers.push("disabled");
  if (composedClosest(el, "[inert]")) blockers.push("inert");
  if (box && !point) blockers.push(styleOf(el).pointerEvents === "none" ? "pointer_events_none" : "covered");
  const ratio = area(box) / (area(bounding) || 1);
  const middle = box && center(box);
  return {
    point: blockers.length === 0 ? point : null,
    visibility: {
      state: !rendered ? "not_rendered" : box ? "visible" : "requires_scroll",
      visible: box !== null && !transparent,
      visible_ratio: Math.round(ratio * 1000) / 1000,
      fully_visible: ratio >= 0.98,
      bounding_box: toRect(bounding),
      visible_rect: box && toRect(box),
      visible_center: middle && { x: round(middle.x), y: round(middle.y) },
      receives_events: point !== null,
      clickable: blockers.length === 0,
      enabled: !blockers.includes("disabled"),
      occluded_by: occluder,
      blockers,
    },
  };
}

// The centre first; then the middle of a stroke, or the centres of the lines of a
// wrapped inline element; then the middles of the quarters, the corners and the edges.
const INNER_POINTS = [[2, 2], [6, 2], [2, 6], [6, 6], [1, 1], [7, 1], [1, 7], [7, 7], [4, 1], [4, 7], [1, 4], [7, 4]] as const;

/** The candidate points for a click on the element, whole pixels, the best first. */
export function clickPoints(el: Element, box: Box): Point[] {
  const own = ownBoxes(el).flatMap((rect) => intersect(toTop(rect, el.ownerDocument), box) ?? []);
  return (own.length > 0 ? own : [box]).flatMap((rect) => pointsIn(el, rect));
}

function pointsIn(el: Element, box: Box): Point[] {
  const points = [center(box)];
  const stroke = pointOnStroke(el);
  if (stroke) points.push(stroke);
  const lines = [...el.getClientRects()].slice(0, 4);
  if (lines.length > 1) {
    for (const line of lines) {
      const visibleLine = intersect(toTop(line, el.ownerDocument), box);
      if (visibleLine) points.push(center(visibleLine));
    }
  }
  const [w, h] = [(box.right - box.left) / 8, (box.bottom - box.top) / 8];
  for (const [i, j] of INNER_POINTS) points.push({ x: box.left + i * w, y: box.top + j * h });
  return points.map((point) => ({ x: wholePixel(point.x, box.left, box.right), y: wholePixel(point.y, box.top, box.bottom) }));
}

// Whole pixels read better; a thin box may lie between two of them.
function wholePixel(at: number, from: number, to: number): number {
  const whole = Math.floor(at);
  return whole >= from ? whole : whole + 1 < to ? whole + 1 : round(at);
}

// The middle of a line or curve, whose box is mostly empty.
function pointOnStroke(el: Element): Point | null {
  const shape = el as Partial<SVGGeometryElement>;
  if (!shape.getPointAtLength || !shape.getTotalLength || !shape.getScreenCTM) return null;
  const matrix = shape.getScreenCTM();
  const length = shape.getTotalLength();
  if (!matrix || !length) return null;
  const { x, y } = shape.getPointAtLength(length / 2).matrixTransform(matrix);
  return center(toTop({ left: x, top: y, right: x, bottom: y }, el.ownerDocument));
}

function findPoint(el: Element, box: Box, lookup: OccluderLookup): { point: Point | null; occluder: Occluder | null } {
  let occluder: Occluder | null = null;
  for (const point of clickPoints(el, box)) {
    const covering = lookup(point) ?? occluderAt(el, point);
    if (covering === null) return { point, occluder: null };
    if (covering !== "nothing") occluder ??= "rect" in covering ? covering : describeOccluder(covering);
  }
  return { point: null, occluder };
}

/** The occluder as errors and outputs describe it. */
export function describeOccluder(el: Element): Occluder {
  return { target_label: labelOf(el), tag_name: localNameOf(el), rect: toRect(toTop(el.getBoundingClientRect(), el.ownerDocument)) };
}
