// Rule of this file: an option that its list says is chosen is not clicked, as the page may
// take it back. Some pages mark where the keys are in the same way: alone, such a mark
// counts only if nothing else of the opener speaks against it.

import { ancestorsOf, composedClosest, composedContains, deepActive, isElement, isInput } from "../dom/dom";
import { normalize, visibleTextOf } from "../dom/read-text";
import { isSecret } from "../dom/secrets";
import { queryAll } from "../dom/selectors";
import { until } from "../wait/until";
import type { Action } from "./action";
import { isDrawn } from "./control";
import { LISTS, holdsOptions, isExpanded, isOpen, shownOptions } from "./list-options";

/** A list that is told to close is gone within this time. */
const CLOSE_TIMEOUT_MS = 700;

/** Higher than this, what is around an opener is more than its control. */
const MAX_CONTROL_HEIGHT = 100;

const FIELDS = ":is(input, select, textarea, button[aria-haspopup], [role=combobox])";

/** Reports whether the list marks the option. */
export const isMarked = (option: Element): boolean => ["aria-selected", "aria-checked"].some((name) => option.getAttribute(name) === "true");

/** Reports whether the list says that the option is chosen. */
export function isChosen(option: Element, label: string, opener: Element): boolean {
  if (!isMarked(option)) return false;
  const list = composedClosest(option, LISTS);
  if (option.getAttribute("aria-checked") === "true" || list?.getAttribute("aria-multiselectable") === "true") return true;
  if (list && composedContains(list, opener)) return true;
  if (shownOptions(opener).filter(isMarked).length > 1) return true;
  const shown = textOfControl(opener);
  return shown === "" ? !hasKeys(option, opener) : label !== "" && hasWords(shown, label);
}

/** Reports whether the text has the words, and not only as the beginning or end of other ones. */
export function hasWords(text: string, words: string): boolean {
  const inWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}-]/u.test(character);
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (!inWord(text[at - 1]) && !inWord(text[at + words.length])) return true;
  }
  return false;
}

/** Returns what an element shows as chosen, which its open list is no part of. */
export function textShown(el: Element): string | undefined {
  if (isSecret(el)) return undefined;
  if (isInput(el)) return normalize(el.value);
  return holdsOptions(el) ? undefined : visibleTextOf(el);
}

// What is chosen may be drawn beside the opener: in the same control, which has no other field.
function textOfControl(opener: Element): string {
  const isOther = (field: Element): boolean => !composedContains(opener, field) && !composedContains(field, opener) && isDrawn(field);
  let shown = textShown(opener) ?? "";
  for (const around of ancestorsOf(opener)) {
    if (around.getBoundingClientRect().height > MAX_CONTROL_HEIGHT || holdsOptions(around) || queryAll(around, FIELDS).some(isOther)) break;
    shown += ` ${visibleTextOf(around)}`;
  }
  return shown.trim();
}

function hasKeys(option: Element, opener: Element): boolean {
  const active = deepActive();
  if (active && composedContains(option, active)) return true;
  const pointing = [opener, active, composedClosest(option, LISTS)].filter(isElement);
  return option.id !== "" && pointing.some((el) => el.getAttribute("aria-activedescendant") === option.id);
}

/** Waits until the list of the target, which was told to close, is gone. */
export const listClosed: Action = {
  need: { reach: "attached", enabled: false },
  prepare: () => ({ way: "page" }),
  perform: () => {},
  readResult: async ({ el }, ctx) => ({
    closed: await until(() => !isOpen(el) && !isExpanded(el), Math.min(performance.now() + CLOSE_TIMEOUT_MS, ctx.deadline), ctx),
  }),
};
