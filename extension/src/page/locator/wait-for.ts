// Rule: waiting watches the page instead of polling it, and ends with the
// state, the time or the call, whichever comes first. "visible" means on screen
// now; "hidden" means that nothing matching is shown anywhere on the page.

import { type Args, number, text } from "../base/args";
import { type Evidence, PageError } from "../base/errors";
import { isConnected } from "../dom/dom";
import { textOrLabel, truncate } from "../dom/read-text";
import { rootsIn } from "../dom/shadow";
import { isShown, isVisible } from "../dom/visibility";
import { documentsOn, frameOfArgs } from "../frames/path";
import type { Context } from "../wait/schedule";
import { until } from "../wait/until";
import { locate, locatorOf } from "./locate";

/** Of the text of what was waited for; all of it is read by locator.text_content. */
const MAX_TEXT = 1000;

const STATES: Record<string, (found: Element[]) => boolean> = {
  visible: (found) => found.some(isVisible),
  attached: (found) => found.length > 0,
  hidden: (found) => !found.some(isShown),
  detached: (found) => found.length === 0,
};

/** locator.wait_for */
export async function waitFor(args: Args, ctx: Context): Promise<unknown> {
  const locator = locatorOf(args, "locator");
  const state = text(args, "state") ?? "visible";
  const test = Object.hasOwn(STATES, state) ? STATES[state] : undefined;
  if (!test) throw new PageError("invalid_arguments", `no such state: ${state}`, { argument: "state" });
  const timeout = number(args, "timeout_ms", 1000, 0, 30_000);
  const start = performance.now();
  const end = Math.min(start + timeout, ctx.deadline);
  let found: Element[] = [];
  let wasThere = false;
  const holds = (): boolean => {
    try {
      found = locateIfPresent(locator);
    } catch (thrown) {
      // What was there goes with the page's route, or is gone, as is waited for; a ref that was stale before is a mistake.
      const reason = wasThere && test([]) && thrown instanceof PageError && thrown.code === "stale_ref" ? thrown.evidence?.reason : undefined;
      if (reason !== "elementGone" && reason !== "routeChanged") throw thrown;
      found = reason === "routeChanged" ? found.filter(isConnected) : [];
    }
    wasThere ||= found.length > 0;
    return test(found);
  };
  const matched = await until(holds, end, ctx, () => rootsOf(locator));
  if (matched) {
    const el = state === "visible" ? found.find(isVisible) : state === "attached" ? found[0] : undefined;
    return { matched: true, state, elapsed_ms: Math.round(performance.now() - start), ...(el && { text: truncate(textOrLabel(el), MAX_TEXT) }) };
  }
  const evidence: Evidence = { locator, state, timeout_ms: timeout, match_count: found.length, visible_count: found.filter(isVisible).length };
  throw new PageError("timeout", `no match was ${state} within ${Math.round(performance.now() - start)} ms`, evidence);
}

/** The trees that the locator searches: its frames, and every shadow tree in them. */
export function* rootsOf(locator: Args): Generator<Document | ShadowRoot> {
  for (const doc of documentsOn(frameOfArgs(locator))) yield* rootsIn(doc);
}

/** locate for a wait: a frame that does not exist yet has no matches yet; all other errors end the wait at once. */
export function locateIfPresent(locator: Args): Element[] {
  try {
    return locate(locator);
  } catch (thrown) {
    if (thrown instanceof PageError && thrown.code === "frame_not_found") return [];
    throw thrown;
  }
}
