// Rule: every wait ends. An animation frame is raced with a timer, because a
// hidden tab has no frames, and every wait ends with the call's signal.

import { PageError } from "./errors";

export interface Context {
  signal: AbortSignal;
  /** In milliseconds of performance.now(). */
  deadline: number;
}

/** One animation frame, or 50 ms where none comes. */
export function frame(): Promise<void> {
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
export function checkCancelled(ctx: Context): void {
  if (ctx.signal.aborted) throw new PageError("cancelled", "the call was cancelled");
}

// What can change an answer about elements besides the tree itself.
const EVENTS = ["scroll", "resize", "transitionend", "animationend", "load", "toggle"] as const;

// Geometry and shadow trees change without a mutation that we could see.
const FALLBACK_MS = 100;

/**
 * Waits until `holds` is true: asked at once, after mutations (at most once a
 * frame), after events that move things, and now and then. Gives false when
 * the time (of performance.now()) is over.
 */
export async function until(holds: () => boolean, end: number, ctx: Context): Promise<boolean> {
  for (;;) {
    checkCancelled(ctx);
    if (holds()) return true;
    const left = end - performance.now();
    if (left <= 0) return false;
    await change(Math.min(left, FALLBACK_MS), ctx.signal);
  }
}

async function change(limit: number, signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const mutated = await new Promise<boolean>((resolve) => {
    const observer = new MutationObserver(() => resolve(true));
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    const timer = setTimeout(() => resolve(false), limit);
    for (const name of EVENTS) addEventListener(name, () => resolve(true), { capture: true, signal: stop.signal });
    signal.addEventListener("abort", () => resolve(false), { signal: stop.signal });
    stop.signal.addEventListener("abort", () => {
      observer.disconnect();
      clearTimeout(timer);
    });
  });
  stop.abort();
  // A busy page mutates all the time: look once a frame at most.
  if (mutated) await frame();
}

/** The next task: what the page queued as microtasks has run. Not slowed down in hidden tabs, as timers are. */
export function task(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
