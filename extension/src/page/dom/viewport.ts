// Rule: coordinates in arguments and outputs are those of the top viewport. A
// frame shifts and may scale them (border, padding, CSS transform); every level of
// nesting is applied, from the element's document up to the top. Where this
// script itself runs in a frame, the ancestor documents report its place.

import { styleOf } from "./dom";
import { type Box, type Point, intersect } from "./geometry";

/** The place of the viewport of a frame's document in the top viewport. */
export interface Place {
  left: number;
  top: number;
  scaleX: number;
  scaleY: number;
  /** The part of the frame that the ancestor documents show; null where none is on screen. */
  clip: Box | null;
  /** Whether the frame and all frames around it have a box. */
  rendered: boolean;
  /** The opacities of the frame and of all around it, multiplied. */
  opacity: number;
  /** The size of the top viewport. */
  viewport: { width: number; height: number };
}

let place: Place | undefined;

/** The place of this script's own document; undefined in the tab's own. */
export const ownPlace = (): Place | undefined => place;

/** Sets the place of this script's own document. */
export function setOwnPlace(next: Place | undefined): void {
  place = next;
}

/** The size of the top viewport. */
export const topViewport = (): { width: number; height: number } => place?.viewport ?? { width: window.innerWidth, height: window.innerHeight };

const keys = new WeakMap<object, string>();
const frames = new Map<string, WeakRef<HTMLIFrameElement>>();

/** Returns the frame's key, which stays while the frame stays in the page, whatever document it shows. */
export function keyOfFrame(el: HTMLIFrameElement): string {
  const identity = el.contentWindow ?? el;
  let key = keys.get(identity);
  if (key === undefined) {
    key = crypto.randomUUID();
    keys.set(identity, key);
    for (const [old, ref] of frames) if (!ref.deref()?.isConnected) frames.delete(old);
  }
  frames.set(key, new WeakRef(el));
  return key;
}

/** The frame of the key; null once it is gone. */
export function frameOfKey(key: string): HTMLIFrameElement | null {
  const el = frames.get(key)?.deref();
  return el?.isConnected && keyOfFrame(el) === key ? el : null;
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
  return outOf(mapping(frame), box);
}

function outOf(map: Mapping, box: Box): Box {
  return {
    left: map.left + box.left * map.scaleX,
    top: map.top + box.top * map.scaleY,
    right: map.left + box.right * map.scaleX,
    bottom: map.top + box.bottom * map.scaleY,
  };
}

/** The point in the viewport of the frame's own document. */
export function intoFrame(point: Point, frame: HTMLIFrameElement): Point {
  const map = mapping(frame);
  return { x: (point.x - map.left) / map.scaleX, y: (point.y - map.top) / map.scaleY };
}

/** The box of an element's document in the top viewport. */
export function toTop(box: Box, doc: Document): Box {
  for (let frame = frameOf(doc); frame; frame = frameOf(frame.ownerDocument)) box = outOfFrame(box, frame);
  return place ? outOf(place, box) : box;
}

/** The point of the top viewport in the document's own. */
export function fromTop(point: Point, doc: Document): Point {
  const frame = frameOf(doc);
  if (frame) return intoFrame(fromTop(point, frame.ownerDocument), frame);
  return place ? { x: (point.x - place.left) / place.scaleX, y: (point.y - place.top) / place.scaleY } : point;
}

/** Clips a box of this script's own document to what the ancestor documents show, in the top viewport. */
export function clipToAncestors(box: Box): Box | null {
  if (!place) return box;
  return place.clip && intersect(outOf(place, box), place.clip);
}
