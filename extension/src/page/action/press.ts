// Rule of this file: keys go to what has the focus, so the target has it before
// the first key, and a target that cannot take it is refused.

import { requiredText, texts } from "../base/args";
import { PageError } from "../base/errors";
import { composedContains, deepActive, isHTML } from "../dom/dom";
import { editingHost } from "../dom/editable";
import { focusOn, isFocusable } from "../dom/focus";
import { labelOf } from "../dom/labels";
import { press as pressChord } from "../input/keyboard";
import { parseChord } from "../input/keys";
import { InputCounter } from "../input/prepared-keys";
import type { Action, HeldTarget } from "./action";

/** Focuses the target; an element inside of it that has the focus keeps it. */
export function focusForKeys(el: Element): void {
  const active = deepActive();
  if (active && composedContains(el, active)) {
    if (isHTML(active)) focusOn(active); // it may only look focused
    return;
  }
  const focusable = isFocusable(el) ? el : (editingHost(el) ?? firstFocusableIn(el));
  if (focusable) focusOn(focusable);
  const now = deepActive();
  if (now && (composedContains(el, now) || composedContains(now, el))) return;
  throw new PageError("target_not_focusable", `${labelOf(el)} does not take the focus`, { label: labelOf(el) });
}

// In a composite such as a grid or a wrapped field an inner element takes the focus.
function firstFocusableIn(el: Element): HTMLElement | undefined {
  return [...el.querySelectorAll("*")].find((inner): inner is HTMLElement => isHTML(inner) && isFocusable(inner) && inner.tabIndex >= 0);
}

interface Before {
  effect?: string;
  count: InputCounter;
}

function startCounting(held: HeldTarget): Before {
  const before: Before = { count: new InputCounter(held.hold) };
  held.before = before;
  held.end = () => before.count.end();
  return before;
}

export const press: Action = {
  need: { reach: "presence", enabled: true },
  prepare: (held) => {
    parseChord(requiredText(held.args, "key"), texts(held.args, "modifiers") ?? []);
    focusForKeys(held.el);
    startCounting(held);
    return { way: "keys" };
  },
  perform: (held) => {
    const chord = parseChord(requiredText(held.args, "key"), texts(held.args, "modifiers") ?? []);
    focusForKeys(held.el);
    const before = startCounting(held);
    before.effect = pressChord(chord);
  },
  readResult: (held) => {
    const { effect, count } = held.before as Before;
    held.end?.();
    const keys = count.events;
    if (held.hold !== undefined && keys === 0) {
      throw new PageError("outcome_unknown", `the document of ${labelOf(held.el)} saw nothing of the key`, { reason: "not_seen" }, "unknown");
    }
    return { pressed: true, verified: held.hold === undefined || keys > 0, ...(effect && { effect }) };
  },
};
