// Rule of this file: a web page may lay something over the pane that lets the
// pointer through. What stands beneath it the user does not see, and a press
// there was meant for something else. Only the browser knows what covers what.

/** TypeScript does not know the second version of the observer's parts. */
type Options = IntersectionObserverInit & { trackVisibility: boolean; delay: number };
type Entry = IntersectionObserverEntry & { isVisible: boolean };

/** The least time between two looks that browsers allow. */
const DELAY_MS = 100;

/** Tells `changed` whenever something comes to cover the element, or stops. */
export function watchCover(element: Element, changed: (covered: boolean) => void): () => void {
  const options: Options = { trackVisibility: true, delay: DELAY_MS };
  const observer = new IntersectionObserver((entries) => {
    const last = entries.at(-1) as Entry | undefined;
    // What is scrolled out of sight is not covered, and cannot be pressed.
    if (last) changed(last.isIntersecting && !last.isVisible);
  }, options);
  observer.observe(element);
  return () => observer.disconnect();
}

/** Tells whether a press on the element was meant for it. */
export class Sight {
  private covered = false;
  private since = -Infinity;

  /** `ms` is how long the element must have been in sight again. */
  constructor(
    element: Element,
    private readonly ms: number,
  ) {
    watchCover(element, (now) => {
      if (this.covered && !now) this.since = performance.now();
      this.covered = now;
    });
  }

  clear(): boolean {
    return !this.covered && performance.now() - this.since >= this.ms;
  }
}
