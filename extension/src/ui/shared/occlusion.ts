// Rule of this file: a web page may lay something over the pane that lets the
// pointer through. The user does not see what is beneath it, and a press
// there was meant for something else. Only the browser knows what covers what.

/** Members of IntersectionObserver v2 that TypeScript does not know. */
type Options = IntersectionObserverInit & { trackVisibility: boolean; delay: number };
type Entry = IntersectionObserverEntry & { isVisible: boolean };

/** The shortest delay between two notifications that browsers allow. */
const MIN_OBSERVER_DELAY_MS = 100;

/** Calls `changed` whenever something begins or ceases to cover the element. */
export function watchOcclusion(element: Element, changed: (covered: boolean) => void): () => void {
  const options: Options = { trackVisibility: true, delay: MIN_OBSERVER_DELAY_MS };
  const observer = new IntersectionObserver((entries) => {
    const last = entries.at(-1) as Entry | undefined;
    // What is scrolled out of view is not covered, and cannot be pressed.
    if (last) changed(last.isIntersecting && !last.isVisible);
  }, options);
  observer.observe(element);
  return () => observer.disconnect();
}

/** Rejects presses on an element that is, or has just been, covered. */
export class PressGuard {
  private covered = false;
  private since = -Infinity;

  /** `ms` is how long the element must have been uncovered. */
  constructor(
    element: Element,
    private readonly ms: number,
  ) {
    watchOcclusion(element, (now) => {
      if (this.covered && !now) this.since = performance.now();
      this.covered = now;
    });
  }

  allowsPress(): boolean {
    return !this.covered && performance.now() - this.since >= this.ms;
  }
}
