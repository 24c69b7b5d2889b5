// Rule of this file: a web page may lay something over the pane that lets the
// pointer through. The user does not see what is beneath it, and a press
// there was meant for something else. Only the browser knows what covers what. What
// cannot be seen for another reason counts as covered: it may come under a press that is on its way.

/** Members of IntersectionObserver v2 that TypeScript does not know. */
type Options = IntersectionObserverInit & { trackVisibility: boolean; delay: number };
type Entry = IntersectionObserverEntry & { isVisible: boolean };

/** The shortest delay between two notifications that browsers allow. */
const MIN_OBSERVER_DELAY_MS = 100;

let toScale = true;
const watchers = new Set<() => void>();

/** Takes whether the page shows this frame as large as it was made; if not, all in it counts as covered. */
export function setDrawnToScale(now: boolean): void {
  if (toScale === now) return;
  toScale = now;
  for (const report of watchers) report();
}

/**
 * Calls `changed` whenever the element begins or ceases to be covered or out of sight, which it is
 * at first; `explained` is whether the user has to be told why.
 */
export function watchOcclusion(element: Element, changed: (covered: boolean, explained: boolean) => void): () => void {
  const options: Options = { trackVisibility: true, delay: MIN_OBSERVER_DELAY_MS };
  let last: Entry | undefined;
  const report = (): void => {
    if (last) changed(!toScale || !last.isIntersecting || !last.isVisible, !toScale || (last.isIntersecting && !last.isVisible));
  };
  const observer = new IntersectionObserver((entries) => {
    last = entries.at(-1) as Entry | undefined;
    report();
  }, options);
  observer.observe(element);
  watchers.add(report);
  return () => {
    watchers.delete(report);
    observer.disconnect();
  };
}

/** Calls `moved` when what is shown may have come under a press that was meant for something else. */
export function watchMoves(moved: () => void): void {
  window.addEventListener("resize", moved);
  document.addEventListener("visibilitychange", moved);
}

/** Rejects presses on an element that is, or has just been, covered. */
export class PressGuard {
  private covered = true;
  private since = -Infinity;
  private visible = false;
  private allowedAtPress = true;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * `ms` is how long the element must have been uncovered. `ready` is called with true when it has
   * been in sight for that long, covered or not, as a press on what is covered is answered with the
   * reason; with false when it goes out of sight.
   */
  constructor(
    element: Element,
    private readonly ms: number,
    private readonly ready: (now: boolean) => void,
  ) {
    for (const type of ["pointerdown", "keydown"]) element.addEventListener(type, () => (this.allowedAtPress = this.settled()), true);
    watchOcclusion(element, (now, explained) => {
      if (this.covered && !now) this.since = performance.now();
      this.covered = now;
      this.show(!now || explained);
    });
  }

  /** Reports whether the press that is ending may count: the element was in sight when it began, too. */
  allowsPress(): boolean {
    const allowed = this.allowedAtPress && this.settled();
    this.allowedAtPress = true; // a screen reader presses without beginning
    return allowed;
  }

  private settled(): boolean {
    return !this.covered && performance.now() - this.since >= this.ms;
  }

  private show(visible: boolean): void {
    if (visible === this.visible) return;
    this.visible = visible;
    clearTimeout(this.timer);
    if (visible) this.timer = setTimeout(this.ready, this.ms, true);
    else this.ready(false);
  }
}
