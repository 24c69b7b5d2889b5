// Rule of this file: keys go to what has the focus, so the target has it before
// the first key, and a target that cannot take it is refused.

import type { Action, Held } from "./action";
import { needText, texts } from "./args";
import { composedContains, deepActive, isHTML } from "./dom";
import { editingHost } from "./editable";
import { PageError } from "./errors";
import { focusOn, isFocusable } from "./focus";
import { press as pressChord } from "./keyboard";
import { parseChord } from "./keys";
import { labelOf } from "./labels";

/** Gives the target the focus; what is focused inside of it already keeps it. */
export function focusForKeys(el: Element): void {
  const active = deepActive();
  if (active && composedContains(el, active)) return;
  const taker = isFocusable(el) ? el : (editingHost(el) ?? firstInside(el));
  if (taker) focusOn(taker);
  const now = deepActive();
  if (now && (composedContains(el, now) || composedContains(now, el))) return;
  throw new PageError("target_not_focusable", `${labelOf(el)} does not take the focus`, { label: labelOf(el) });
}

// A composite such as a grid or a wrapped field gives the focus to its part.
function firstInside(el: Element): HTMLElement | undefined {
  return [...el.querySelectorAll("*")].find((inner): inner is HTMLElement => isHTML(inner) && isFocusable(inner) && inner.tabIndex >= 0);
}

interface Before {
  effect?: string;
  keys: number;
  stop: AbortController;
}

function watch(held: Held): Before {
  const before: Before = { keys: 0, stop: new AbortController() };
  const view = held.el.ownerDocument.defaultView ?? window;
  view.addEventListener("keydown", () => before.keys++, { capture: true, signal: before.stop.signal });
  held.before = before;
  return before;
}

export const press: Action = {
  need: { reach: "presence", enabled: true },
  ready: (held) => {
    parseChord(needText(held.args, "key"), texts(held.args, "modifiers") ?? []);
    focusForKeys(held.el);
    watch(held);
    return { way: "keys" };
  },
  perform: (held) => {
    const chord = parseChord(needText(held.args, "key"), texts(held.args, "modifiers") ?? []);
    focusForKeys(held.el);
    const before = watch(held);
    before.effect = pressChord(chord);
  },
  read: (held) => {
    const { effect, keys, stop } = held.before as Before;
    stop.abort();
    return { pressed: true, verified: keys > 0, ...(effect && { effect }) };
  },
};
