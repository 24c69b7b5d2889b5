// Rule of this file: an action that navigates answers when the document is
// unloaded, so that the next call finds the new one. The wait has a limit: a
// navigation may end in a download, in a response without content or in nothing.

import type { Context } from "./schedule";

/** Most servers have answered by then; page.wait_for waits for the others. */
const LEAVE_TIMEOUT_MS = 1_000;

/** A watcher whose call never came back removes its listeners then. */
const STOP_TIMEOUT_MS = 5_000;

/** The part of the Navigation API that is used here. */
interface NavigateEvent extends Event {
  readonly destination: { readonly url: string; readonly sameDocument: boolean };
  readonly downloadRequest: string | null;
}

type NavigatingWindow = Window & { navigation?: EventTarget & { readonly transition: unknown } };

/** Watches for a navigation away from the document. */
export class NavigationWatcher {
  private readonly stopped = new AbortController();
  private readonly timer = setTimeout(() => this.stop(), STOP_TIMEOUT_MS);
  private latest?: NavigateEvent;
  /** Called when a navigation has begun, before the page can do anything else. */
  onLeave: (to: string) => void = () => {};
  private unloaded = false;
  private wake: () => void = () => {};

  constructor(private readonly view: NavigatingWindow) {
    const { signal } = this.stopped;
    const onNavigate = (event: Event): void => {
      this.latest = event as NavigateEvent;
      // Whether the page keeps it within the document is known when all have heard of it.
      queueMicrotask(() => {
        if (this.isNavigating()) this.onLeave(this.latest?.destination.url ?? "");
      });
    };
    view.navigation?.addEventListener("navigate", onNavigate, { signal });
    const onError = (): void => {
      this.latest = undefined;
      this.wake();
    };
    const onUnload = (): void => {
      this.unloaded = true;
      this.wake();
    };
    view.navigation?.addEventListener("navigateerror", onError, { signal });
    view.addEventListener("pagehide", onUnload, { signal });
  }

  /** The address navigated to; undefined where the document stays, or was not unloaded in time. */
  async destination(ctx: Context): Promise<string | undefined> {
    if (!this.unloaded && this.isNavigating()) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, Math.min(LEAVE_TIMEOUT_MS, ctx.deadline - performance.now())));
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
        ctx.signal.addEventListener("abort", this.wake, { once: true });
      });
    }
    this.stop();
    return this.unloaded ? this.latest?.destination.url : undefined;
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.stopped.abort();
  }

  // A page may cancel a navigation, or turn it into one within the document.
  private isNavigating(): boolean {
    const { latest } = this;
    if (!latest || latest.defaultPrevented || latest.downloadRequest !== null) return false;
    return !latest.destination.sameDocument && !this.view.navigation?.transition;
  }
}
