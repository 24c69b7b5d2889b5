// Rule of this file: in the document of a frame one sees neither what lies over
// the frame nor where it has been scrolled to. The documents above say so: the
// worker passes the question to the one that holds the frame. It has a limit.

import { PageError } from "./errors";
import { type Place, placeOfSelf, placeSelf } from "./frames";
import type { Point } from "./geometry";
import { type Occluder, type Visibility, measure, pointsOf, visibleBox } from "./visibility";

/** How the frame of this document is called in the document that holds it. */
export interface Holder {
  key: string;
  /** The document whose script gave the key. */
  document_id: string;
}

/** The answer of the documents above. */
export interface Seen {
  place: Place;
  /** What covers each point that was asked for. */
  covers: (Occluder | null)[];
}

const LIMIT_MS = 2_000;

/** A page that moves all the time is not measured again and again. */
const MAX_LOOKS = 3;

let holder: Holder | undefined;

/** Says whom to ask; undefined in the tab's own document. */
export function heldBy(now: Holder | undefined): void {
  holder = now;
}

/**
 * Learns anew where this document lies, and what covers the points of the top
 * viewport in the documents above; drawn asks them to wait until what they show
 * now is on screen.
 */
export async function askAbove(points: Point[], drawn = false): Promise<{ covers: (Occluder | null)[]; moved: boolean }> {
  if (!holder) return { covers: points.map(() => null), moved: false };
  const question = chrome.runtime.sendMessage({ kind: "above", ...holder, points, drawn }) as Promise<Seen | undefined>;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), LIMIT_MS)));
  const seen = await Promise.race([question, late]).catch(() => undefined);
  clearTimeout(timer);
  if (!seen) throw new PageError("frame_not_found", "the page around the frame does not answer: the frame may have gone");
  return { covers: seen.covers, moved: placeSelf(seen.place) };
}

/**
 * Learns where this document lies after a scroll, which moves the documents above
 * too. Real input finds its frame by the last picture that was drawn.
 */
export async function freshenDrawn(): Promise<void> {
  if (holder) await askAbove([], true);
}

/** What covers the point of the top viewport in the documents above; null where nothing does. */
export async function coveredAbove(point: Point): Promise<Occluder | null> {
  return (await askAbove([point])).covers[0] ?? null;
}

/** measure with what lies in the documents above. */
export async function measureThrough(el: Element): Promise<Measured> {
  return (await measurer([el]))(el);
}

export type Measured = { visibility: Visibility; point: Point | null };

/** measureThrough for many elements with one question, made ready. */
export async function measurer(elements: Element[]): Promise<(el: Element) => Measured> {
  if (!placeOfSelf()) return (el) => measure(el);
  for (let look = 1; ; look++) {
    const points = elements.flatMap((el) => {
      const box = visibleBox(el);
      return box ? pointsOf(el, box) : [];
    });
    const { covers, moved } = await askAbove(points);
    if (moved && look < MAX_LOOKS) continue;
    const known = new Map(points.map((point, i) => [nameOf(point), covers[i] ?? null]));
    return (el) => measure(el, (point) => known.get(nameOf(point)) ?? null);
  }
}

const nameOf = ({ x, y }: Point): string => `${x},${y}`;
