// Rule of this file: what the offscreen document cannot do is thrown as a
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

/** Whatever was thrown as the worker gets to see it; what is no Refusal is a defect. */
export function refused(thrown: unknown): OffscreenRefusal {
  if (thrown instanceof Refusal) return { ok: false, code: thrown.code, message: thrown.message, ...thrown.more };
  return { ok: false, code: "internal_error", message: thrown instanceof Error ? thrown.message : String(thrown) };
}
