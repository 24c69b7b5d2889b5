// Rule of this file: before anything is done, the target is attached, shown,
// at rest, enabled and found by the browser's own hit test. States that may change
// by themselves are waited for; others are refused at once, and nothing was sent.

import type { Args } from "../base/args";
import { type Evidence, PageError } from "../base/errors";
import { ancestorsOf, childrenOf, composedClosest, isElement, isFrame, isHTML, isInput } from "../dom/dom";
import type { Point } from "../dom/geometry";
import { occluderAt } from "../dom/hit-test";
import { labelOf } from "../dom/labels";
import { frameOf, ownPlace } from "../dom/viewport";
import { type Visibility, disabledControl, isRendered, measure } from "../dom/visibility";
import { queryAncestors, measureInTop } from "../frames/ancestors";
import { documentsOn, frameOfArgs } from "../frames/path";
import { locateOne } from "../locator/locate";
import { scrollIntoView } from "../locator/scroll-into-view";
import { type Context, throwIfCancelled, nextFrame } from "../wait/schedule";
import { until } from "../wait/until";
import { drawnControl, isDrawn } from "./control";

/** What an action requires of its target. */
export interface Need {
  /**
   * pointer: a point where the pointer meets it; presence: it is shown, and
   * nothing foreign covers it; box: it is rendered; attached: it exists.
   */
  reach: "pointer" | "presence" | "box" | "attached";
  enabled: boolean;
  /** Returns what a person acts on in place of the element, where that is another one. */
  inPlaceOf?(el: Element): Element;
}

export interface Target {
  el: Element;
  /** What the pointer hits: the element, or the label of a hidden control. */
  hitTarget: Element;
  point: Point | null;
  scrolled: boolean;
}

type Attempt = { target: Target } | { error: PageError; scroll?: Element };

/** Errors that may go away by waiting. */
const RETRYABLE = new Set(["target_not_found", "target_not_visible", "target_not_actionable", "target_occluded", "target_disabled", "frame_not_found"]);

/** An element that scrolling did not help is scrolled to again only after this time. */
const SCROLL_RETRY_DELAY_MS = 250;

/** Waits until the one element of the locator can be acted on, and scrolls to it if needed. */
export async function actionable(locator: Args, need: Need, end: number, ctx: Context): Promise<Target> {
  let last: Attempt | undefined;
  let wasFound = false; // by an earlier attempt
  let scrolledTo: Element | undefined;
  let scrolledAt = -Infinity;
  let scrolled = false;
  const worthScrolling = (attempt: Attempt): attempt is { error: PageError; scroll: Element } =>
    "scroll" in attempt && attempt.scroll !== undefined && (attempt.scroll !== scrolledTo || performance.now() - scrolledAt > SCROLL_RETRY_DELAY_MS);
  const isResolved = (): boolean => {
    last = attempt(locator, need, scrolledTo);
    wasFound ||= "target" in last || last.error.code !== "target_not_found";
    return "target" in last || worthScrolling(last);
  };
  for (;;) {
    throwIfCancelled(ctx);
    await until(isResolved, end, ctx, () => documentsOn(frameOfArgs(locator)));
    const found = last as Attempt | undefined;
    if (!found) throw new PageError("internal_error", "the target was not checked");
    const result = await checkAncestors(found, need, end);
    if ("target" in result) {
      if (await isAtRest(result.target.hitTarget)) return { ...result.target, scrolled };
      if (performance.now() >= end) throw new PageError("target_moved", `${labelOf(result.target.el)} kept moving`, { label: labelOf(result.target.el) });
    } else if (worthScrolling(result)) {
      scrolledTo = result.scroll;
      scrolled = (await scrollIntoView(result.scroll)).length > 0 || scrolled;
      scrolledAt = performance.now();
    } else if ("target" in found && performance.now() < end) {
      await nextFrame(); // an occluder in an ancestor document may go away again
    } else {
      throw wasFound && result.error.code === "target_not_found" ? detached(locator) : result.error;
    }
  }
}

// In a frame of another origin the ancestor documents decide: where it lies now, and
// what covers it.
async function checkAncestors(found: Attempt, need: Need, end: number): Promise<Attempt> {
  let result = found;
  while ("target" in result && result.target.point && ownPlace()) {
    const { covers, moved } = await queryAncestors([result.target.point]);
    if (moved && performance.now() < end) {
      result = check(result.target.el, need, result.target.hitTarget);
      continue;
    }
    if (!covers[0]) return result;
    const { visibility, point } = await measureInTop(result.target.hitTarget);
    return point ? { target: { ...result.target, point } } : { error: notActionable(result.target.el, visibility), scroll: result.target.hitTarget };
  }
  return result;
}

// A press on a frame hits what its document shows there, and must be decided for that.
function frameTarget(el: Element): PageError {
  const why = `${labelOf(el)} is a frame: name what is in it, with frame in the locator, or use pointer.click on a point`;
  return new PageError("target_not_actionable", why, { label: labelOf(el), reason: "frame" });
}

const detached = (locator: Args): PageError =>
  new PageError("target_detached", "the target was removed while it was waited for", { locator });

function attempt(locator: Args, need: Need, scrolledTo: Element | undefined): Attempt {
  try {
    const el = locateOne(locator);
    return check(need.inPlaceOf?.(el) ?? el, need, scrolledTo);
  } catch (thrown) {
    if (thrown instanceof PageError && RETRYABLE.has(thrown.code) && thrown.evidence?.reason !== "frame") return { error: thrown };
    throw thrown;
  }
}

function check(el: Element, need: Need, scrolledTo: Element | undefined): Attempt {
  if (need.reach === "pointer" && isFrame(el)) throw frameTarget(el);
  if (need.enabled) {
    const disabled = disabledControl(el) ?? composedClosest(el, "[aria-disabled=true i]");
    if (disabled) return { error: new PageError("target_disabled", `${labelOf(disabled)} is disabled`, { label: labelOf(el) }) };
  }
  if (need.reach === "attached") return { target: { el, hitTarget: el, point: null, scrolled: false } };
  if (need.reach === "box") {
    return isRendered(el) ? { target: { el, hitTarget: el, point: null, scrolled: false } } : { error: notActionable(el, measure(el).visibility) };
  }
  const hitTarget = hitTargetOf(el);
  const { visibility, point } = measure(hitTarget);
  const reached = point ?? (need.reach === "presence" ? visiblePoint(hitTarget, visibility) : null);
  if (reached) return { target: { el, hitTarget, point: reached, scrolled: false } };
  // What is clipped by its wrapper is off screen, too: scrolling comes first.
  const drawn = visibility.blockers.includes("off_screen") && scrolledTo !== hitTarget ? null : drawnControl(el);
  if (drawn) return { target: { el, ...drawn, scrolled: false } };
  const scrollable = visibility.blockers.includes("off_screen") || visibility.blockers.includes("covered");
  return { error: notActionable(el, visibility), ...(scrollable && { scroll: hitTarget }) };
}

// A checkbox of one pixel, or none, is drawn by its label: that is what a
// person clicks.
function hitTargetOf(el: Element): Element {
  const content = isRendered(el) ? undefined : boxWithin(el);
  if (content) return content;
  if (!isInput(el) || !["checkbox", "radio", "file"].includes(el.type)) return el;
  const { visibility } = measure(el);
  if (visibility.clickable || visibility.blockers.includes("off_screen")) return el;
  if (visibility.blockers.includes("covered") && isDrawn(el)) return el;
  return [...(el.labels ?? [])].find(isRendered) ?? el;
}

// An element without a box of its own is where its content is.
function boxWithin(el: Element): Element | undefined {
  for (const child of childrenOf(el).filter(isElement)) {
    const box = isRendered(child) ? child : boxWithin(child);
    if (box) return box;
  }
  return undefined;
}

// A keyboard target may be covered by its own decoration: a floating label, an
// icon, a custom select.
function visiblePoint(el: Element, v: Visibility): Point | null {
  const others = v.blockers.filter((blocker) => blocker !== "covered" && blocker !== "pointer_events_none");
  if (others.length > 0 || !v.visible_center) return null;
  const over = occluderAt(el, v.visible_center);
  if (over === null) return v.visible_center;
  if (over === "nothing") return null;
  const labelled = isHTML(el) && "labels" in el && [...((el as HTMLInputElement).labels ?? [])].some((label) => label.contains(over));
  const wrapper = el.parentElement;
  const within = wrapper !== null && wrapper !== el.ownerDocument.body && wrapper.contains(over);
  return labelled || within ? v.visible_center : null;
}

function notActionable(el: Element, v: Visibility): PageError {
  const label = labelOf(el);
  const evidence: Evidence = { label, blockers: v.blockers };
  if (v.blockers.includes("not_rendered")) return new PageError("target_not_visible", `${label} is not shown`, evidence);
  if (v.blockers.includes("covered") && v.occluded_by && !v.blockers.includes("inert")) {
    return new PageError("target_occluded", `${v.occluded_by.target_label} covers ${label}`, { label, occluded_by: v.occluded_by });
  }
  if (v.blockers.includes("off_screen")) return new PageError("target_not_visible", `${label} cannot be scrolled into view`, evidence);
  return new PageError("target_not_actionable", `${label} cannot be acted on: ${v.blockers.join(", ")}`, evidence);
}

/** Reports whether the element keeps its place; waits one frame only where a running animation may move it. */
export async function isAtRest(el: Element): Promise<boolean> {
  if (!mayMove(el)) return true;
  const before = el.getBoundingClientRect();
  await nextFrame();
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
