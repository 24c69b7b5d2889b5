// Rule: coordinates that enter or leave are those of the top viewport. A frame
// shifts and may scale them (border, padding, CSS transform); every level of
// nesting is applied, from the element's document up to the top.

import { isFrame, styleOf } from "./dom";
import { PageError } from "./errors";
import type { Box, Point } from "./geometry";
import { queryAll } from "./selectors";

/** The document that the frame selectors lead to, from the outermost on. */
export function enterFrames(frame: string | string[] | undefined): Document {
  let doc = document;
  const path = frame === undefined ? [] : typeof frame === "string" ? [frame] : frame;
  path.forEach((selector, depth) => {
    const el = queryAll(doc, selector).find(isFrame);
    const evidence = { frame, selector, depth };
    if (!el) throw new PageError("frame_not_found", `no frame matches ${selector}`, evidence);
    const inner = el.contentDocument;
    if (!inner) throw new PageError("frame_cross_origin", `the frame ${selector} belongs to another origin`, evidence);
    doc = inner;
  });
  return doc;
}

/** The documents on the way that the frame selectors lead, the top one first, as far as one can enter. */
export function documentsOn(frame: string | string[] | undefined): Document[] {
  const docs = [document];
  for (const selector of frame === undefined ? [] : [frame].flat()) {
    const inner = queryAll(docs.at(-1) ?? document, selector).find(isFrame)?.contentDocument;
    if (!inner) break;
    docs.push(inner);
  }
  return docs;
}

/** The frame element that shows the document, null for the top one. */
export function frameOf(doc: Document): HTMLIFrameElement | null {
  if (doc === document) return null;
  return (doc.defaultView?.frameElement as HTMLIFrameElement | null | undefined) ?? null;
}

interface Mapping {
  left: number;
  top: number;
  scaleX: number;
  scaleY: number;
}

// Where the frame's viewport lies in its parent's viewport.
function mapping(frame: HTMLIFrameElement): Mapping {
  const rect = frame.getBoundingClientRect();
  const style = styleOf(frame);
  const scaleX = frame.offsetWidth ? rect.width / frame.offsetWidth : 1;
  const scaleY = frame.offsetHeight ? rect.height / frame.offsetHeight : 1;
  return {
    left: rect.left + (frame.clientLeft + parseFloat(style.paddingLeft)) * scaleX,
    top: rect.top + (frame.clientTop + parseFloat(style.paddingTop)) * scaleY,
    scaleX,
    scaleY,
  };
}

/** The box in the viewport of the frame's parent. */
export function outOfFrame(box: Box, frame: HTMLIFrameElement): Box {
  const m = mapping(frame);
  return {
    left: m.left + box.left * m.scaleX,
    top: m.top + box.top * m.scaleY,
    right: m.left + box.right * m.scaleX,
    bottom: m.top + box.bottom * m.scaleY,
  };
}

/** The point in the viewport of the frame's own document. */
export function intoFrame(point: Point, frame: HTMLIFrameElement): Point {
  const m = mapping(frame);
  return { x: (point.x - m.left) / m.scaleX, y: (point.y - m.top) / m.scaleY };
}

/** The box of an element's document in the top viewport. */
export function toTop(box: Box, doc: Document): Box {
  for (let frame = frameOf(doc); frame; frame = frameOf(frame.ownerDocument)) box = outOfFrame(box, frame);
  return box;
}

/** The point of the top viewport in the document's own. */
export function fromTop(point: Point, doc: Document): Point {
  const frame = frameOf(doc);
  return frame ? intoFrame(fromTop(point, frame.ownerDocument), frame) : point;
}
