// Rule: a scope names a region. Its selectors are tried in their order and the
// first visible match wins; its text filters do not regard case (those of a
// locator do); root_selector and root_strategy climb from there.

import { type Args, number, text, texts } from "./args";
import { ancestorsOf, composedClosest, parentOf } from "./dom";
import { PageError } from "./errors";
import { enterFrames, frameOfArgs } from "./frame-path";
import { normalize, textOf, textOrLabel } from "./read-text";
import { queryAll } from "./selectors";
import { isVisible } from "./visibility";

export interface Scope {
  root: Element;
  /** How many elements the selectors matched. */
  matched: number;
}

/** Case-insensitive test of the text, or of aria-label where there is none. */
export function containsText(el: Element, part: string | undefined): boolean {
  return part === undefined || textOrLabel(el).toLowerCase().includes(normalize(part).toLowerCase());
}

export function resolveScope(scope: Args | undefined, itemSelector?: string): Scope {
  const at = scope ?? {};
  const doc = enterFrames(frameOfArgs(at));
  const selector = text(at, "selector");
  const selectors = [...(selector === undefined ? [] : [selector]), ...(texts(at, "selectors") ?? [])];
  const found = (selectors.length > 0 ? selectors : ["body"]).flatMap((each) => queryAll(doc, each));
  const equals = text(at, "text_equals");
  const want = equals === undefined ? undefined : normalize(equals).toLowerCase();
  const start = found.find(
    (el) => isVisible(el) && containsText(el, text(at, "text_contains")) && (want === undefined || textOrLabel(el).toLowerCase() === want),
  );
  if (!start) throw missing(at, found.length, "no visible element matches the scope");
  return { root: climb(start, at, itemSelector), matched: found.length };
}

function climb(start: Element, scope: Args, itemSelector: string | undefined): Element {
  const rootSelector = text(scope, "root_selector");
  if (rootSelector !== undefined) {
    queryAll(start, rootSelector); // refuses an invalid selector in the usual way
    const root = composedClosest(start, rootSelector);
    if (!root) throw missing(scope, 0, "no ancestor of the scope matches root_selector");
    return root;
  }
  const strategy = text(scope, "root_strategy") ?? "scope";
  if (strategy === "parent") return parentOf(start) ?? start;
  if (strategy === "nearest_ancestor_containing_items" && itemSelector !== undefined) {
    const depth = number(scope, "max_ancestor_depth", 4, 0, 20);
    let steps = 0;
    for (const at of ancestorsOf(start)) {
      if (queryAll(at, itemSelector).some((el) => el !== at)) return at;
      if (steps++ >= depth) break;
    }
    throw missing(scope, 0, `no ancestor within ${depth} levels holds an item`);
  }
  return start;
}

function missing(scope: Args, matched: number, message: string): PageError {
  return new PageError("target_not_found", message, { scope, matched });
}

/** The text of a scope for the output, short. */
export const scopeText = (el: Element): string => textOf(el).slice(0, 200);
