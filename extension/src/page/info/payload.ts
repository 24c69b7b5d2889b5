// Rule: output is limited where it is read. Too many rows are truncated and
// counted; rows that are too large together are an error with hints for a narrower
// call.

import { type Evidence, PageError } from "../base/errors";

const encoder = new TextEncoder();

const HINTS = [
  "Use a selector that names the repeated element itself, not its container.",
  "Filter with text_contains.",
  "Ask for fewer attributes or fields.",
  "Lower max_matches, or raise max_payload_bytes up to its maximum.",
];

/** Throws payload_too_large where the rows take more than max bytes of JSON. */
export function checkPayload(rows: unknown[], max: number, about: Evidence): void {
  const bytes = encoder.encode(JSON.stringify(rows)).length;
  if (bytes <= max) return;
  const evidence = { ...about, match_count: rows.length, approximate_bytes: bytes, max_payload_bytes: max, narrowing_hints: HINTS };
  throw new PageError("payload_too_large", `${rows.length} matches take ${bytes} bytes, more than ${max}`, evidence);
}
