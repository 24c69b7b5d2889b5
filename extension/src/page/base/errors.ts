// Rule: a primitive fails by throwing a PageError whose code is in
// manifest/errors.json. Until the first event reaches the page, dispatched is
// "no"; code that throws later sets it itself.

import type { ErrorCode } from "../../protocol";

export type Dispatched = "no" | "yes" | "unknown";
export type Evidence = Record<string, unknown>;

export class PageError extends Error {
  readonly code: ErrorCode;
  readonly evidence?: Evidence;
  readonly dispatched: Dispatched;

  constructor(code: ErrorCode, message: string, evidence?: Evidence, dispatched: Dispatched = "no") {
    super(message);
    this.name = "PageError";
    this.code = code;
    this.evidence = evidence;
    this.dispatched = dispatched;
  }
}

/** Turns a thrown value into a PageError: handler_failed unless it is one already. */
export function asPageError(thrown: unknown): PageError {
  if (thrown instanceof PageError) return thrown;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return new PageError("handler_failed", `the page code failed: ${text}`, undefined, "unknown");
}
