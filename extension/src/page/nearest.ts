// Rule of this file: a call that found nothing offers what comes nearest, by
// refs. It is looked for once, when the call has failed, in the tab's own
// document, and nothing is done to it.

import { type Args, isObject, text } from "./args";
import { roleOf } from "./aria";
import { type Evidence, PageError } from "./errors";
import { isOwn } from "./own";
import { cut, normalize, textOf } from "./read-text";
import { offer, refOf } from "./refs";
import type { Context } from "./settle";
import { rootsIn } from "./shadow";
import { isRendered } from "./visibility";

const MAX_OFFERED = 4;
const MAX_SEARCHED = 20_000;

/** What the search may take on a long page: a call with less time left answers without it. */
const SEARCH_MS = 500;

/** The error, with what comes nearest to its locator where that can be said. */
export function withNearest(error: PageError, ctx: Context): PageError {
  if (ctx.signal.aborted || performance.now() + SEARCH_MS > ctx.deadline) return error;
  const locator = error.evidence?.locator;
  const none = error.code === "target_not_found" || error.code === "timeout";
  if (!none || !isObject(locator) || error.evidence?.match_count !== 0 || locator.frame !== undefined) return error;
  const nearest = nearestOf(locator);
  if (nearest.length === 0) return error;
  return new PageError(error.code, error.message, { ...error.evidence, nearest }, error.dispatched);
}

function nearestOf(locator: Args): Evidence[] {
  const said = text(locator, "text") ?? text(locator, "text_contains") ?? text(locator, "text_equals");
  if (said !== undefined) return withText(normalize(said).toLowerCase());
  const name = text(locator, "name") ?? text(locator, "name_contains") ?? text(locator, "label") ?? text(locator, "placeholder");
  return name === undefined ? [] : offer(text(locator, "role") ?? "", name).slice(0, MAX_OFFERED).map((near) => ({ ...near }));
}

// A locator's text looks at controls and at what is labelled. The same text may
// stand anywhere else, or in other capitals.
function withText(wanted: string): Evidence[] {
  const found = new Set<Element>();
  let searched = 0;
  for (const root of wanted ? rootsIn(document) : []) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (found.size === MAX_OFFERED || ++searched > MAX_SEARCHED) break;
      const el = node.parentElement;
      if (el && normalize(node.nodeValue ?? "").toLowerCase().includes(wanted) && isText(el)) found.add(el);
    }
  }
  return [...found].map((el) => ({ ref: refOf(el), role: roleOf(el), text: cut(textOf(el), 80) }));
}

// What stands in a field is its value, which may be a secret.
function isText(el: Element): boolean {
  return el.localName !== "textarea" && isRendered(el) && !isOwn(el);
}
