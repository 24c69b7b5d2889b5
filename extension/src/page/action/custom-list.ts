// Rule of this file: a list that the page draws is opened and clicked like anything
// else. Only what was seen to change is said to have changed.

import { isObject, number } from "../base/args";
import { PageError } from "../base/errors";
import { nameOf } from "../dom/aria";
import { ancestorsOf, composedClosest, isInput, localNameOf } from "../dom/dom";
import { labelOf } from "../dom/labels";
import { normalize, textOf } from "../dom/read-text";
import { isSecret } from "../dom/secrets";
import { measure } from "../dom/visibility";
import { scrollIntoView } from "../locator/scroll-into-view";
import type { Context } from "../wait/schedule";
import { until } from "../wait/until";
import type { Action, HeldTarget, Prepared } from "./action";
import { isAtRest } from "./actionable";
import { hasWords, isChosen, isMarked, textShown } from "./chosen";
import { click } from "./click";
import { beginList, isExpanded, isOpen, keepOptions, shownOptions } from "./list-options";
import { type Option, findOption, listed, requestedOptions } from "./options";
import { PressGuard } from "./press-guard";

const DEFAULT_TIMEOUT_MS = 5_000;

/** A list that a click opens begins to show within this time; else keys open it. */
const OPEN_TIMEOUT_MS = 600;

/** How long the page may take to show that the option is chosen. */
const CHOSEN_TIMEOUT_MS = 1_000;

const OPENERS = "[role=combobox], [aria-haspopup=listbox], [aria-haspopup=menu], [aria-haspopup=tree], [aria-haspopup=true], [aria-expanded], [aria-controls], [list]";

/** What the openers showed before their lists were opened. */
const textBefore = new WeakMap<Element, string | undefined>();

/** Returns how to choose in the list of the element, which is not a native select. */
export function customList(held: HeldTarget): Prepared {
  requestedOptions(held.args);
  const { el } = held;
  const open = beginList(el);
  if (!open && composedClosest(el, OPENERS) === null && !isInput(el)) {
    throw new PageError("target_not_actionable", `${labelOf(el)} is not a select, combobox or list`, { label: labelOf(el), tag_name: localNameOf(el) });
  }
  textBefore.set(el, textShown(el));
  return { way: "pointer", custom: true, open, expanded: isExpanded(el) };
}

const describe = (option: Element, index: number | undefined): Option => ({
  value: option.getAttribute("data-value") ?? option.getAttribute("value") ?? "",
  label: nameOf(option) || normalize(textOf(option)),
  index,
});

/** Returns the places of the options in their list; of one that draws a part and numbers none they are not known. */
function placesOf(options: Element[]): (number | undefined)[] {
  const numbered = options.map((option) => Number(option.getAttribute("aria-posinset")) - 1);
  if (numbered.every((place) => place >= 0) && new Set(numbered).size === options.length) return numbered;
  const partial = options.some((option) => Number(option.getAttribute("aria-setsize")) > options.length) || isSpaceAbove(options[0]);
  return options.map((_, index) => (partial ? undefined : index));
}

// A list that is scrolled has nothing but space in place of the options above.
function isSpaceAbove(first: Element | undefined): boolean {
  const scroller = [...ancestorsOf(first ?? null)].find((at) => at.scrollTop > 0);
  if (!first || !scroller || scroller.getRootNode() !== first.getRootNode()) return false;
  const above = first.ownerDocument.createRange();
  above.setStart(scroller, 0);
  above.setEndBefore(first);
  const box = first.getBoundingClientRect();
  return above.toString().trim() === "" && box.top - scroller.getBoundingClientRect().top + scroller.scrollTop > box.height;
}

interface Choice {
  option: Option;
  owner: Element;
  wasMarked: boolean;
  wasChosen: boolean;
}

/** An option of a list that the page draws: the target is the element that opened it. */
export const chooseOption: Action = {
  need: { reach: "attached", enabled: true },
  prepare: async (held, ctx) => {
    await targetOption(held, ctx);
    if ((held.before as Choice).wasChosen) return { way: "done" };
    held.guard = new PressGuard(held);
    return { way: "pointer", point: held.point };
  },
  perform: async (held, ctx) => {
    await targetOption(held, ctx);
    if (!(held.before as Choice).wasChosen) await click.perform(held, ctx);
  },
  readResult: async (held, ctx) => {
    if ((held.before as Choice).wasChosen) return { selected: [(held.before as Choice).option], changed: false, verified: true, unclicked: true };
    const result = held.guard?.result;
    if (result?.missed) return { missed: result.otherTarget ?? "" };
    held.guard?.requireSeen();
    const { option, owner, wasMarked } = held.before as Choice;
    const before = textBefore.get(owner);
    const marked = (): boolean => held.hitTarget.isConnected && isMarked(held.hitTarget);
    // What the opener shows as before counts only if it is the option and nothing else.
    const named = (): boolean => {
      const shown = textShown(owner);
      return option.label !== "" && shown !== undefined && (shown === option.label || (shown !== before && hasWords(shown, option.label)));
    };
    // A mark from before may be of where the keys are: it counts once the list is closed.
    const chosen = await until(() => (marked() && !wasMarked) || named(), Math.min(performance.now() + CHOSEN_TIMEOUT_MS, ctx.deadline), ctx);
    const applied = chosen || (marked() && !isOpen(owner));
    const text = textShown(owner);
    const changed = (held.hitTarget.isConnected && marked() !== wasMarked) || (text !== undefined && before !== undefined && text !== before);
    const sensitive = isSecret(owner);
    return { ...(!sensitive && { selected: [option] }), sensitive, changed: changed || (applied ? false : null), verified: applied ? true : null };
  },
};

/** Retargets from the element that opened the list to the option, when it can be clicked. */
async function targetOption(held: HeldTarget, ctx: Context): Promise<void> {
  const { by, each } = requestedOptions(held.args);
  const [want] = each;
  const owner = held.el;
  if (each.length !== 1 || want === undefined || isObject(want)) throw new PageError("invalid_input", "such a list takes one option per call", {}, "no");
  const options = (): { el: Element; option: Option }[] => {
    const shown = shownOptions(owner);
    const places = placesOf(shown);
    return shown.map((el, i) => ({ el, option: describe(el, places[i]) }));
  };
  const unplaced = (): boolean => by === "index" && options().some(({ option }) => option.index === undefined);
  const end = Math.min(performance.now() + number(held.args, "timeout_ms", DEFAULT_TIMEOUT_MS, 0, 30_000), ctx.deadline);
  await requireOpen(held, options, ctx);
  for (;;) {
    await until(() => unplaced() || findOption(options(), by, want) !== undefined, end, ctx);
    if (unplaced()) throw new PageError("invalid_input", `${labelOf(owner)} draws only a part of its options: name one by its label`, { label: labelOf(owner) });
    const found = findOption(options(), by, want);
    keepOptions(owner, shownOptions(owner));
    if (!found) throw new PageError("option_not_found", `${labelOf(owner)} shows no such option`, { label: labelOf(owner), ...listed(options().map(({ option }) => option)) });
    if (composedClosest(found.el, "[aria-disabled=true]")) throw new PageError("target_disabled", `${named(found.option, owner)} is disabled`, isSecret(owner) ? {} : { option: found.option });
    if (!measure(found.el).point) await scrollIntoView(found.el);
    const { point, visibility } = measure(found.el);
    if (point && (await isAtRest(found.el)) && found.el.isConnected) {
      held.hitTarget = found.el;
      held.point = measure(found.el).point ?? point;
      held.before = { option: found.option, owner, wasMarked: isMarked(found.el), wasChosen: isChosen(found.el, found.option.label, owner) } satisfies Choice;
      return;
    }
    if (performance.now() >= end) {
      throw new PageError("target_not_actionable", `${named(found.option, owner)} cannot be clicked`, { ...(!isSecret(owner) && { option: found.option }), blockers: visibility.blockers });
    }
    await until(() => measure(found.el).point !== null || !found.el.isConnected, Math.min(end, performance.now() + OPEN_TIMEOUT_MS), ctx);
  }
}

// What is chosen of a secret is one.
const named = (option: Option, owner: Element): string => (isSecret(owner) ? "the option" : `the option ${option.label}`);

// The host opens a list by keys that no click has opened.
async function requireOpen(held: HeldTarget, options: () => unknown[], ctx: Context): Promise<void> {
  if (held.args.opened_by_key === true) return;
  const begun = (): boolean => options().length > 0 || isExpanded(held.el);
  if (await until(begun, Math.min(performance.now() + OPEN_TIMEOUT_MS, ctx.deadline), ctx)) return;
  throw new PageError("option_not_found", `${labelOf(held.el)} shows no options`, { label: labelOf(held.el), reason: "closed", ...listed([]) });
}
