// Rule: dom.observe.visible answers "what is on screen", dom.observe.attributes
// "what exists"; both report the total number of matches, so that a truncated list
// is never taken for a complete one.

import { type Args, requiredText, number, text, texts } from "../base/args";
import { PageError } from "../base/errors";
import { ancestorsOf, localNameOf, parentOf } from "../dom/dom";
import { withAriaCaches } from "../dom/aria";
import { textOrLabel, visibleTextOf } from "../dom/read-text";
import { safeAttribute } from "../dom/secrets";
import { queryAll } from "../dom/selectors";
import { isVisible } from "../dom/visibility";
import { measureManyInTop } from "../frames/ancestors";
import { enterFrames, frameOfArgs } from "../frames/path";
import { containsText, isRegionVisible } from "../locator/scope";
import { checkPayload } from "./payload";

interface Limits {
  matches: number;
  bytes: number;
}

function limits(args: Args): Limits {
  return { matches: number(args, "max_matches", 50, 1, 200), bytes: number(args, "max_payload_bytes", 16_000, 1000, 256_000) };
}

function find(args: Args, selector: string): Element[] {
  const substring = text(args, "text_contains");
  return queryAll(enterFrames(frameOfArgs(args)), selector).filter((el) => containsText(el, substring));
}

/** dom.observe.visible */
export async function visible(args: Args): Promise<unknown> {
  const selector = text(args, "selector") ?? "*";
  const limit = limits(args);
  const found = find(args, selector).filter(isVisible);
  const returned = found.slice(0, limit.matches);
  const measured = await measureManyInTop(returned);
  const matches = returned.map((el) => {
    const { visibility: v, point } = measured(el);
    return {
      tag_name: localNameOf(el),
      text: textOrLabel(el),
      bounding_box: v.bounding_box,
      visible_rect: v.visible_rect,
      visible_center: v.visible_center,
      clickable: v.clickable,
      receives_events: v.receives_events,
      occluded_by: v.occluded_by,
      ...(point && { clickable_center: point }),
    };
  });
  checkPayload(matches, limit.bytes, { selector, text_contains: text(args, "text_contains") ?? null });
  return { matches, match_count: matches.length, total_count: found.length, truncated: found.length > matches.length };
}

/** dom.observe.attributes */
export function attributes(args: Args): unknown {
  const selector = requiredText(args, "selector");
  const names = texts(args, "attributes") ?? [];
  if (names.length === 0) throw new PageError("invalid_arguments", "attributes must name at least one attribute", { argument: "attributes" });
  const limit = limits(args);
  const found = find(args, selector);
  const matches = found.slice(0, limit.matches).map((el) => ({
    tag_name: localNameOf(el),
    attributes: Object.fromEntries(names.map((name) => [name, name === "text" ? textOrLabel(el) : safeAttribute(el, name)])),
    visible: isVisible(el),
  }));
  checkPayload(matches, limit.bytes, { selector, text_contains: text(args, "text_contains") ?? null });
  return {
    matches,
    match_count: matches.length,
    visible_count: matches.filter((m) => m.visible).length,
    total_count: found.length,
    truncated: found.length > matches.length,
  };
}

/** dom.snapshot_text */
export function snapshotText(args: Args): unknown {
  const max = number(args, "max_chars", 12_000, 1, 100_000);
  const found = queryAll(enterFrames(frameOfArgs(args)), text(args, "selector") ?? "body").filter(isRegionVisible);
  // A match inside another one is read with it.
  const set = new Set(found);
  const outer = found.filter((el) => ![...ancestorsOf(parentOf(el))].some((above) => set.has(above)));
  const whole = withAriaCaches(() => outer.map(visibleTextOf).filter(Boolean).join(" "));
  const offset = Math.trunc(number(args, "offset", 0, 0, Number.MAX_SAFE_INTEGER));
  // A surrogate pair is not split.
  const end = offset + max + (/[\ud800-\udbff]/.test(whole.charAt(offset + max - 1)) ? 1 : 0);
  const truncated = end < whole.length;
  // The arguments for the next page of the text.
  return { text: whole.slice(offset, end), truncated, total_chars: whole.length, ...(truncated && { next: { ...args, offset: end } }) };
}
