// Rule: every wait ends. An animation frame is raced with a timer, because a
// hidden tab has no frames, and every wait ends with the call's signal.

import type { MetTarget } from "../../protocol";
import { PageError } from "../base/errors";

export interface Context {
  signal: AbortSignal;
  /** In milliseconds of performance.now(). */
  deadline: number;
  /** Asks the pages around the frame of this document where it is now, and does not wait for the answer. */
  followPlace?: () => void;
  /** The host asks what the target of the call is; met is the answer. */
  asksMet?: boolean;
  met?: MetTarget;
  /** Takes the output that holds if the document goes away now, as a document that goes may not answer any more. */
  leaving?: (output: unknown) => void;
}

/** One animation frame, or 50 ms where none comes. */
export function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      cancelAnimationFrame(request);
      resolve();
    };
    const timer = setTimeout(done, 50);
    const request = requestAnimationFrame(done);
  });
}

/** Throws when the call was cancelled. */
export function throwIfCancelled(ctx: Context): void {
  if (ctx.signal.aborted) throw new PageError("cancelled", "the call was cancelled");
}

/** The next task: what the page queued as microtasks has run. Not slowed down in hidden tabs, as timers are. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
