// Rule of this file: the document of a frame sees neither what lies over the
// frame nor where it has been scrolled to. The ancestor documents know: the worker
// passes the query to the one that holds the frame. The query has a timeout.

import { PageError } from "../base/errors";
import type { Point } from "../dom/geometry";
import { type Place, ownPlace, setOwnPlace } from "../dom/viewport";
import { type Occluder, type Visibility, measure, clickPoints, visibleBox } from "../dom/visibility";

/** The frame of this document, as the parent document knows it. */
export interface ParentFrame {
  key: string;
  /** The document whose script made the key. */
  document_id: string;
}

/** The answer of the ancestor documents. */
export interface FrameView {
  place: Place;
  /** What covers each point of the query. */
  covers: (Occluder | null)[];
}

const QUERY_TIMEOUT_MS = 2_000;

/** A page that moves all the time is not measured for ever. */
const MAX_ATTEMPTS = 3;

let parentFrame: ParentFrame | undefined;

/** Sets where to send queries; undefined in the tab's own document. */
export function setParentFrame(parent: ParentFrame | undefined): void {
  parentFrame = parent;
}

/**
 * Updates the place of this document, and returns what covers the points of the
 * top viewport in the ancestor documents; drawn makes them wait until their
 * current state is on screen.
 */
export async function queryAncestors(points: Point[], drawn = false): Promise<{ covers: (Occluder | null)[]; moved: boolean }> {
  if (!parentFrame) return { covers: points.map(() => null), moved: false };
  const before = JSON.stringify(ownPlace()); // another question may be answered meanwhile
  const question = chrome.runtime.sendMessage({ kind: "above", ...parentFrame, points, drawn }) as Promise<FrameView | undefined>;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timedOut = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), QUERY_TIMEOUT_MS)));
  const view = await Promise.race([question, timedOut]).catch(() => undefined);
  clearTimeout(timer);
  if (!view) throw new PageError("frame_not_found", "the page around the frame does not answer: the frame may be gone");
  setOwnPlace(view.place);
  return { covers: view.covers, moved: JSON.stringify(view.place) !== before };
}

/**
 * Updates the place of this document after a scroll, which moves the ancestor
 * documents too. Real input finds its frame by the last frame drawn.
 */
export async function refreshPlace(): Promise<void> {
  if (parentFrame) await queryAncestors([], true);
}

let following = false;

/**
 * Asks for the place of this document and does not wait: who watches the document sees it at the
 * next check. Without an answer the place stays; the worker ends the calls of a frame that is gone.
 */
export function followPlace(): void {
  if (!parentFrame || following) return;
  following = true;
  const done = (): boolean => (following = false);
  queryAncestors([]).then(done, done);
}

/** Returns what covers the point of the top viewport in the ancestor documents; null where nothing does. */
export async function occluderInAncestors(point: Point): Promise<Occluder | null> {
  return (await queryAncestors([point])).covers[0] ?? null;
}

/** Like measure, with occluders in the ancestor documents. */
export async function measureInTop(el: Element): Promise<Measured> {
  return (await measureManyInTop([el]))(el);
}

export type Measured = { visibility: Visibility; point: Point | null };

/** Like measureInTop, for many elements with one query. */
export async function measureManyInTop(elements: Element[]): Promise<(el: Element) => Measured> {
  if (!ownPlace()) return (el) => measure(el);
  for (let attempt = 1; ; attempt++) {
    const points = elements.flatMap((el) => {
      const box = visibleBox(el);
      return box ? clickPoints(el, box) : [];
    });
    const { covers, moved } = await queryAncestors(points);
    if (moved && attempt < MAX_ATTEMPTS) continue;
    const occluders = new Map(points.map((point, i) => [keyOf(point), covers[i] ?? null]));
    return (el) => measure(el, (point) => occluders.get(keyOf(point)) ?? null);
  }
}

const keyOf = ({ x, y }: Point): string => `${x},${y}`;
