// Rule of this file: it says where the time of the host's requests went, for whoever looks
// for what is slow. Requests side by side count each for itself.

import type { SpentTime } from "../../protocol";

/** What a request of the host waits for. */
type Kind = "requests" | "pages" | "browser";

/** Adds up the time since this worker started, in milliseconds. */
export class Spent {
  private readonly totals: Record<Kind, number> = { requests: 0, pages: 0, browser: 0 };

  /** Waits for the work, whose time counts. */
  async on<T>(kind: Kind, work: Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work;
    } finally {
      this.totals[kind] += performance.now() - began;
    }
  }

  view(): SpentTime {
    const { requests, pages, browser } = this.totals;
    return { requests_ms: requests, pages_ms: pages, browser_ms: browser };
  }
}
