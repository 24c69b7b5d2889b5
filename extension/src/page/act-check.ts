// Rule of this file: a checkbox that is already as wanted is left alone; any
// other gets one click, and what it shows afterwards is what counts.

import { click } from "./act-click";
import type { Action, Held } from "./action";
import { flag } from "./args";
import { until } from "./changes";
import { composedClosest, isInput } from "./dom";
import { PageError } from "./errors";
import { Guard } from "./guard";
import { labelOf } from "./labels";

/** How long a page may take to show the new state. */
const APPLY_MS = 1000;

const SWITCHES = "[role=checkbox], [role=switch], [role=radio], [role=menuitemcheckbox], [role=menuitemradio], [role=option], [role=treeitem], [aria-pressed], [aria-checked]";

/** The control that shows the state: the element, what its label stands for, or the switch around it. */
function controlOf(el: Element): Element | null {
  if (isCheckable(el)) return el;
  const labelled = composedClosest(el, "label") as HTMLLabelElement | null;
  if (labelled?.control && isCheckable(labelled.control)) return labelled.control;
  return composedClosest(el, SWITCHES);
}

const isCheckable = (el: Element): el is HTMLInputElement => isInput(el) && (el.type === "checkbox" || el.type === "radio");

function stateOf(el: Element): boolean {
  if (isCheckable(el)) return el.checked && !el.indeterminate;
  return (el.getAttribute("aria-checked") ?? el.getAttribute("aria-pressed") ?? el.getAttribute("aria-selected")) === "true";
}

interface Before {
  control: Element;
  wanted: boolean;
  checked: boolean;
}

/** Tells whether there is anything to do. */
function begin(held: Held): boolean {
  const control = controlOf(held.el);
  const label = labelOf(held.el);
  if (!control) {
    throw new PageError("target_not_actionable", `${label} is no checkbox, radio button or switch`, { label, tag_name: held.el.localName });
  }
  const wanted = flag(held.args, "checked", true);
  const checked = stateOf(control);
  const radio = isCheckable(control) ? control.type === "radio" : control.getAttribute("role") === "radio";
  if (radio && !wanted && checked) {
    throw new PageError("invalid_input", `${label} is a radio button: check another of its group instead`, { label, checked });
  }
  held.before = { control, wanted, checked } satisfies Before;
  return checked !== wanted;
}

export const check: Action = {
  need: click.need,
  ready: (held) => {
    if (!begin(held)) return { way: "done" };
    held.guard = new Guard(held.surface);
    return { way: "pointer" };
  },
  perform: (held, ctx) => {
    if (begin(held)) void click.perform(held, ctx);
  },
  read: async (held, ctx) => {
    const { wanted, checked, control } = before(held);
    const seen = held.guard?.seen;
    if (seen?.missed) return { missed: seen.elsewhere ?? "" };
    // The page may have drawn the control anew.
    const now = (): boolean => stateOf(control.isConnected ? control : (sameAgain(control) ?? control));
    const applied = await until(() => now() === wanted, Math.min(performance.now() + APPLY_MS, ctx.deadline), ctx);
    const state = { checked_before: checked, checked_after: now() };
    if (!applied) {
      throw new PageError("value_not_applied", `${labelOf(held.el)} stayed ${checked ? "checked" : "unchecked"}`, state, "yes");
    }
    return { ...state, changed: checked !== wanted, verified: true };
  },
};

const before = (held: Held): Before => held.before as Before;

function sameAgain(el: Element): Element | null {
  return el.id ? el.ownerDocument.getElementById(el.id) : null;
}

