// Rule of this file: many controls draw themselves anew when the pointer comes to
// them, frameworks a task or a frame later. A press on what is just being replaced
// is lost, so it waits for that, and for nothing else that moves on the page.

import { nextFrame, nextTask } from "../wait/schedule";

/** What draws itself for longer is not waited for. */
const SETTLE_TIMEOUT_MS = 150;

/** Watches an element for changes of itself and of what is in it. */
export class RedrawWatch {
  private changed = false;
  private readonly observer = new MutationObserver((records) => {
    this.changed ||= records.some(({ target, removedNodes }) => this.el.contains(target) || [...removedNodes].some((node) => node.contains(this.el)));
  });

  constructor(private readonly el: Element) {
    this.observer.observe(el.parentNode ?? el, { subtree: true, childList: true, attributes: true });
  }

  /** Resolves when what the pointer's coming began has been drawn. It came with a frame, so what waited for one has run. */
  async settle(): Promise<void> {
    const end = performance.now() + SETTLE_TIMEOUT_MS;
    if (!document.hidden) await new Promise((resolve) => setTimeout(resolve)); // behind the page's own; slow in hidden tabs
    await nextTask();
    while (this.changed && performance.now() < end) {
      this.changed = false;
      await nextFrame();
      await nextTask();
    }
  }

  end(): void {
    this.observer.disconnect();
  }
}
