// Rule: a scope names a region. Its selectors are tried in their order and the
// first visible match wins; its text filters ignore case (those of a locator do
// not); root_selector and root_strategy climb from there.

import { type Args, number, text, texts } from "../base/args";
import { PageError } from "../base/errors";
import { ancestorsOf, composedClosest, parentOf } from "../dom/dom";
import { normalize, textOf, textOrLabel } from "../dom/read-text";
import { queryAll } from "../dom/selectors";
import { frameOf, ownPlace } from "../dom/viewport";
import { isVisible } from "../dom/visibility";
import { enterFrames, frameOfArgs } from "../frames/path";

export interface Scope {
  root: Element;
  /** How many elements the selectors matched. */
  matched: number;
}

/** Reports whether the text, or aria-label where there is none, contains the part, regardless of case. */
export function containsText(el: Element, substring: string | undefined): boolean {
  return substring === undefined || textOrLabel(el).toLowerCase().includes(normalize(substring).toLowerCase());
}

/**
 * Reports whether the region is on screen. The body means the whole document: where
 * all content is positioned or floated it has no height of its own.
 */
export function isRegionVisible(el: Element): boolean {
  if (el !== el.ownerDocument.body) return isVisible(el);
  const frame = frameOf(el.ownerDocument);
  return frame ? isVisible(frame) : (ownPlace()?.rendered ?? true);
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
    (el) => isRegionVisible(el) && containsText(el, text(at, "text_contains")) && (want === undefined || textOrLabel(el).toLowerCase() === want),
  );
  if (!start) throw scopeNotFound(at, found.length, "no visible element matches the scope");
  return { root: resolveRoot(start, at, itemSelector), matched: found.length };
}

function resolveRoot(start: Element, scope: Args, itemSelector: string | undefined): Element {
  const rootSelector = text(scope, "root_selector");
  if (rootSelector !== undefined) {
    queryAll(start, rootSelector); // refuses an invalid selector in the usual way
    const root = composedClosest(start, rootSelector);
    if (!root) throw scopeNotFound(scope, 0, "no ancestor of the scope matches root_selector");
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
    throw scopeNotFound(scope, 0, `no ancestor within ${depth} levels holds an item`);
  }
  return start;
}

function scopeNotFound(scope: Args, matched: number, message: string): PageError {
  return new PageError("target_not_found", message, { scope, matched });
}

/** The text of a scope for the output, short. */
export const scopeText = (el: Element): string => textOf(el).slice(0, 200);
