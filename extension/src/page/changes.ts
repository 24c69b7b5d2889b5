// Rule: waiting watches the page instead of polling it, wherever its answer can
// change: in the documents and the shadow trees that the caller names. What no
// event tells, such as a new shadow root, is found by looking now and then.

import { type Context, checkCancelled, frame } from "./settle";

/** Where the page is watched: asked anew at every look, as trees come and go. */
type Roots = () => Iterable<Document | ShadowRoot>;

// What can change an answer about elements besides the tree itself.
const EVENTS = ["scroll", "transitionend", "animationend", "load", "toggle"] as const;

// Geometry changes without an event that we could see.
const FALLBACK_MS = 100;

const FRAME_MS = 16;

/**
 * Waits until `holds` is true: asked at once, after mutations and events that
 * move things, and now and then; gives false when the time (of
 * performance.now()) is over.
 */
export async function until(holds: () => boolean, end: number, ctx: Context, roots: Roots = () => [document]): Promise<boolean> {
  const changes = new Changes(ctx.signal);
  let last = -Infinity; // when a change was last looked at
  try {
    for (;;) {
      checkCancelled(ctx);
      for (const root of roots()) changes.watch(root);
      if (holds()) return true;
      const looked = performance.now();
      if (looked >= end) return false;
      const changed = await changes.next(Math.min(end - looked, FALLBACK_MS));
      if (!changed) continue;
      // A quiet page is looked at in the moment it changes; a busy one, which
      // changes all the time, once a frame at most.
      if (performance.now() - last < FRAME_MS) await frame();
      last = performance.now();
    }
  } finally {
    changes.stop();
  }
}

/** Tells that something happened under the roots. */
class Changes {
  private readonly watched = new WeakSet<Node>();
  private readonly observer = new MutationObserver(() => this.tell(true));
  private readonly stopped = new AbortController();
  private tell: (changed: boolean) => void = () => {};

  constructor(cancelled: AbortSignal) {
    cancelled.addEventListener("abort", () => this.tell(false), { signal: this.stopped.signal });
  }

  watch(root: Document | ShadowRoot): void {
    if (this.watched.has(root)) return;
    this.watched.add(root);
    this.observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    const changed = (): void => this.tell(true);
    const options = { capture: true, passive: true, signal: this.stopped.signal };
    for (const name of EVENTS) root.addEventListener(name, changed, options);
    if (root.nodeType === 9) (root as Document).defaultView?.addEventListener("resize", changed, options);
  }

  /** Gives true after a change, false when the time or the call is over. */
  next(limit: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), limit);
      this.tell = (changed) => {
        clearTimeout(timer);
        resolve(changed);
      };
    });
  }

  stop(): void {
    this.stopped.abort();
    this.observer.disconnect();
  }
}
