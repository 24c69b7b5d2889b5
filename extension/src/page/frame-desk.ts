// Rule of this file: it answers the worker's questions about the frames of this
// document and of those in it that this origin may enter. It tells where a
// frame lies and what covers it, never what stands in the page.

import { type Seen, askAbove } from "./above";
import { isFrame } from "./dom";
import type { EnterFrame, Way } from "./enter-frame";
import { documentOf } from "./frame-path";
import { type Place, frameOfKey, keyOfFrame, outOfFrame, toTop, topViewport } from "./frames";
import type { Point } from "./geometry";
import { occluderAt } from "./hit-test";
import { queryAll } from "./selectors";
import { frame as nextFrame } from "./settle";
import { type Occluder, describeOccluder, isRendered, opacityOf, visibleBox } from "./visibility";

/** The property of a posted message that carries the key; the worker's listener in frames reads it. */
const KEY = "actions-host.frame";

/** More than any page for people shows at once. */
const MAX_FRAMES = 64;

/** What the worker needs to send the call into the frame's own document. */
export interface EnterAnswer {
  way: Way;
  host?: string;
  frames: { key: string; place: Place }[];
}

export function enterAnswer(signal: EnterFrame): EnterAnswer {
  const frames = signal.frames.slice(0, MAX_FRAMES).map((frame) => ({ key: keyOfFrame(frame), place: placeOf(frame) }));
  return { way: signal.way, frames, ...(signal.host !== undefined && { host: signal.host }) };
}

/** Sends each frame its key, which the script in its document passes on to the worker. */
export function postKeys(): { keys: { key: string; entered: boolean }[] } {
  const frames = [...framesIn(document)].slice(0, MAX_FRAMES);
  for (const frame of frames) frame.contentWindow?.postMessage({ [KEY]: keyOfFrame(frame) }, "*");
  return { keys: frames.map((frame) => ({ key: keyOfFrame(frame), entered: documentOf(frame) !== null })) };
}

// The outer frame comes before those in it.
function* framesIn(doc: Document): Generator<HTMLIFrameElement> {
  for (const frame of queryAll(doc, ":is(iframe, frame)").filter(isFrame)) {
    yield frame;
    const inner = documentOf(frame);
    if (inner) yield* framesIn(inner);
  }
}

/** Where the frame of the key lies, and what covers points of the top viewport over it; null where the frame is gone. */
export async function seeFrame(key: string, points: Point[], how: { knowsPlace: boolean; drawn: boolean }): Promise<Seen | null> {
  const { covers } = how.knowsPlace ? { covers: [] } : await askAbove(points, how.drawn);
  // One frame to draw it, one to know that it was drawn.
  for (let i = 0; how.drawn && i < 2; i++) await nextFrame();
  const frame = frameOfKey(key);
  if (!frame) return null;
  return { place: placeOf(frame), covers: points.map((point, i) => covers[i] ?? coverOf(frame, point)) };
}

function coverOf(frame: HTMLIFrameElement, point: Point): Occluder | null {
  const over = occluderAt(frame, point);
  return over === null || over === "nothing" ? null : describeOccluder(over);
}

// By what this script knows of its own place.
function placeOf(frame: HTMLIFrameElement): Place {
  const unit = toTop(outOfFrame({ left: 0, top: 0, right: 1, bottom: 1 }, frame), frame.ownerDocument);
  return {
    left: unit.left,
    top: unit.top,
    scaleX: unit.right - unit.left,
    scaleY: unit.bottom - unit.top,
    clip: visibleBox(frame),
    rendered: isRendered(frame),
    opacity: opacityOf(frame),
    viewport: topViewport(),
  };
}
