// Rule of this file: every failure in the worker is a Fault with a code of
// manifest/errors.json and a sentence for a person; nothing else crosses the
// wire to the host.

import { ResponseError } from "vscode-jsonrpc";
import type { ErrorCode, ErrorData } from "../protocol";

/** The JSON-RPC number of every error that carries an ErrorData. */
const NUMBER = -32000;

/** A failure with its code; `data` is what the host gets to see. */
export class Fault extends Error {
  readonly data: ErrorData;

  private constructor(data: ErrorData) {
    super(data.message);
    this.name = "Fault";
    this.data = data;
  }

  static new(code: ErrorCode, message: string, more: Omit<ErrorData, "code" | "message"> = {}): Fault {
    return new Fault({ code, message, ...more });
  }

  /** Passes on a failure that came with its own data. */
  static pass(data: ErrorData): Fault {
    return new Fault(data);
  }

  /** Makes a Fault of whatever was thrown; what is not one already is a defect. */
  static of(error: unknown): Fault {
    if (error instanceof Fault) return error;
    return Fault.new("internal_error", textOf(error));
  }

  toResponse(): ResponseError<ErrorData> {
    return new ResponseError(NUMBER, this.data.message, this.data);
  }
}

/** The message of anything that was thrown. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Reports a failure that nobody waits for. It stands on the extension's error
 * page, where a person and a test can find it.
 */
export function report(what: string, error: unknown): void {
  console.error(`${what}: ${textOf(error)}`);
}
