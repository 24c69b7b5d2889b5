// Rule of this file: a slider that the page draws is set as a person sets it: by its
// arrow keys, and where it takes none, or is far from the value, by a press on its
// track. Each key waits until the page shows a new value, and none goes to anything else.

import { PageError } from "../base/errors";
import { composedContains, deepActive, isHTML } from "../dom/dom";
import { focusOn } from "../dom/focus";
import { center } from "../dom/geometry";
import { deepElementAt } from "../dom/hit-test";
import { labelOf } from "../dom/labels";
import { toTop } from "../dom/viewport";
import { press } from "../input/keyboard";
import { makeChord } from "../input/keys";
import { pressAt } from "../input/pointer";
import { type Context, nextTask, throwIfCancelled } from "../wait/schedule";
import { until } from "../wait/until";

/** How long a page may take to show the value after a key. */
const KEY_TIMEOUT_MS = 150;

/** A value so many steps away is reached by the track first. */
const MAX_KEYS = 60;

/** A track is so much longer than its thumb. */
const TRACK_RATIO = 2;

/** Reports whether the element is a slider, or a stepper, that the page draws. */
export const isSlider = (el: Element | null): boolean => isHTML(el) && el.matches("[role=slider][aria-valuenow], [role=spinbutton][aria-valuenow]:not(input, [contenteditable])");

export const sliderValue = (el: Element): number => Number(el.getAttribute("aria-valuenow"));

/** Returns the number of the text; throws where the slider cannot take it. */
export function requireSliderValue(el: Element, text: string): number {
  const [min, max] = [limitOf(el, "aria-valuemin", -Infinity), limitOf(el, "aria-valuemax", Infinity)];
  const value = Number(text);
  if (text.trim() !== "" && value >= min && value <= max) return value;
  throw new PageError("target_not_editable", `${labelOf(el)} takes a number from ${min} to ${max}`, { label: labelOf(el), reason: "invalid_for_type", format: "a number within its limits" });
}

const limitOf = (el: Element, name: string, otherwise: number): number => (el.hasAttribute(name) ? Number(el.getAttribute(name)) : otherwise);

/** Moves the slider to the value, or as near as its steps allow. */
export async function setSlider(el: HTMLElement, wanted: number, ctx: Context): Promise<void> {
  focusOn(el);
  const first = await step(el, wanted, ctx);
  const distance = Math.abs(wanted - sliderValue(el));
  if (distance > 0 && (first === 0 || distance / first > MAX_KEYS)) await pressTrack(el, wanted);
  for (let left = Infinity; Math.abs(wanted - sliderValue(el)) < left; ) {
    left = Math.abs(wanted - sliderValue(el));
    if (left === 0 || performance.now() > ctx.deadline) return;
    throwIfCancelled(ctx);
    await step(el, wanted, ctx);
  }
}

// Presses the key towards the value; returns by how much it changed.
async function step(el: HTMLElement, wanted: number, ctx: Context): Promise<number> {
  const before = sliderValue(el);
  // A page may take the focus away from it, or never give it.
  if (before === wanted || !composedContains(el, deepActive())) return 0;
  press(makeChord(wanted > before ? "ArrowRight" : "ArrowLeft", []));
  await nextTask();
  await until(() => sliderValue(el) !== before, Math.min(performance.now() + KEY_TIMEOUT_MS, ctx.deadline), ctx);
  return Math.abs(sliderValue(el) - before);
}

async function pressTrack(el: HTMLElement, wanted: number): Promise<void> {
  const [min, max] = [limitOf(el, "aria-valuemin", 0), limitOf(el, "aria-valuemax", 100)];
  const share = (wanted - min) / (max - min || 1);
  const thumb = el.getBoundingClientRect();
  const vertical = el.getAttribute("aria-orientation") === "vertical";
  for (let track: Element | null = el; track && track !== el.ownerDocument.body; track = track.parentElement) {
    const box = track.getBoundingClientRect();
    if (vertical ? box.height < TRACK_RATIO * thumb.height : box.width < TRACK_RATIO * thumb.width) continue;
    const middle = center(thumb);
    const at = vertical ? { x: middle.x, y: box.bottom - share * box.height } : { x: box.left + share * box.width, y: middle.y };
    const point = center(toTop({ left: at.x, top: at.y, right: at.x, bottom: at.y }, el.ownerDocument));
    const hit = deepElementAt(point);
    if (hit && (track.contains(hit.element) || hit.element.contains(track))) pressAt({ ...hit, top: point }, "left", [], 1);
    await nextTask();
    return;
  }
}
