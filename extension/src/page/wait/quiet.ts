// Rule of this file: nothing more comes to a page that has loaded, whose requests are
// answered, whose animations are over, and in which nothing has changed for a while.
// Its timers cannot be seen: the while is longer than those of most pages.

import { rootsIn } from "../dom/shadow";
import type { Context } from "./schedule";

const QUIET_MS = 1_000;

/** A request that follows from the answer of another begins within this time. */
const REQUESTS_QUIET_MS = 300;

/** Watches whether anything more may come to the documents. */
export class QuietWatch {
  private lastAt = performance.now();
  private requestsQuiet = false;
  private asking = false;
  private readonly observer = new MutationObserver(() => {
    this.lastAt = performance.now();
    this.requestsQuiet = false;
  });

  constructor(
    private readonly docs: () => Document[],
    private readonly ctx: Context,
  ) {
    for (const doc of docs()) {
      for (const root of rootsIn(doc)) this.observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    }
  }

  stop(): void {
    this.observer.disconnect();
  }

  /** Reports whether nothing more comes. Asks the worker for the requests: the answer counts at the next call. */
  isQuiet(): boolean {
    if (performance.now() - this.lastAt < QUIET_MS || !this.docs().every(isSettled)) return false;
    if (!this.requestsQuiet) void this.ask();
    return this.requestsQuiet;
  }

  private async ask(): Promise<void> {
    if (this.asking || this.ctx.signal.aborted || typeof chrome === "undefined" || !chrome.runtime?.id) return;
    this.asking = true;
    const changedAt = this.lastAt;
    const quietMs: unknown = await chrome.runtime.sendMessage({ kind: "requests" }).catch(() => 0);
    this.requestsQuiet = typeof quietMs === "number" && quietMs >= REQUESTS_QUIET_MS && this.lastAt === changedAt;
    this.asking = false;
  }
}

// Requests that a service worker answers are seen by nobody.
function isSettled(doc: Document): boolean {
  if (doc.readyState !== "complete" || doc.defaultView?.navigator.serviceWorker?.controller) return false;
  return !doc.getAnimations().some(({ playState, effect }) => playState === "running" && effect?.getComputedTiming().endTime !== Infinity);
}
