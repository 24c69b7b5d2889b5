// Rule of this file: an action that sends the page away answers when the page is
// left, so that the next call meets the new one. The wait has a limit: a
// navigation may end in a download, in an answer without content or in nothing.

import type { Context } from "./settle";

/** Most servers have answered by then; what takes longer is waited for by page.wait_for. */
const LEAVE_MS = 1_000;

/** One whose call never came back lets go of the page. */
const STOP_MS = 5_000;

/** The part of the Navigation API that is used here. */
interface Navigate extends Event {
  readonly destination: { readonly url: string; readonly sameDocument: boolean };
  readonly downloadRequest: string | null;
}

type Navigating = Window & { navigation?: EventTarget & { readonly transition: unknown } };

/** Watches whether the document is sent away. */
export class Leaving {
  private readonly stopped = new AbortController();
  private readonly timer = setTimeout(() => this.stop(), STOP_MS);
  private latest?: Navigate;
  private gone = false;
  private wake: () => void = () => {};

  constructor(private readonly view: Navigating) {
    const { signal } = this.stopped;
    view.navigation?.addEventListener("navigate", (event) => (this.latest = event as Navigate), { signal });
    view.navigation?.addEventListener("navigateerror", () => ((this.latest = undefined), this.wake()), { signal });
    view.addEventListener("pagehide", () => ((this.gone = true), this.wake()), { signal });
  }


  /** Where the page left for; undefined where it stays, or has not left in time. */
  async left(ctx: Context): Promise<string | undefined> {
    if (!this.gone && this.goes()) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, Math.min(LEAVE_MS, ctx.deadline - performance.now())));
        this.wake = () => (clearTimeout(timer), resolve());
        ctx.signal.addEventListener("abort", this.wake, { once: true });
      });
    }
    this.stop();
    return this.gone ? this.latest?.destination.url : undefined;
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.stopped.abort();
  }

  // A page may keep a navigation, or make it one within itself.
  private goes(): boolean {
    const { latest } = this;
    if (!latest || latest.defaultPrevented || latest.downloadRequest !== null) return false;
    return !latest.destination.sameDocument && !this.view.navigation?.transition;
  }
}
