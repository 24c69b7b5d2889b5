// Rule of this file: it answers the worker's queries about the frames of this
// document and of those in it that this origin may enter. It reports where a
// frame lies and what covers it, never page content.

import { isFrame } from "../dom/dom";
import type { Point } from "../dom/geometry";
import { occluderAt } from "../dom/hit-test";
import { queryAll } from "../dom/selectors";
import { type Place, frameOfKey, keyOfFrame, outOfFrame, toTop, topViewport } from "../dom/viewport";
import { type Occluder, describeOccluder, isRendered, opacityOf, visibleBox } from "../dom/visibility";
import { nextFrame } from "../wait/schedule";
import { type FrameView, queryAncestors } from "./ancestors";
import type { EnterFrame, FrameEntry } from "./enter-frame";
import { documentOf } from "./path";

/** The property of a posted message that carries the key; the worker's listener in frames reads it. */
const KEY = "actions-host.frame";

/** More than any page made for people shows at once. */
const MAX_FRAMES = 64;

/** What the worker needs to send the call into the frame's own document. */
export interface EnterAnswer {
  way: FrameEntry;
  host?: string;
  frames: { key: string; place: Place }[];
}

export function enterAnswer(signal: EnterFrame): EnterAnswer {
  const frames = signal.frames.slice(0, MAX_FRAMES).map((frame) => ({ key: keyOfFrame(frame), place: placeOf(frame) }));
  return { way: signal.way, frames, ...(signal.host !== undefined && { host: signal.host }) };
}

/** Returns the keys of the frames; with post it sends each frame its own, which the script in its document passes on to the worker. */
export function frameKeys(post: boolean): { keys: { key: string; entered: boolean }[] } {
  const frames = [...framesIn(document)].slice(0, MAX_FRAMES);
  if (post) for (const frame of frames) frame.contentWindow?.postMessage({ [KEY]: keyOfFrame(frame) }, "*");
  return { keys: frames.map((frame) => ({ key: keyOfFrame(frame), entered: documentOf(frame) !== null })) };
}

/** The frames of the document and of the documents that it can enter, outer ones first. */
export function* framesIn(doc: Document): Generator<HTMLIFrameElement> {
  for (const frame of queryAll(doc, ":is(iframe, frame)").filter(isFrame)) {
    yield frame;
    const inner = documentOf(frame);
    if (inner) yield* framesIn(inner);
  }
}

/**
 * Returns the place of the frame of the key, and what covers points of the top viewport over
 * it; null where the frame is gone.
 */
export async function describeFrame(key: string, points: Point[], options: { knowsPlace: boolean; drawn: boolean }): Promise<FrameView | null> {
  const { covers } = options.knowsPlace ? { covers: [] } : await queryAncestors(points, options.drawn);
  // One frame to draw it, one to know that it was drawn.
  for (let i = 0; options.drawn && i < 2; i++) await nextFrame();
  const frame = frameOfKey(key);
  if (!frame) return null;
  return { place: placeOf(frame), covers: points.map((point, i) => covers[i] ?? occluderOf(frame, point)) };
}

function occluderOf(frame: HTMLIFrameElement, point: Point): Occluder | null {
  const covering = occluderAt(frame, point);
  return covering === null || covering === "nothing" ? null : describeOccluder(covering);
}

// Computed from the known place of this script's own document.
function placeOf(frame: HTMLIFrameElement): Place {
  const map = toTop(outOfFrame({ left: 0, top: 0, right: 1, bottom: 1 }, frame), frame.ownerDocument);
  return {
    left: map.left,
    top: map.top,
    scaleX: map.right - map.left,
    scaleY: map.bottom - map.top,
    clip: visibleBox(frame),
    rendered: isRendered(frame),
    opacity: opacityOf(frame),
    viewport: topViewport(),
  };
}
