// Rule: dom.observe.visible answers "what is on screen", dom.observe.attributes
// "what exists"; both tell the whole number of matches, so that a cut list is
// never taken for a complete one.

import { measurer } from "./above";
import { type Args, needText, number, text, texts } from "./args";
import { ancestorsOf, parentOf } from "./dom";
import { PageError } from "./errors";
import { enterFrames, frameOfArgs } from "./frame-path";
import { checkPayload } from "./payload";
import { textOrLabel, visibleTextOf } from "./read-text";
import { containsText } from "./scope";
import { safeAttribute } from "./secrets";
import { queryAll } from "./selectors";
import { isVisible } from "./visibility";

interface Limits {
  matches: number;
  bytes: number;
}

function limits(args: Args): Limits {
  return { matches: number(args, "max_matches", 50, 1, 200), bytes: number(args, "max_payload_bytes", 16_000, 1000, 256_000) };
}

function find(args: Args, selector: string): Element[] {
  const part = text(args, "text_contains");
  return queryAll(enterFrames(frameOfArgs(args)), selector).filter((el) => containsText(el, part));
}

/** dom.observe.visible */
export async function visible(args: Args): Promise<unknown> {
  const selector = text(args, "selector") ?? "*";
  const limit = limits(args);
  const found = find(args, selector).filter(isVisible);
  const told = found.slice(0, limit.matches);
  const measured = await measurer(told);
  const matches = told.map((el) => {
    const { visibility: v, point } = measured(el);
    return {
      tag_name: el.localName,
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
  const selector = needText(args, "selector");
  const names = texts(args, "attributes") ?? [];
  if (names.length === 0) throw new PageError("invalid_arguments", "attributes must name at least one attribute", { argument: "attributes" });
  const limit = limits(args);
  const found = find(args, selector);
  const matches = found.slice(0, limit.matches).map((el) => ({
    tag_name: el.localName,
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
  const found = queryAll(enterFrames(frameOfArgs(args)), text(args, "selector") ?? "body").filter(isVisible);
  // A match inside another one has been read with it.
  const set = new Set(found);
  const outer = found.filter((el) => ![...ancestorsOf(parentOf(el))].some((above) => set.has(above)));
  const whole = outer.map(visibleTextOf).filter(Boolean).join(" ");
  const offset = Math.trunc(number(args, "offset", 0, 0, Number.MAX_SAFE_INTEGER));
  // A character of two halves is not cut in two.
  const end = offset + max + (/[\ud800-\udbff]/.test(whole.charAt(offset + max - 1)) ? 1 : 0);
  const truncated = end < whole.length;
  // The literal arguments for reading on: only the window ends here, not the text.
  return { text: whole.slice(offset, end), truncated, total_chars: whole.length, ...(truncated && { next: { ...args, offset: end } }) };
}
