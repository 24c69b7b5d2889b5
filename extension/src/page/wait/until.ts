// Rule: waiting watches the page instead of polling it, wherever its answer can
// change: in the documents and the shadow trees that the caller names. Changes
// without an event, such as a new shadow root, are found by checking at intervals;
// so is what happens to the frame of this document in the pages around it.

import { type Context, throwIfCancelled, nextFrame } from "./schedule";

/** Returns the trees to watch: called at every check, as trees come and go. */
type Roots = () => Iterable<Document | ShadowRoot>;

// What can change an answer about elements besides the tree itself.
const EVENTS = ["scroll", "transitionend", "animationend", "load", "toggle"] as const;

// Geometry changes without an event that could be observed.
const FALLBACK_INTERVAL_MS = 100;

const FRAME_INTERVAL_MS = 16;

/**
 * Waits until `condition` is true: checked at once, after mutations and events
 * that move things, and at intervals. Returns false when the end (in
 * performance.now() time) is reached.
 */
export async function until(condition: () => boolean, end: number, ctx: Context, roots: Roots = () => [document]): Promise<boolean> {
  const changes = new ChangeWatcher(ctx.signal);
  let lastChecked = -Infinity; // when a change was last followed by a check
  let followed = performance.now(); // when the pages around were last asked
  try {
    for (;;) {
      throwIfCancelled(ctx);
      for (const root of roots()) changes.watch(root);
      if (condition()) return true;
      const checkedAt = performance.now();
      if (checkedAt >= end) return false;
      if (checkedAt - followed >= FALLBACK_INTERVAL_MS) {
        ctx.followPlace?.();
        followed = checkedAt;
      }
      const changed = await changes.next(Math.min(end - checkedAt, FALLBACK_INTERVAL_MS));
      if (!changed) continue;
      // A quiet page is checked the moment it changes; a busy one, which changes
      // all the time, once a frame at most.
      if (performance.now() - lastChecked < FRAME_INTERVAL_MS) await nextFrame();
      lastChecked = performance.now();
    }
  } finally {
    changes.stop();
  }
}

/** Notifies of changes under the roots. */
class ChangeWatcher {
  private readonly watched = new WeakSet<Node>();
  private readonly observer = new MutationObserver(() => this.notify(true));
  private readonly stopped = new AbortController();
  private notify: (changed: boolean) => void = () => {};

  constructor(cancelled: AbortSignal) {
    cancelled.addEventListener("abort", () => this.notify(false), { signal: this.stopped.signal });
  }

  watch(root: Document | ShadowRoot): void {
    if (this.watched.has(root)) return;
    this.watched.add(root);
    this.observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    const changed = (): void => this.notify(true);
    const options = { capture: true, passive: true, signal: this.stopped.signal };
    for (const name of EVENTS) root.addEventListener(name, changed, options);
    if (root.nodeType === 9) (root as Document).defaultView?.addEventListener("resize", changed, options);
  }

  /** Resolves to true after a change, to false after the timeout or when the call is cancelled. */
  next(limit: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), limit);
      this.notify = (changed) => {
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
