// Rule of this file: a list that the page draws is opened and clicked like anything
// else. Its options are those of the list that the opener controls, else what is shown
// since it was opened; some pages keep the named options apart from the drawn rows.

import { isObject, number } from "../base/args";
import { PageError } from "../base/errors";
import { nameOf } from "../dom/aria";
import { composedClosest, composedContains, isInput, styleOf } from "../dom/dom";
import { labelOf } from "../dom/labels";
import { normalize, textOf } from "../dom/read-text";
import { queryAll } from "../dom/selectors";
import { isRendered, isShown, measure } from "../dom/visibility";
import { scrollIntoView } from "../locator/scroll-into-view";
import type { Context } from "../wait/schedule";
import { until } from "../wait/until";
import type { Action, HeldTarget, Prepared } from "./action";
import { isAtRest } from "./actionable";
import { click } from "./click";
import { type Option, findOption, listed, requestedOptions } from "./options";
import { PressGuard } from "./press-guard";

const DEFAULT_TIMEOUT_MS = 5_000;

/** A list that a click opens begins to show within this time; else keys open it. */
const OPEN_TIMEOUT_MS = 600;

/** How long the page may take to show that the option is chosen. */
const CHOSEN_TIMEOUT_MS = 1_000;

const OPTIONS = ":is([role=option], [role=menuitem], [role=menuitemradio], [role=treeitem], option)";
const OPENERS = "[role=combobox], [aria-haspopup=listbox], [aria-haspopup=menu], [aria-haspopup=true], [aria-expanded], [aria-controls], [list]";

/** The options that were shown before the list was opened: they are of other lists. */
const shownBefore = new WeakMap<Element, Set<Element>>();

/** Returns how to choose in the list of the element, which is not a native select. */
export function customList(held: HeldTarget): Prepared {
  requestedOptions(held.args);
  const { el } = held;
  shownBefore.delete(el);
  const shown = shownOptions(el);
  const open = el.getAttribute("role") === "listbox" || (shown.length > 0 && !isCollapsed(el));
  if (!open && composedClosest(el, OPENERS) === null && !isInput(el)) {
    throw new PageError("target_not_actionable", `${labelOf(el)} is not a select, combobox or list`, { label: labelOf(el), tag_name: el.localName });
  }
  if (!open) shownBefore.set(el, new Set(shown));
  return { way: "pointer", custom: true, open };
}

function aroundOrIn(el: Element, selector: string): Element | null {
  return composedClosest(el, selector) ?? el.querySelector(selector);
}

const isCollapsed = (el: Element): boolean => aroundOrIn(el, "[aria-expanded]")?.getAttribute("aria-expanded") === "false";

// The options of the list that the element is or controls; else all that are shown,
// but for those that were shown before.
function shownOptions(el: Element): Element[] {
  const opener = aroundOrIn(el, "[aria-controls], [aria-owns]");
  const ids = [opener?.getAttribute("aria-controls"), opener?.getAttribute("aria-owns")].join(" ").split(/\s+/).filter(Boolean);
  const root = (opener ?? el).getRootNode() as Document | ShadowRoot;
  const lists = el.getAttribute("role") === "listbox" ? [el] : ids.map((id) => root.getElementById(id)).filter((list) => list !== null);
  const inside = lists.flatMap((list) => queryAll(list, OPTIONS));
  if (inside.length === 0) return queryAll(el.ownerDocument, OPTIONS).filter((option) => isDrawn(option) && !shownBefore.get(el)?.has(option));
  const drawn = inside.filter(isDrawn);
  return drawn.length > 0 ? drawn : lists.flatMap((list) => rowsBeside(list, el));
}

const isDrawn = (el: Element): boolean => isRendered(el) && isShown(el);

// The rows that the page draws beside a list that only screen readers find: they say
// that they can be selected, or show a hand.
function rowsBeside(list: Element, owner: Element): Element[] {
  for (let around = list.parentElement; around && around !== around.ownerDocument.body && !composedContains(around, owner); around = around.parentElement) {
    const drawn = queryAll(around, "*").filter(isDrawn);
    const rows = drawn.filter((el) => el.matches("[aria-selected]:not([role=option])"));
    if (rows.length > 0) return rows;
    const pressable = drawn.filter((el) => showsHand(el) && !(el.parentElement && showsHand(el.parentElement)));
    if (pressable.length > 0) return pressable;
  }
  return [];
}

const showsHand = (el: Element): boolean => styleOf(el).cursor === "pointer";

const describe = (option: Element, index: number): Option => ({
  value: option.getAttribute("data-value") ?? option.getAttribute("value") ?? "",
  label: nameOf(option) || normalize(textOf(option)),
  index,
});

interface Choice {
  option: Option;
  owner: Element;
}

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
    const { option, owner } = held.before as Choice;
    const shows = (): boolean => {
      if (["aria-selected", "aria-checked"].some((name) => held.hitTarget.isConnected && held.hitTarget.getAttribute(name) === "true")) return true;
      const text = isInput(owner) ? owner.value : textOf(owner);
      return normalize(text).includes(option.label);
    };
    const applied = await until(shows, Math.min(performance.now() + CHOSEN_TIMEOUT_MS, ctx.deadline), ctx);
    return { selected: [option], changed: true, verified: applied ? true : null };
  },
};

/** Retargets from the element that opened the list to the option, when it can be clicked. */
async function targetOption(held: HeldTarget, ctx: Context): Promise<void> {
  const { by, each } = requestedOptions(held.args);
  const [want] = each;
  const owner = held.el;
  if (each.length !== 1 || want === undefined || isObject(want)) throw new PageError("invalid_input", "such a list takes one option per call", {}, "no");
  const options = (): { el: Element; option: Option }[] => shownOptions(owner).map((el, index) => ({ el, option: describe(el, index) }));
  const end = Math.min(performance.now() + number(held.args, "timeout_ms", DEFAULT_TIMEOUT_MS, 0, 30_000), ctx.deadline);
  await requireOpen(held, options, ctx);
  for (;;) {
    await until(() => findOption(options(), by, want) !== undefined, end, ctx);
    const found = findOption(options(), by, want);
    if (!found) throw new PageError("option_not_found", `${labelOf(owner)} shows no such option`, { label: labelOf(owner), ...listed(options().map(({ option }) => option)) });
    if (composedClosest(found.el, "[aria-disabled=true]")) throw new PageError("target_disabled", `the option ${found.option.label} is disabled`, { option: found.option });
    if (!measure(found.el).point) await scrollIntoView(found.el);
    const { point, visibility } = measure(found.el);
    if (point && (await isAtRest(found.el)) && found.el.isConnected) {
      held.hitTarget = found.el;
      held.point = measure(found.el).point ?? point;
      held.before = { option: found.option, owner } satisfies Choice;
      return;
    }
    if (performance.now() >= end) {
      throw new PageError("target_not_actionable", `the option ${found.option.label} cannot be clicked`, { option: found.option, blockers: visibility.blockers });
    }
    await until(() => measure(found.el).point !== null || !found.el.isConnected, Math.min(end, performance.now() + OPEN_TIMEOUT_MS), ctx);
  }
}

// The host opens a list by keys that no click has opened.
async function requireOpen(held: HeldTarget, options: () => unknown[], ctx: Context): Promise<void> {
  if (held.args.opened_by_key === true) return;
  const begun = (): boolean => options().length > 0 || aroundOrIn(held.el, "[aria-expanded=true]") !== null;
  if (await until(begun, Math.min(performance.now() + OPEN_TIMEOUT_MS, ctx.deadline), ctx)) return;
  throw new PageError("option_not_found", `${labelOf(held.el)} shows no options`, { label: labelOf(held.el), reason: "closed", ...listed([]) });
}
