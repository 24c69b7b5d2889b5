// Rule of this file: no await on the browser is without a limit. A promise of
// chrome.* may stay open for ever (a worker that was restarted, a document in
// the back/forward cache), and then must not take its caller with it.

import type { ErrorCode } from "../protocol";
import { Fault } from "./fault";

/** Enough for every call that only asks the browser for something, in ms. */
export const API_LIMIT_MS = 5_000;

/** Gives the promise's outcome, or a Fault of the code when the time is over. */
export async function within<T>(
  ms: number,
  what: string,
  promise: Promise<T>,
  code: ErrorCode = "runtime_not_ready",
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Fault.new(code, `${what} did not answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The short form for questions to the browser. */
export function asked<T>(what: string, promise: Promise<T>): Promise<T> {
  return within(API_LIMIT_MS, what, promise);
}

/** Gives the promise's outcome, or a Fault as soon as the caller cancels. */
export async function unlessCancelled<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  let stop = (): void => {};
  const cancelled = new Promise<never>((_, reject) => {
    stop = () => reject(Fault.new("cancelled", "the caller cancelled the call", { dispatched: "unknown" }));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, cancelled]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
