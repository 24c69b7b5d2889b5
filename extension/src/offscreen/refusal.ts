// Rule of this file: a failure of the offscreen document is thrown as a
// Refusal, with a code of manifest/errors.json and a sentence for a person.

import type { ErrorCode } from "../protocol";
import type { OffscreenRefusal } from "./messages";

export class Refusal extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly more: Pick<OffscreenRefusal, "evidence" | "next_step"> = {},
  ) {
    super(message);
    this.name = "Refusal";
  }
}

/** Converts what was thrown to the answer for the worker; anything but a Refusal is an internal error. */
export function refused(thrown: unknown): OffscreenRefusal {
  if (thrown instanceof Refusal) return { ok: false, code: thrown.code, message: thrown.message, ...thrown.more };
  return { ok: false, code: "internal_error", message: thrown instanceof Error ? thrown.message : String(thrown) };
}
