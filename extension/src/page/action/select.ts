// Rule of this file: a native select, which the browser draws outside of the page, is
// set by a script and read back. In place of a hidden one, which knows not all options,
// what is drawn beside it is opened.

import { PageError } from "../base/errors";
import { isInput, isSelect } from "../dom/dom";
import { focusOn } from "../dom/focus";
import { openersBeside } from "../dom/hidden-select";
import { labelOf } from "../dom/labels";
import { normalize } from "../dom/read-text";
import { isSecret } from "../dom/secrets";
import { disabledControl } from "../dom/visibility";
import { type Context, nextTask } from "../wait/schedule";
import { until } from "../wait/until";
import type { Action, HeldTarget, Prepared } from "./action";
import { customList } from "./custom-list";
import { redrawn } from "./redrawn";
import { type Option, type Requested, findOption, listed, requestedOptions } from "./options";

/** How long the page may take to show the option, and to show that it is chosen. */
const OPTION_TIMEOUT_MS = 1000;

const describe = (option: HTMLOptionElement): Option => ({ value: option.value, label: normalize(option.label), index: option.index });

function find(select: HTMLSelectElement, { by, each }: Requested): HTMLOptionElement[] | undefined {
  const options = [...select.options].map((el) => ({ el, option: describe(el) }));
  const found = each.map((want) => findOption(options, by, want)?.el);
  return found.every((option): option is HTMLOptionElement => option !== undefined) ? found : undefined;
}

async function choose(held: HeldTarget, select: HTMLSelectElement, ctx: Context): Promise<void> {
  const wanted = requestedOptions(held.args);
  const label = labelOf(select);
  if (wanted.each.length !== 1 && !select.multiple) throw new PageError("invalid_input", `${label} takes exactly one option`, { label });
  await until(() => find(select, wanted) !== undefined, Math.min(performance.now() + OPTION_TIMEOUT_MS, ctx.deadline), ctx);
  const options = find(select, wanted);
  if (!options) throw new PageError("option_not_found", `${label} has no such option`, { label, ...listed([...select.options].map(describe)) });
  const disabled = options.find((option) => option.disabled || (option.parentElement?.localName === "optgroup" && disabledControl(option.parentElement)));
  if (disabled) throw new PageError("target_disabled", isSecret(select) ? "the option is disabled" : `the option ${describe(disabled).label} is disabled`, { label, ...(!isSecret(select) && { option: describe(disabled) }) });
  const changed = [...select.options].some((option) => option.selected !== options.includes(option));
  held.before = { options: options.map(describe), changed } satisfies Chosen;
  if (!changed) return;
  focusOn(select);
  if (select.multiple) for (const option of select.options) option.selected = options.includes(option);
  else select.selectedIndex = options[0]?.index ?? -1;
  select.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  select.dispatchEvent(new Event("change", { bubbles: true }));
  await nextTask();
}

interface Chosen {
  options: Option[];
  changed: boolean;
}

// The page may have drawn the select again.
function selectOf(held: HeldTarget): HTMLSelectElement | null {
  const el = redrawn(held, held.el, (target) => target);
  return isSelect(el) ? el : null;
}

// Of options with one value the label says which is meant.
function shows(select: HTMLSelectElement | null, wanted: Option[]): boolean {
  const chosen = [...(select?.selectedOptions ?? [])].map(describe);
  return chosen.length === wanted.length && wanted.every(({ value, label }) => {
    const alike = [...(select?.options ?? [])].filter((option) => option.value === value).length > 1;
    return chosen.some((option) => option.value === value && (!alike || option.label === label));
  });
}

function inPlaceOf(el: Element): Element {
  const openers = isSelect(el) || isInput(el) ? openersBeside(el) : [];
  if (openers.length <= 1) return openers[0] ?? el;
  throw new PageError("target_not_actionable", `${labelOf(el)} is hidden, and several elements beside it open lists: name the one that is drawn for it`, { label: labelOf(el), openers: openers.map(labelOf) });
}

// A list that the page draws; undefined for a native select.
const customListOf = (held: HeldTarget): Prepared | undefined => (isSelect(held.el) ? undefined : customList(held));

/** A native select, or an element that opens a list of the page's own. */
export const select: Action = {
  need: { reach: "presence", enabled: true, inPlaceOf },
  prepare: (held) => customListOf(held) ?? { way: "page" },
  realInput: customListOf,
  perform: async (held, ctx) => {
    if (isSelect(held.el)) await choose(held, held.el, ctx);
  },
  readResult: async (held, ctx) => {
    const { options, changed } = held.before as Chosen;
    const selected = (): Option[] => [...(selectOf(held)?.selectedOptions ?? [])].map(describe);
    const applied = await until(() => shows(selectOf(held), options), Math.min(performance.now() + OPTION_TIMEOUT_MS, ctx.deadline), ctx);
    const sensitive = isSecret(held.el);
    if (!applied && !selectOf(held)) return { changed, verified: null, sensitive };
    if (!applied) throw new PageError("value_not_applied", `${labelOf(held.el)} shows another choice`, { label: labelOf(held.el), ...(!sensitive && { selected: selected() }) }, "yes");
    return { ...(!sensitive && { selected: selected() }), changed, verified: true, sensitive };
  },
};
