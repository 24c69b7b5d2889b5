// Rule of this file: a drag may end in another document than it began, and a pointer
// that is pressed goes to a document by itself. That document returns the point of the
// destination, checks it until the press, and reports afterwards whether it accepted the
// drop, and which events of the pointer it has got.

import { type Args, flag, requiredText, number, text } from "../base/args";
import { PageError } from "../base/errors";
import { isFrame, viewOf } from "../dom/dom";
import { type Point, center } from "../dom/geometry";
import { deepElementAt } from "../dom/hit-test";
import { labelOf } from "../dom/labels";
import { topViewport, toTop } from "../dom/viewport";
import { measure } from "../dom/visibility";
import { EnterFrame } from "../frames/enter-frame";
import { documentOf } from "../frames/path";
import { type TargetMiss, registerInputTarget, reportInputSeen } from "../input/hold";
import { locateOne, locatorOf } from "../locator/locate";
import { noteMet } from "../locator/met";
import type { Context } from "../wait/schedule";
import { actionable } from "./actionable";
import { DropWatch } from "./drop-watch";
import { checkPointer } from "./target-check";

const DEFAULT_TIMEOUT_MS = 5000;
const MAX_DROPS = 20;

/** The last two end a drag of the browser's own, in place of a release. */
const POINTER_EVENTS = ["pointerdown", "mousedown", "pointerup", "mouseup", "dragend", "drop"];

interface Drop {
  watch: DropWatch;
  /** The types of pointer events that the document has got. */
  pointer(): string[];
  stop: AbortController;
}

const drops = new Map<string, Drop>();

/** target.destination */
export async function destination(args: Args, ctx: Context): Promise<unknown> {
  const id = requiredText(args, "hold");
  const { el, point, check } = args.locator === undefined ? atPoint(args) : await atTarget(args, ctx);
  noteMet(ctx, el);
  registerInputTarget(id, { el, check });
  watchDrop(id, viewOf(el));
  return { point, label: labelOf(el) };
}

interface Destination {
  el: Element;
  point: Point;
  check(): Promise<TargetMiss | null> | TargetMiss | null;
}

async function atTarget(args: Args, ctx: Context): Promise<Destination> {
  if (flag(args, "still", false)) return withoutScrolling(args);
  const deadline = Math.min(performance.now() + number(args, "timeout_ms", DEFAULT_TIMEOUT_MS, 0, 30_000), ctx.deadline);
  const target = await actionable(locatorOf(args, "locator"), { reach: "pointer", enabled: false }, deadline, { ...ctx, deadline });
  const point = target.point ?? center(toTop(target.el.getBoundingClientRect(), target.el.ownerDocument));
  return { el: target.hitTarget, point, check: () => checkPointer(target.hitTarget, point) };
}

/** The destination at its present place; scrolling to it would move the other end away. */
function withoutScrolling(args: Args): Destination {
  const el = locateOne(locatorOf(args, "locator"));
  const { point } = measure(el);
  if (!point) throw outOfViewport(null);
  return { el, point, check: () => checkPointer(el, point) };
}

function outOfViewport(point: Point | null): PageError {
  return new PageError("point_out_of_viewport", "the destination is not on screen together with the other end", { end: "to", point, viewport: topViewport() });
}

function atPoint(args: Args): Destination {
  const { x, y } = args;
  if (typeof x !== "number" || typeof y !== "number") throw new PageError("missing_coordinates", "to needs x and y", { argument: "to" });
  const point = { x, y };
  const { width, height } = topViewport();
  const hit = x >= 0 && y >= 0 && x < width && y < height ? deepElementAt(point) : null;
  if (!hit) throw outOfViewport(point);
  if (isForeignFrame(hit.element)) throw EnterFrame.byPoint(hit.element, { x, y });
  const check = (): TargetMiss | null => {
    const hit = deepElementAt(point)?.element;
    return hit && !isForeignFrame(hit) ? null : { code: "target_moved", message: "another frame lies at the destination now", evidence: { hit: hit ? labelOf(hit) : "nothing" } };
  };
  return { el: hit.element, point, check };
}

const isForeignFrame = (el: Element): el is HTMLIFrameElement => isFrame(el) && !documentOf(el);

/** Records whether the document accepts the drop, and which pointer events it gets. */
function watchDrop(id: string, view: Window): void {
  endDrop(id);
  const stop = new AbortController();
  drops.set(id, { watch: new DropWatch([view], true), pointer: watchPointer(id, view, stop.signal), stop });
  for (const oldest of drops.keys()) if (drops.size > MAX_DROPS) endDrop(oldest);
}

// A listener that the page has set earlier may stop an event before ours sees it. The browser
// counts those as well, and never those of a script.
function watchPointer(id: string, view: Window, signal: AbortSignal): () => string[] {
  const counts = view.performance.eventCounts; // of this document: another one may come into its window
  const dispatched = (type: string): number => counts?.get(type) ?? 0;
  const before = new Map(POINTER_EVENTS.map((type) => [type, dispatched(type)]));
  const seen = new Set<string>();
  const got = (): string[] => POINTER_EVENTS.filter((type) => seen.has(type) || dispatched(type) > (before.get(type) ?? 0));
  const onPointer = (event: Event): void => {
    if (!event.isTrusted) return;
    seen.add(event.type);
    reportInputSeen(id, [...seen]); // the page may leave at once
  };
  for (const type of POINTER_EVENTS) view.addEventListener(type, onPointer, { capture: true, passive: true, signal });
  return got;
}

/** target.dropped */
export function dropped(args: Args): unknown {
  const drop = drops.get(text(args, "hold") ?? "");
  const result = { taken: drop ? drop.watch.accepted : false, seen: drop?.pointer() ?? [] };
  endDrop(text(args, "hold") ?? "");
  return result;
}

function endDrop(id: string): void {
  drops.get(id)?.stop.abort();
  drops.get(id)?.watch.stop();
  drops.delete(id);
}
