// Rule of this file: a checkbox that is already in the wanted state is left alone;
// any other gets one click, and its state afterwards decides.

import { flag } from "../base/args";
import { PageError } from "../base/errors";
import { composedClosest, isInput, localNameOf } from "../dom/dom";
import { queryAll } from "../dom/selectors";
import { labelOf } from "../dom/labels";
import { until } from "../wait/until";
import type { Action, HeldTarget } from "./action";
import { click } from "./click";
import { PressGuard } from "./press-guard";
import { redrawn } from "./redrawn";

/** How long a page may take to show the new state. */
const APPLY_TIMEOUT_MS = 1000;

const CHECKABLE_ROLES = "[role=checkbox], [role=switch], [role=radio], [role=menuitemcheckbox], [role=menuitemradio], [role=option], [role=treeitem], [aria-pressed], [aria-checked]";

/** The control that has the state: the element, the control of its label, or the switch around it. */
function controlOf(el: Element): Element | null {
  if (isCheckable(el)) return el;
  const labelled = composedClosest(el, "label") as HTMLLabelElement | null;
  if (labelled?.control && isCheckable(labelled.control)) return labelled.control;
  return composedClosest(el, CHECKABLE_ROLES);
}

const isCheckable = (el: Element): el is HTMLInputElement => isInput(el) && (el.type === "checkbox" || el.type === "radio");

// A native box that the page declares as a switch shows the page's state: a page that
// cancels the click on a label leaves the box itself behind it.
function stateOf(el: Element): boolean {
  if (isCheckable(el) && !el.matches("[role=switch][aria-checked]")) return el.checked && !el.indeterminate;
  const declared = el.getAttribute("aria-checked") ?? el.getAttribute("aria-pressed") ?? el.getAttribute("aria-selected");
  const native = declared === null ? nativeIn(el) : null;
  return native ? stateOf(native) : declared === "true";
}

// The one box in an element that only declares to be one.
function nativeIn(el: Element): HTMLInputElement | null {
  const [only, ...others] = queryAll(el, "input").filter(isCheckable);
  return only && others.length === 0 ? only : null;
}

interface Before {
  control: Element;
  wanted: boolean;
  checked: boolean;
}

/** Reports whether there is anything to do. */
function begin(held: HeldTarget): boolean {
  const control = controlOf(held.el);
  const label = labelOf(held.el);
  if (!control) {
    throw new PageError("target_not_actionable", `${label} is not a checkbox, radio button or switch`, { label, tag_name: localNameOf(held.el) });
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
  prepare: (held) => {
    if (!begin(held)) return { way: "done" };
    held.guard = new PressGuard(held);
    return { way: "pointer" };
  },
  perform: (held, ctx) => {
    if (begin(held)) void click.perform(held, ctx);
  },
  readResult: async (held, ctx) => {
    const { wanted, checked, control } = before(held);
    const result = held.guard?.result;
    if (result?.missed) return { missed: result.otherTarget ?? "" };
    // The page may have drawn the control again, or have done away with it.
    const shown = (): boolean | undefined => {
      const now = redrawn(held, control, controlOf);
      return now ? stateOf(now) : undefined;
    };
    const applied = await until(() => shown() === wanted, Math.min(performance.now() + APPLY_TIMEOUT_MS, ctx.deadline), ctx);
    const state = { checked_before: checked, checked_after: shown() ?? stateOf(control) };
    if (!applied) {
      held.guard?.requireSeen();
      if (shown() === undefined) return { ...state, changed: checked !== wanted, verified: null };
      throw new PageError("value_not_applied", `${labelOf(held.el)} stayed ${checked ? "checked" : "unchecked"}`, state, "yes");
    }
    return { ...state, changed: checked !== wanted, verified: true };
  },
};

const before = (held: HeldTarget): Before => held.before as Before;
