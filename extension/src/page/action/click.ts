// Rule of this file: a click is verified by the events that the target itself
// got. Controls that a click cannot operate are refused, with the primitive that can.

import { type Args, text } from "../base/args";
import { PageError } from "../base/errors";
import { composedContains, deepActive, isHTML, isInput, isSelect } from "../dom/dom";
import { deepElementAt, occluderAt } from "../dom/hit-test";
import { labelOf } from "../dom/labels";
import { takesHit } from "../dom/nested-items";
import { hoverAt, modifiersOf, pressAt } from "../input/pointer";
import type { Action, HeldTarget, Prepared } from "./action";
import { PressGuard } from "./press-guard";
import { Place, relocated } from "./redrawn";

const FINAL_EVENT: Record<string, string> = { left: "click", middle: "auxclick", right: "contextmenu" };

const buttonOf = (args: Args): string => text(args, "button") ?? "left";

function rejectNativeControl(held: HeldTarget): void {
  const { el } = held;
  const advice = isSelect(el) || el.localName === "option" ? "locator.select_option" : isInput(el) && el.type === "file" ? "locator.upload_file" : undefined;
  if (!advice || buttonOf(held.args) !== "left") return;
  const why = isInput(el) ? "the browser's own file window" : "a list of the browser's own";
  throw new PageError("target_not_actionable", `${labelOf(el)} opens ${why}, which takes no clicks: use ${advice}`, { label: labelOf(el), use: advice });
}

function armGuard(held: HeldTarget): Prepared {
  held.guard = new PressGuard(held);
  held.place = new Place(held.el);
  return { way: "pointer" };
}

function performClick(held: HeldTarget, clicks: number): void {
  const at = held.point && deepElementAt(held.point);
  if (!at || !held.point) return;
  const name = buttonOf(held.args);
  const clicked = pressAt({ ...at, top: held.point }, name, modifiersOf(held.args), clicks);
  const hit = clicked !== null && (takesHit(held.hitTarget, clicked) || composedContains(clicked, held.hitTarget));
  held.events = hit ? [clicks > 1 ? "dblclick" : (FINAL_EVENT[name] ?? "click")] : [];
}

function readClick(held: HeldTarget, finalEvent: string): Record<string, unknown> {
  const press = held.guard?.result;
  if (press?.missed) return { missed: press.otherTarget ?? "" };
  held.guard?.requireSeen();
  const events = press?.events ?? held.events ?? [];
  const redrawn = finalEvent === "click" && completeClick(held, events);
  const active = deepActive();
  const focused = active !== null && (composedContains(active, held.el) || composedContains(held.el, active));
  return { verified: redrawn || isVerified(held, events, finalEvent), events, focused, ...(redrawn && { redrawn }) };
}

// The page rendered the target again between press and release, and the browser
// found nothing to click on. Where an equal element stands in its place, and the locator
// names that one, it gets the missing click.
function completeClick(held: HeldTarget, events: string[]): boolean {
  if (held.el.isConnected || !events.includes("mousedown") || events.includes("click")) return false;
  const replacement = held.place?.now();
  if (!isHTML(replacement) || replacement !== relocated(held)) return false;
  replacement.click();
  return true;
}

// No events seen: the page may stop their propagation, or something else got them.
// The outcome for a target that its own press replaced or covered is unknown, too.
function isVerified(held: HeldTarget, events: string[], finalEvent: string): boolean | null {
  if (events.includes(finalEvent)) return true;
  if (!held.el.isConnected) return null;
  const covered = !held.point || occluderAt(held.hitTarget, held.point) !== null;
  if (events.length > 0) return covered || held.guard?.result.otherTarget !== undefined ? null : false;
  return covered ? false : null;
}

// The check comes again before the click: a control may have become a native one meanwhile.
const clicks = (count: 1 | 2): Pick<Action, "need" | "prepare" | "perform"> => ({
  need: { reach: "pointer", enabled: true },
  prepare: (held) => {
    rejectNativeControl(held);
    return armGuard(held);
  },
  perform: (held) => {
    rejectNativeControl(held);
    return performClick(held, count);
  },
});

export const click: Action = {
  ...clicks(1),
  readResult: (held) => ({ clicked: true, ...readClick(held, FINAL_EVENT[buttonOf(held.args)] ?? "click") }),
};

export const doubleClick: Action = {
  ...clicks(2),
  readResult: (held) => ({ double_clicked: true, ...readClick(held, "dblclick") }),
};

export const hover: Action = {
  need: { reach: "pointer", enabled: false },
  prepare: (held) => {
    held.guard = new PressGuard(held, false);
    return { way: "pointer" };
  },
  perform: (held) => {
    const at = held.point && deepElementAt(held.point);
    if (at && held.point) hoverAt({ ...at, top: held.point });
  },
  // Synthetic events cannot make :hover match.
  readResult: (held) => ({ hovered: true, verified: held.guard ? held.hitTarget.matches(":hover") || held.guard.result.events.includes("pointermove") : null }),
};

export const scrollTo: Action = {
  need: { reach: "presence", enabled: false },
  prepare: () => ({ way: "page" }),
  perform: () => {},
  readResult: (held) => ({ point: held.point, verified: true }),
};
