// Rule of this file: every await on the browser has a timeout. A promise of
// chrome.* may stay open for ever (a worker that was restarted, a document in
// the back/forward cache), and must not block its caller then.

import type { ErrorCode } from "../../protocol";
import { Fault } from "./fault";

/** Enough for every plain call of a browser API. */
export const API_TIMEOUT_MS = 5_000;

/** Settles as the promise does, or throws a Fault of the code after the timeout. */
export async function withTimeout<T>(
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

/** Returns the promise with the timeout of browser APIs. */
export function withApiTimeout<T>(what: string, promise: Promise<T>): Promise<T> {
  return withTimeout(API_TIMEOUT_MS, what, promise);
}

/** Resolves after the delay. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Settles as the promise does, or throws a Fault as soon as the caller cancels. */
export async function unlessCancelled<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  let stop = (): void => {};
  const cancelled = new Promise<never>((_, reject) => {
    stop = () => reject(cancelledFault("unknown"));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, cancelled]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Returns the Fault of a call whose caller has cancelled it. */
export const cancelledFault = (dispatched: "no" | "yes" | "unknown"): Fault => Fault.new("cancelled", "the caller cancelled the call", { dispatched });

/** Throws, as nothing was sent yet, if the caller has cancelled. */
export function demandUnended(signal: AbortSignal): void {
  if (signal.aborted) throw cancelledFault("no");
}

/** Returns a function that does the work at its first call and settles as that does at every later one, until the work fails. */
export function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}

/**
 * Returns a function that does the work for a key. Calls that come while it is being done for their
 * key share one run, which begins after it: none of them sees what was there before it was made.
 */
export function coalesced<K, T>(work: (key: K) => Promise<T>): (key: K) => Promise<T> {
  const running = new Map<K, { run: Promise<T>; next?: Promise<T> }>();
  const begin = (key: K): Promise<T> => {
    const run = work(key).finally(() => {
      if (!running.get(key)?.next) running.delete(key);
    });
    running.set(key, { run });
    return run;
  };
  return (key) => {
    const current = running.get(key);
    if (!current) return begin(key);
    const again = (): Promise<T> => begin(key);
    current.next ??= current.run.then(again, again);
    return current.next;
  };
}
