// Rule of this file: both ends of a drag are on screen and met by the pointer
// before it begins. It is verified if the page accepted the drop or the element rests at
// another place, unknown if anything else changed, and failed only if nothing did.

import { type Args, isObject, number, object } from "../base/args";
import { PageError } from "../base/errors";
import { ancestorsOf, isHTML } from "../dom/dom";
import { type Point, center } from "../dom/geometry";
import { deepElementAt } from "../dom/hit-test";
import { labelOf } from "../dom/labels";
import { toTop, topViewport } from "../dom/viewport";
import { measure } from "../dom/visibility";
import { hover, dispatchMouse } from "../input/mouse";
import { yieldToInput } from "../overlay/yield";
import { type Context, nextFrame, nextTask } from "../wait/schedule";
import type { Action, HeldTarget } from "./action";
import { type Target, actionable } from "./actionable";
import { sendDrag } from "./drag-events";
import { DropWatch } from "./drop-watch";
import { PageChanges } from "./page-changes";
import { Placement } from "./placement";
import { PressGuard } from "./press-guard";

/** How long a page may take to move the element to where it was dropped. */
const SETTLE_TIMEOUT_MS = 600;
const DEFAULT_STEPS = 12;

/** A page that changed, and was quiet for so long, has done what it does. */
const QUIET_MS = 100;

interface Before {
  from: Point;
  to: Point;
  placement: Placement;
  drop: DropWatch;
  /** Whether there is a drag that something may take: the browser has begun one of its own, or the events of one were sent. */
  native: boolean;
  stop: AbortController;
  changes: PageChanges[];
  /** Whether it may draw on a canvas, where no change is seen. */
  canvas: boolean;
}

const NEED = { reach: "pointer", enabled: false } as const;

async function begin(held: HeldTarget, ctx: Context): Promise<Before> {
  const offset = object(held.args, "from");
  const to = await destination(held.args, ctx);
  // Scrolling to the destination may have moved the source.
  const from = offset ? pointOf(offset, "from") : measure(held.hitTarget).point;
  for (const [end, point] of [["from", from], ["to", to]] as const) {
    if (!point || !inViewport(point)) throw outOfViewport(end, point);
  }
  const outside = pathOf(held.args).find((point) => !inViewport(point));
  if (outside) throw outOfViewport("path", outside);
  if (!from) throw new PageError("target_not_actionable", "the source has no point to press");
  const ends = [held.el, deepElementAt(to)?.element ?? held.el];
  const documents = [...new Set(ends.map((el) => el.ownerDocument))];
  const before: Before = {
    from, to, placement: new Placement(held.el), drop: new DropWatch(documents.map((doc) => doc.defaultView ?? window), held.hold !== undefined),
    native: false, stop: new AbortController(), changes: documents.map((doc) => new PageChanges(doc)),
    canvas: ends.some((el) => el.localName === "canvas"),
  };
  const view = held.el.ownerDocument.defaultView ?? window;
  const onDragStart = (event: Event): void => void nextTask().then(() => (before.native ||= event.isTrusted && !event.defaultPrevented));
  view.addEventListener("dragstart", onDragStart, { capture: true, signal: before.stop.signal });
  held.before = before;
  held.end = () => {
    before.stop.abort();
    before.drop.stop();
    for (const each of before.changes) each.stop();
  };
  return before;
}

function outOfViewport(end: "from" | "to" | "path", point: Point | null): PageError {
  const what = end === "from" ? "source" : end === "to" ? "destination" : "path";
  return new PageError("point_out_of_viewport", `the ${what} is not on screen together with the other end`, { end, point, viewport: topViewport() });
}

async function destination(args: Args, ctx: Context): Promise<Point> {
  const to = args.to;
  if (!isObject(to)) throw new PageError("invalid_arguments", "to must be a point or a locator", { argument: "to" });
  if ("x" in to || "y" in to) return pointOf(to, "to");
  const locator = object(to, "locator") ?? to;
  const target = await actionable(locator, NEED, ctx.deadline, ctx);
  return target.point ?? center(toTop(target.el.getBoundingClientRect(), target.el.ownerDocument));
}

function pointOf(value: Args, name: string): Point {
  const { x, y } = value;
  if (typeof x !== "number" || typeof y !== "number") throw new PageError("missing_coordinates", `${name} needs x and y`, { argument: name });
  return { x, y };
}

function inViewport(p: Point): boolean {
  const { width, height } = topViewport();
  return p.x >= 0 && p.y >= 0 && p.x < width && p.y < height;
}

// The points on the way: of the path, or so many on the straight one.
function wayOf(args: Args, from: Point, to: Point): Point[] {
  const path = pathOf(args);
  if (path.length > 0) return path.slice(1);
  const steps = Math.trunc(number(args, "steps", DEFAULT_STEPS, 1, 40));
  return Array.from({ length: steps }, (_, i) => ({ x: from.x + ((to.x - from.x) * (i + 1)) / steps, y: from.y + ((to.y - from.y) * (i + 1)) / steps }));
}

const pathOf = ({ path }: Args): Point[] => (Array.isArray(path) ? (path as Point[]) : []);

async function perform(held: HeldTarget, ctx: Context): Promise<void> {
  const before = await begin(held, ctx);
  const { from, to } = before;
  const start = deepElementAt(from);
  if (!start) return;
  const source = [...ancestorsOf(start.element)].find((at) => isHTML(at) && at.draggable);
  const mouse = { local: start.local, top: from, button: 0, buttons: 1, detail: 1, modifiers: [] };
  hover(start.element, mouse);
  dispatchMouse(start.element, "pointerdown", { ...mouse, detail: 0 });
  const pressed = dispatchMouse(start.element, "mousedown", mouse);
  const data = new DataTransfer();
  const dragged = pressed && source && sendDrag({ target: source, local: start.local, top: from }, "dragstart", data) ? source : undefined;
  before.native = dragged !== undefined;
  let over: Element | undefined;
  let accepted = false;
  for (const top of wayOf(held.args, from, to)) {
    const at = deepElementAt(top);
    if (!at) continue;
    const place = { target: at.element, local: at.local, top };
    if (!dragged) {
      // The element that took the press keeps the pointer where it captured it.
      dispatchMouse(at.element, "pointermove", { ...mouse, local: at.local, top, button: -1, detail: 0 });
      dispatchMouse(at.element, "mousemove", { ...mouse, local: at.local, top });
      continue;
    }
    sendDrag({ target: dragged, local: start.local, top }, "drag", data);
    if (over !== at.element) {
      sendDrag(place, "dragenter", data);
      if (over) sendDrag({ ...place, target: over }, "dragleave", data);
      over = at.element;
    }
    accepted = !sendDrag(place, "dragover", data);
  }
  const end = deepElementAt(to);
  if (!end) return;
  const last = { target: end.element, local: end.local, top: to };
  if (!dragged) {
    dispatchMouse(end.element, "pointerup", { ...mouse, local: end.local, top: to, buttons: 0, detail: 0 });
    dispatchMouse(end.element, "mouseup", { ...mouse, local: end.local, top: to, buttons: 0 });
    return;
  }
  sendDrag(last, accepted ? "drop" : "dragleave", data);
  sendDrag({ target: dragged, local: start.local, top: to }, "dragend", data);
}

async function readResult(held: HeldTarget, ctx: Context): Promise<Record<string, unknown>> {
  const { from, to, placement, drop, native, changes, canvas } = held.before as Before;
  const end = Math.min(performance.now() + SETTLE_TIMEOUT_MS, ctx.deadline);
  const way = { x: to.x - from.x, y: to.y - from.y };
  // Where a drag of its own comes to the edge, the browser scrolls the page.
  const changed = (): string[] => changes.flatMap((each) => each.list({ pageScroll: !native }));
  let restingSince = performance.now();
  let last = new Placement(held.el).toString();
  const isResting = (): boolean => {
    const now = new Placement(held.el);
    if (now.isAnimated || now.toString() !== last) restingSince = performance.now();
    last = now.toString();
    return performance.now() - restingSince > QUIET_MS;
  };
  // A page may bring back what it does not take, or what it takes may come to rest only after a while.
  const moved = (): boolean => isResting() && placement.hasMoved(way);
  const isQuiet = (): boolean => changes.every(({ lastAt }) => performance.now() - lastAt > QUIET_MS);
  // The drop may be animated: check once a frame.
  while (!drop.accepted && !moved() && performance.now() < end && !(isResting() && isQuiet() && changed().length > 0)) await nextFrame();
  held.end?.();
  if (held.guard?.result.missed) return { missed: held.guard.result.otherTarget ?? "" };
  const isMoved = moved();
  const result = { dragged: true, from, to, ...(native && drop.accepted !== null && { dropped: drop.accepted }), ...((isMoved || isResting()) && { moved: isMoved }) };
  if (drop.accepted || isMoved) return { ...result, verified: true };
  const seen = changed();
  if (seen.length > 0 || canvas || drop.accepted === null) return { ...result, verified: null, ...(seen.length > 0 && { changed: seen }) };
  held.guard?.requireSeen();
  throw new PageError("drag_failed", `nothing changed after the drag of ${labelOf(held.el)}`, { from, to, drop_seen: drop.seen }, "yes");
}

/** The element at the point where the drag begins. */
function find(args: Args): Target {
  const point = pointOf(object(args, "from") ?? {}, "from");
  const hit = inViewport(point) ? deepElementAt(point) : null;
  if (!hit) throw outOfViewport("from", point);
  return { el: hit.element, hitTarget: hit.element, point, scrolled: false };
}

/** Reports whether the browser has begun a drag of its own: many lists make an item draggable only under the press. */
export const isNativeDrag = ({ before }: HeldTarget): boolean => (before as Before | undefined)?.native === true;

export const drag: Action = {
  need: NEED,
  find,
  prepare: async (held, ctx) => {
    const { from, to } = await begin(held, ctx);
    // The extension's overlays yield along the whole path.
    const [xs, ys] = [[from, to, ...pathOf(held.args)].map(({ x }) => x), [from, to, ...pathOf(held.args)].map(({ y }) => y)];
    await yieldToInput({ left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) });
    held.guard = new PressGuard(held);
    return { way: "pointer", from, to };
  },
  perform,
  readResult,
};
