// Rule of this file: every failure in the worker is a Fault with a code of
// manifest/errors.json and a sentence for a person; nothing else crosses the
// wire to the host.

import { ResponseError } from "vscode-jsonrpc";
import type { ErrorCode, ErrorData } from "../../protocol";

/** The JSON-RPC number of every error that carries an ErrorData. */
const NUMBER = -32000;

/** A failure with its code; `data` is sent to the host. */
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

  /** Returns what was thrown as a Fault; anything but a Fault is an internal error. */
  static of(error: unknown): Fault {
    if (error instanceof Fault) return error;
    return Fault.new("internal_error", textOf(error));
  }

  toResponse(): ResponseError<ErrorData> {
    return new ResponseError(NUMBER, this.data.message, this.data);
  }
}

/** Returns the message of anything that was thrown. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Reports a failure that no caller waits for. It appears on the extension's error
 * page, where a person and a test can find it.
 */
export function report(what: string, error: unknown): void {
  console.error(`${what}: ${textOf(error)}`);
}
