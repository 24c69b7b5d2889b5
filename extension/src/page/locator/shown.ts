// Rule of this file: shown is what is rendered, on screen or not: whoever waits for
// the answer to an input must not have to scroll to see it.

import { type Args, number, object, text } from "../base/args";
import { type Evidence, PageError } from "../base/errors";
import { withAriaCaches } from "../dom/aria";
import { normalize, visibleTextOf } from "../dom/read-text";
import { rootsIn } from "../dom/shadow";
import { isDocumentRendered, isRendered } from "../dom/visibility";
import { allRoots } from "../wait/idle";
import type { Context } from "../wait/schedule";
import { until } from "../wait/until";
import { locateIfPresent, rootsOf } from "./wait-for";

/** page.shown: the document's part of page.wait_for */
export async function waitUntilShown(args: Args, ctx: Context): Promise<unknown> {
  const started = performance.now();
  const elapsed = (): number => Math.round(performance.now() - started);
  const end = Math.min(started + number(args, "timeout_ms", 0, 0, 60_000), ctx.deadline);
  const wanted = text(args, "text");
  if (wanted !== undefined && !(await until(() => showsText(normalize(wanted)), end, ctx, () => allRoots(document)))) {
    throw new PageError("timeout", `the text was not shown within ${elapsed()} ms`, { text: wanted, url: location.href });
  }
  const locator = object(args, "locator");
  if (locator && !(await until(() => locateIfPresent(locator).some(isRendered), end, ctx, () => rootsOf(locator)))) {
    const evidence: Evidence = { locator, match_count: locateIfPresent(locator).length, url: location.href };
    throw new PageError("timeout", `no match was shown within ${elapsed()} ms`, evidence);
  }
  return { elapsed_ms: elapsed() };
}

function showsText(wanted: string): boolean {
  for (const root of allRoots(document)) {
    const { body } = root as Document; // a shadow tree has none; it is read within its document
    if (body && isDocumentRendered(root as Document) && mayContain(root as Document, wanted) && withAriaCaches(() => visibleTextOf(body)).includes(wanted)) return true;
  }
  return false;
}

// Reading what is rendered takes a walk with styles; most pages that are watched do
// not have the text at all.
function mayContain(doc: Document, wanted: string): boolean {
  const roots = [...rootsIn(doc)];
  if (roots.length > 1) return true; // a slot may put the words together
  return normalize(doc.body.textContent ?? "").replaceAll(" ", "").includes(wanted.replaceAll(" ", ""));
}
