// Rule of this file: options are named by what a person reads or by the value
// that is sent, exactly. A native select is set and read back; a list that the
// page draws itself is opened and clicked like anything else.

import { type Args, isObject } from "../base/args";
import { type Evidence, PageError } from "../base/errors";
import { nameOf } from "../dom/aria";
import { composedClosest, isInput, isSelect } from "../dom/dom";
import { focusOn } from "../dom/focus";
import { labelOf } from "../dom/labels";
import { truncate, normalize, textOf } from "../dom/read-text";
import { queryAll } from "../dom/selectors";
import { disabledControl, isRendered, isShown, measure } from "../dom/visibility";
import { scrollIntoView } from "../locator/scroll-into-view";
import { type Context, nextTask } from "../wait/schedule";
import { until } from "../wait/until";
import type { Action, HeldTarget, Prepared } from "./action";
import { click } from "./click";
import { PressGuard } from "./press-guard";

const MAX_OPTIONS = 20;

/** How long the page may take to show the option, and to show that it is chosen. */
const OPTION_TIMEOUT_MS = 1000;

type By = "value" | "label" | "index";

interface Requested {
  by: By;
  each: (string | number)[];
}

function requestedOptions(args: Args): Requested {
  const given = (["value", "label", "index"] as const).filter((by) => args[by] !== undefined);
  const [by] = given;
  if (!by || given.length > 1) throw new PageError("invalid_input", "name the options by exactly one of value, label and index", { given });
  return { by, each: [args[by]].flat() as (string | number)[] };
}

interface Option {
  value: string;
  label: string;
  index: number;
}

const describe = (option: HTMLOptionElement): Option => ({ value: option.value, label: normalize(option.label), index: option.index });

function matches(option: Option, by: By, want: string | number): boolean {
  return by === "index" ? option.index === want : by === "value" ? option.value === want : option.label === normalize(String(want));
}

function find(select: HTMLSelectElement, { by, each }: Requested): HTMLOptionElement[] | undefined {
  const found = each.map((want) => [...select.options].find((option) => matches(describe(option), by, want)));
  return found.every((option): option is HTMLOptionElement => option !== undefined) ? found : undefined;
}

const listed = (options: Option[]): Evidence => ({
  options: options.slice(0, MAX_OPTIONS).map((option) => ({ ...option, label: truncate(option.label, 80) })),
  option_count: options.length,
});

async function choose(held: HeldTarget, select: HTMLSelectElement, ctx: Context): Promise<void> {
  const wanted = requestedOptions(held.args);
  const label = labelOf(select);
  if (wanted.each.length !== 1 && !select.multiple) throw new PageError("invalid_input", `${label} takes exactly one option`, { label });
  await until(() => find(select, wanted) !== undefined, Math.min(performance.now() + OPTION_TIMEOUT_MS, ctx.deadline), ctx);
  const options = find(select, wanted);
  if (!options) throw new PageError("option_not_found", `${label} has no such option`, { label, ...listed([...select.options].map(describe)) });
  const disabled = options.find((option) => option.disabled || (option.parentElement?.localName === "optgroup" && disabledControl(option.parentElement)));
  if (disabled) throw new PageError("target_disabled", `the option ${describe(disabled).label} is disabled`, { label, option: describe(disabled) });
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

// The page may have rendered the select again.
function selectOf(held: HeldTarget): HTMLSelectElement | null {
  const el = held.el.isConnected || !held.el.id ? held.el : held.el.ownerDocument.getElementById(held.el.id);
  return isSelect(el) ? el : null;
}

// The list that the page draws; undefined for a native select.
function customList(held: HeldTarget): Prepared | undefined {
  requestedOptions(held.args);
  if (isSelect(held.el)) return undefined;
  const list = held.el.getAttribute("role") === "listbox" || shownOptions(held.el).length > 0;
  if (!list && !opensList(held.el)) {
    throw new PageError("target_not_actionable", `${labelOf(held.el)} is not a select, combobox or list`, { label: labelOf(held.el), tag_name: held.el.localName });
  }
  return { way: "pointer", custom: true, open: list };
}

/** A native select, or an element that opens a list of the page's own. */
export const select: Action = {
  need: { reach: "presence", enabled: true },
  prepare: (held) => customList(held) ?? { way: "page" },
  realInput: customList,
  perform: async (held, ctx) => {
    if (isSelect(held.el)) await choose(held, held.el, ctx);
  },
  readResult: async (held, ctx) => {
    const { options, changed } = held.before as Chosen;
    const selected = (): Option[] => [...(selectOf(held)?.selectedOptions ?? [])].map(describe);
    const same = (): boolean => selected().map((o) => o.value).join("\n") === options.map((o) => o.value).sort(byIndex(options)).join("\n");
    const applied = await until(same, Math.min(performance.now() + OPTION_TIMEOUT_MS, ctx.deadline), ctx);
    if (!applied) throw new PageError("value_not_applied", `${labelOf(held.el)} shows another choice`, { label: labelOf(held.el), selected: selected() }, "yes");
    return { selected: selected(), changed, verified: true };
  },
};

// selectedOptions come in the order of the list.
const byIndex = (options: Option[]) => (a: string, b: string) =>
  (options.find((o) => o.value === a)?.index ?? 0) - (options.find((o) => o.value === b)?.index ?? 0);

function opensList(el: Element): boolean {
  return composedClosest(el, "[role=combobox], [aria-haspopup=listbox], [aria-haspopup=menu], [aria-haspopup=true], [aria-expanded], [aria-controls], [list]") !== null || isInput(el);
}

// The options of the list that the element is or controls; else all that are
// shown, which are those of the list just opened.
function shownOptions(el: Element): Element[] {
  const around = composedClosest(el, "[aria-controls], [aria-owns]") ?? el.querySelector("[aria-controls], [aria-owns]");
  const ids = [around?.getAttribute("aria-controls"), around?.getAttribute("aria-owns")].join(" ").split(/\s+/).filter(Boolean);
  const lists = ids.map((id) => el.ownerDocument.getElementById(id)).filter((list) => list !== null);
  const scope = el.getAttribute("role") === "listbox" ? [el] : lists;
  const inside = scope.flatMap((list) => queryAll(list, "[role=option], [role=menuitem], [role=menuitemradio], option"));
  const found = inside.length > 0 ? inside : queryAll(el.ownerDocument, "[role=option]");
  return found.filter((option) => isRendered(option) && isShown(option));
}

const describeCustom = (option: Element, index: number): Option => ({
  value: option.getAttribute("data-value") ?? option.getAttribute("value") ?? "",
  label: nameOf(option) || normalize(textOf(option)),
  index,
});

/** An option of a list that the page draws: the target is the element that opened it. */
export const chooseOption: Action = {
  need: { reach: "attached", enabled: true },
  prepare: async (held, ctx) => {
    await targetOption(held, ctx);
    held.guard = new PressGuard(held);
    return { way: "pointer", point: held.point };
  },
  perform: async (held, ctx) => {
    await targetOption(held, ctx);
    await click.perform(held, ctx);
  },
  readResult: async (held, ctx) => {
    const result = held.guard?.result;
    if (result?.missed) return { missed: result.otherTarget ?? "" };
    held.guard?.requireSeen();
    const { option, owner } = held.before as CustomChoice;
    const shows = (): boolean => {
      if (["aria-selected", "aria-checked"].some((name) => held.hitTarget.isConnected && held.hitTarget.getAttribute(name) === "true")) return true;
      const text = isInput(owner) ? owner.value : textOf(owner);
      return normalize(text).includes(option.label);
    };
    const applied = await until(shows, Math.min(performance.now() + OPTION_TIMEOUT_MS, ctx.deadline), ctx);
    return { selected: [option], changed: true, verified: applied ? true : null };
  },
};

interface CustomChoice {
  option: Option;
  owner: Element;
}

/** Retargets from the element that opened the list to the option. */
async function targetOption(held: HeldTarget, ctx: Context): Promise<void> {
  const { by, each } = requestedOptions(held.args);
  const [want] = each;
  const owner = held.el;
  if (each.length !== 1 || want === undefined || isObject(want)) throw new PageError("invalid_input", "such a list takes one option per call", {}, "no");
  const options = (): { el: Element; option: Option }[] => shownOptions(owner).map((el, index) => ({ el, option: describeCustom(el, index) }));
  const chosen = (): { el: Element; option: Option } | undefined => options().find(({ option }) => matches(option, by, want));
  await until(() => chosen() !== undefined, Math.min(performance.now() + OPTION_TIMEOUT_MS, ctx.deadline), ctx);
  const found = chosen();
  if (!found) throw new PageError("option_not_found", `${labelOf(owner)} shows no such option`, { label: labelOf(owner), ...listed(options().map(({ option }) => option)) });
  if (composedClosest(found.el, "[aria-disabled=true]")) throw new PageError("target_disabled", `the option ${found.option.label} is disabled`, { option: found.option });
  if (!measure(found.el).point) await scrollIntoView(found.el);
  const { point, visibility } = measure(found.el);
  if (!point) throw new PageError("target_not_actionable", `the option ${found.option.label} cannot be clicked`, { option: found.option, blockers: visibility.blockers });
  held.hitTarget = found.el;
  held.point = point;
  held.before = { option: found.option, owner } satisfies CustomChoice;
}
