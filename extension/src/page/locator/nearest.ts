// Rule of this file: the error of a call that found nothing suggests similar
// elements by refs. They are searched for once, when the call has failed, in the
// tab's own document, and are not touched.

import { type Args, isObject, text } from "../base/args";
import { type Evidence, PageError } from "../base/errors";
import { roleOf } from "../dom/aria";
import { truncate, normalize, textOf } from "../dom/read-text";
import type { Context } from "../wait/schedule";
import { suggest, suggestBySelector, refOf } from "./refs";
import { elementsWithText } from "./text-search";

const MAX_OFFERED = 4;

/** How long the search may take on a long page: a call with less time left answers without it. */
const SEARCH_TIMEOUT_MS = 500;

/** Returns the error with similar elements to its locator, where there are any. */
export function withNearest(error: PageError, ctx: Context): PageError {
  if (ctx.signal.aborted || performance.now() + SEARCH_TIMEOUT_MS > ctx.deadline) return error;
  const locator = error.evidence?.locator;
  const notFound = error.code === "target_not_found" || error.code === "timeout";
  if (!notFound || !isObject(locator) || error.evidence?.match_count !== 0 || locator.frame !== undefined) return error;
  const nearest = nearestOf(locator);
  if (nearest.length === 0) return error;
  return new PageError(error.code, error.message, { ...error.evidence, nearest }, error.dispatched);
}

function nearestOf(locator: Args): Evidence[] {
  const wantedText = text(locator, "text") ?? text(locator, "text_contains") ?? text(locator, "text_equals");
  if (wantedText !== undefined) return elementsLike(normalize(wantedText));
  const name = text(locator, "name") ?? text(locator, "name_contains") ?? text(locator, "label") ?? text(locator, "placeholder");
  const selector = text(locator, "selector") ?? text(locator, "xpath") ?? text(locator, "test_id");
  const found = name !== undefined ? suggest(text(locator, "role") ?? "", name) : selector !== undefined ? suggestBySelector(selector) : [];
  return found.slice(0, MAX_OFFERED).map((suggestion) => ({ ...suggestion }));
}

// The same text may be there in another case.
function elementsLike(wanted: string): Evidence[] {
  const found = elementsWithText(document, wanted, true).slice(0, MAX_OFFERED);
  return found.map((el) => ({ ref: refOf(el), role: roleOf(el), text: truncate(textOf(el), 80) }));
}
