// Rule of this file: a click is verified by the events that the target itself
// got. What no click can do well is refused, with the primitive that can.

import type { Action, Held, Ready } from "./action";
import { type Args, text } from "./args";
import { composedContains, deepActive, isHTML, isInput, isSelect } from "./dom";
import { PageError } from "./errors";
import { Guard } from "./guard";
import { deepElementAt, occluderAt } from "./hit-test";
import { labelOf } from "./labels";
import { locateOne, locatorOf } from "./locate";
import { hoverAt, modifiersOf, pressAt } from "./pointer";

const LAST: Record<string, string> = { left: "click", middle: "auxclick", right: "contextmenu" };

const buttonOf = (args: Args): string => text(args, "button") ?? "left";

function refuse(held: Held): void {
  const { el } = held;
  const advice = isSelect(el) || el.localName === "option" ? "locator.select_option" : isInput(el) && el.type === "file" ? "locator.upload_file" : undefined;
  if (!advice || buttonOf(held.args) !== "left") return;
  const why = isInput(el) ? "the browser's own file window" : "a list of the browser's own";
  throw new PageError("target_not_actionable", `${labelOf(el)} opens ${why}, which takes no clicks: use ${advice}`, { label: labelOf(el), use: advice });
}

function armed(held: Held): Ready {
  held.guard = new Guard(held.surface);
  return { way: "pointer" };
}

function performClick(held: Held, clicks: number): void {
  const at = held.point && deepElementAt(held.point);
  if (!at || !held.point) return;
  const name = buttonOf(held.args);
  const clicked = pressAt({ ...at, top: held.point }, name, modifiersOf(held.args), clicks);
  const got = clicked !== null && (composedContains(held.surface, clicked) || composedContains(clicked, held.surface));
  held.events = got ? [clicks > 1 ? "dblclick" : (LAST[name] ?? "click")] : [];
}

function readClick(held: Held, last: string): Record<string, unknown> {
  const seen = held.guard?.seen;
  if (seen?.missed) return { missed: seen.elsewhere ?? "" };
  const events = seen?.events ?? held.events ?? [];
  const redrawn = last === "click" && completed(held, events);
  const active = deepActive();
  const focused = active !== null && (composedContains(active, held.el) || composedContains(held.el, active));
  return { verified: redrawn || verdict(held, events, last), events, focused, ...(redrawn && { redrawn }) };
}

// The page drew the target anew between press and release, and the browser found
// nothing to click on. Where the new one is the same, it gets the click that is
// still due.
function completed(held: Held, events: string[]): boolean {
  if (held.el.isConnected || !events.includes("mousedown") || events.includes("click")) return false;
  const again = successor(held);
  if (!isHTML(again) || !again.isEqualNode(held.el)) return false;
  again.click();
  return true;
}

function successor(held: Held): Element | undefined {
  try {
    return locateOne(locatorOf(held.args, "locator"));
  } catch (thrown) {
    // Nothing took its place.
    if (thrown instanceof PageError) return undefined;
    throw thrown;
  }
}

// Nothing seen: the page may keep all events to itself, or something else got
// them. A target that its own press replaced cannot be told either.
function verdict(held: Held, events: string[], last: string): boolean | null {
  if (events.includes(last)) return true;
  if (!held.el.isConnected) return null;
  if (events.length > 0) return false;
  return held.point && occluderAt(held.surface, held.point) === null ? null : false;
}

export const click: Action = {
  need: { reach: "pointer", enabled: true },
  ready: (held) => (refuse(held), armed(held)),
  perform: (held) => (refuse(held), performClick(held, 1)),
  read: (held) => ({ clicked: true, ...readClick(held, LAST[buttonOf(held.args)] ?? "click") }),
};

export const doubleClick: Action = {
  need: { reach: "pointer", enabled: true },
  ready: (held) => (refuse(held), armed(held)),
  perform: (held) => (refuse(held), performClick(held, 2)),
  read: (held) => ({ double_clicked: true, ...readClick(held, "dblclick") }),
};

export const hover: Action = {
  need: { reach: "pointer", enabled: false },
  ready: (held) => {
    held.guard = new Guard(held.surface, false);
    return { way: "pointer" };
  },
  perform: (held) => {
    const at = held.point && deepElementAt(held.point);
    if (at && held.point) hoverAt({ ...at, top: held.point });
  },
  // Synthetic events cannot make :hover match.
  read: (held) => ({ hovered: true, verified: held.guard ? held.surface.matches(":hover") || held.guard.seen.events.includes("pointermove") : null }),
};

export const scrollTo: Action = {
  need: { reach: "presence", enabled: false },
  ready: () => ({ way: "page" }),
  perform: () => {},
  read: (held) => ({ point: held.point, verified: true }),
};
