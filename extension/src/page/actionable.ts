// Rule of this file: before anything is done, the target is attached, shown,
// at rest, enabled and found by the browser's own hit test. What time can cure
// is waited for; what it cannot is refused at once, and nothing was sent.

import { askAbove, measureThrough } from "./above";
import type { Args } from "./args";
import { until } from "./changes";
import { ancestorsOf, childrenOf, composedClosest, isElement, isHTML, isInput, styleOf } from "./dom";
import { type Evidence, PageError } from "./errors";
import { documentsOn, frameOfArgs } from "./frame-path";
import { frameOf, placeOfSelf } from "./frames";
import type { Point } from "./geometry";
import { occluderAt } from "./hit-test";
import { labelOf } from "./labels";
import { locateOne } from "./locate";
import { scrollIntoView } from "./scroll-into-view";
import { type Context, checkCancelled, frame } from "./settle";
import { type Visibility, disabledControl, isRendered, measure } from "./visibility";

/** What an action asks of its target. */
export interface Need {
  /**
   * pointer: a point where the pointer meets it; presence: it is shown, and
   * nothing foreign covers it; box: it is rendered; attached: it exists.
   */
  reach: "pointer" | "presence" | "box" | "attached";
  enabled: boolean;
}

export interface Target {
  el: Element;
  /** What the pointer touches: the element, or the label that stands for a hidden control. */
  surface: Element;
  point: Point | null;
  scrolled: boolean;
}

type Look = { target: Target } | { error: PageError; scroll?: Element };

/** What becomes possible by waiting. */
const PASSING = new Set(["target_not_found", "target_not_visible", "target_not_actionable", "target_occluded", "target_disabled", "frame_not_found"]);

/** An element that scrolling did not help is scrolled to again only after this time. */
const SCROLL_AGAIN_MS = 250;

/** Waits until the one element of the locator can be acted on, and scrolls to it if needed. */
export async function actionable(locator: Args, need: Need, end: number, ctx: Context): Promise<Target> {
  let last: Look | undefined;
  let known = false; // it was there once
  let scrolledTo: Element | undefined;
  let scrolledAt = -Infinity;
  let scrolled = false;
  const worthScrolling = (look: Look): look is { error: PageError; scroll: Element } =>
    "scroll" in look && look.scroll !== undefined && (look.scroll !== scrolledTo || performance.now() - scrolledAt > SCROLL_AGAIN_MS);
  const settled = (): boolean => {
    last = look(locator, need);
    known ||= "target" in last || last.error.code !== "target_not_found";
    return "target" in last || worthScrolling(last);
  };
  for (;;) {
    checkCancelled(ctx);
    await until(settled, end, ctx, () => documentsOn(frameOfArgs(locator)));
    const near = last as Look | undefined;
    if (!near) throw new PageError("internal_error", "the page was not looked at");
    const now = await seenFromAbove(near, need, end);
    if ("target" in now) {
      if (await atRest(now.target.surface)) return { ...now.target, scrolled };
      if (performance.now() >= end) throw new PageError("target_moved", `${labelOf(now.target.el)} kept moving`, { label: labelOf(now.target.el) });
    } else if (worthScrolling(now)) {
      scrolledTo = now.scroll;
      scrolled = (await scrollIntoView(now.scroll)).length > 0 || scrolled;
      scrolledAt = performance.now();
    } else if ("target" in near && performance.now() < end) {
      await frame(); // what the pages around the frame put over it may go again
    } else {
      throw known && now.error.code === "target_not_found" ? detached(locator) : now.error;
    }
  }
}

// In a frame of another origin the pages around it have the last word: where it
// lies now, and what covers it.
async function seenFromAbove(near: Look, need: Need, end: number): Promise<Look> {
  let now = near;
  while ("target" in now && now.target.point && placeOfSelf()) {
    const { covers, moved } = await askAbove([now.target.point]);
    if (moved && performance.now() < end) {
      now = judge(now.target.el, need);
      continue;
    }
    if (!covers[0]) return now;
    const { visibility, point } = await measureThrough(now.target.surface);
    return point ? { target: { ...now.target, point } } : { error: refusal(now.target.el, visibility), scroll: now.target.surface };
  }
  return now;
}

const detached = (locator: Args): PageError =>
  new PageError("target_detached", "the target was removed while it was waited for", { locator });

function look(locator: Args, need: Need): Look {
  try {
    return judge(locateOne(locator), need);
  } catch (thrown) {
    if (thrown instanceof PageError && PASSING.has(thrown.code)) return { error: thrown };
    throw thrown;
  }
}

function judge(el: Element, need: Need): Look {
  if (need.enabled) {
    const disabled = disabledControl(el) ?? composedClosest(el, "[aria-disabled=true i]");
    if (disabled) return { error: new PageError("target_disabled", `${labelOf(disabled)} is disabled`, { label: labelOf(el) }) };
  }
  if (need.reach === "attached") return { target: { el, surface: el, point: null, scrolled: false } };
  if (need.reach === "box") {
    return isRendered(el) ? { target: { el, surface: el, point: null, scrolled: false } } : { error: refusal(el, measure(el).visibility) };
  }
  const surface = surfaceOf(el);
  const { visibility, point } = measure(surface);
  const reached = point ?? (need.reach === "presence" ? pointOfOwn(surface, visibility) : null);
  if (reached) return { target: { el, surface, point: reached, scrolled: false } };
  const curable = ["off_screen", "too_small", "covered"].some((blocker) => visibility.blockers.includes(blocker as "covered"));
  return { error: refusal(el, visibility), ...(curable && { scroll: surface }) };
}

// A checkbox of one pixel, or none, is drawn by its label: that is what a
// person clicks.
function surfaceOf(el: Element): Element {
  if (styleOf(el).display === "contents") return boxWithin(el) ?? el;
  if (!isInput(el) || !["checkbox", "radio", "file"].includes(el.type)) return el;
  const { visibility } = measure(el);
  if (visibility.clickable || visibility.blockers.includes("covered") || visibility.blockers.includes("off_screen")) return el;
  return [...(el.labels ?? [])].find(isRendered) ?? el;
}

// An element of no box of its own is where its content is.
function boxWithin(el: Element): Element | undefined {
  for (const child of childrenOf(el).filter(isElement)) {
    const box = isRendered(child) ? child : boxWithin(child);
    if (box) return box;
  }
  return undefined;
}

// What the keyboard reaches may have its own decoration over it: a floating
// label, an icon, a drawn select.
function pointOfOwn(el: Element, v: Visibility): Point | null {
  const others = v.blockers.filter((blocker) => blocker !== "covered" && blocker !== "too_small" && blocker !== "pointer_events_none");
  if (others.length > 0 || !v.visible_center) return null;
  const over = occluderAt(el, v.visible_center);
  if (over === null) return v.visible_center;
  if (over === "nothing") return null;
  const labelled = isHTML(el) && "labels" in el && [...((el as HTMLInputElement).labels ?? [])].some((label) => label.contains(over));
  const wrapper = el.parentElement;
  const within = wrapper !== null && wrapper !== el.ownerDocument.body && wrapper.contains(over);
  return labelled || within ? v.visible_center : null;
}

function refusal(el: Element, v: Visibility): PageError {
  const label = labelOf(el);
  const evidence: Evidence = { label, blockers: v.blockers };
  if (v.blockers.includes("not_rendered")) return new PageError("target_not_visible", `${label} is not shown`, evidence);
  if (v.blockers.includes("covered") && v.occluded_by && !v.blockers.includes("inert")) {
    return new PageError("target_occluded", `${v.occluded_by.target_label} covers ${label}`, { label, occluded_by: v.occluded_by });
  }
  if (v.blockers.includes("off_screen")) return new PageError("target_not_visible", `${label} cannot be scrolled into view`, evidence);
  return new PageError("target_not_actionable", `${label} cannot be acted on: ${v.blockers.join(", ")}`, evidence);
}

/** Whether it stays where it is: one frame is waited only where an animation runs that may move it. */
async function atRest(el: Element): Promise<boolean> {
  if (!mayMove(el)) return true;
  const before = el.getBoundingClientRect();
  await frame();
  const after = el.getBoundingClientRect();
  return el.isConnected && before.left === after.left && before.top === after.top && before.width === after.width && before.height === after.height;
}

function mayMove(el: Element): boolean {
  for (let at: Element | null = el; at; at = frameOf(at.ownerDocument)) {
    for (const step of ancestorsOf(at)) {
      if (Element.prototype.getAnimations.call(step).some((animation) => animation.playState === "running")) return true;
    }
  }
  return false;
}
