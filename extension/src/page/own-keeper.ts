// Rule: an own frame stays in the document, in the top layer and on top of it,
// whatever the page does: it is looked at when something happened that may
// concern it, and once a second. A page that fights for the place gets the
// frame back more and more slowly, so that neither side burns the processor.

import { composedClosest } from "./dom";
import { elementAt } from "./hit-test";
import { isOwn } from "./own";

const LOOK_MS = 1000;
const SOON_MS = 50;
/** From this many repairs within ten looks on, the next one waits. */
const FIGHT = 8;
const TRUCE_MS = 5000;

interface Moving {
  moveBefore?(node: Node, before: Node | null): void;
}

/** Keeps one host element where it belongs. */
export class Keeper {
  private readonly stopped = new AbortController();
  private readonly tree = new MutationObserver(() => this.soon());
  private readonly attributes = new MutationObserver(() => this.soon());
  private readonly timer = window.setInterval(() => this.look(), LOOK_MS);
  private pending: number | undefined;
  private repairs: number[] = [];
  private home: Element | null = null;

  /** `shown` tells whether the host should be seen now, `clickable` whether it should be hit by the pointer. */
  constructor(
    private readonly host: HTMLElement,
    private readonly allowed: readonly string[],
    private readonly shown: () => boolean,
    private readonly clickable: () => boolean,
    private readonly refocus: () => void,
  ) {
    const soon = { signal: this.stopped.signal, capture: true, passive: true };
    for (const type of ["toggle", "fullscreenchange", "close"]) document.addEventListener(type, () => this.soon(), soon);
    for (const type of ["pageshow", "resize"]) window.addEventListener(type, () => this.soon(), soon);
    // What opens a dialog or makes a popover of something changes an attribute.
    this.attributes.observe(document, { subtree: true, attributeFilter: ["open", "popover"] });
    this.attributes.observe(host, { attributes: true });
    this.look();
  }

  stop(): void {
    this.stopped.abort();
    this.tree.disconnect();
    this.attributes.disconnect();
    window.clearInterval(this.timer);
    window.clearTimeout(this.pending);
  }

  private soon(): void {
    this.pending ??= window.setTimeout(() => this.look(), SOON_MS);
  }

  /** Puts right what is not. */
  look(): void {
    window.clearTimeout(this.pending);
    this.pending = undefined;
    if (!document.documentElement) return this.soon();
    this.clean();
    if (!this.host.isConnected) this.repair(() => this.put(this.other()));
    if (this.host.isConnected) this.watchTree();
    if (!this.shown()) return void (this.open() && this.host.hidePopover());
    if (!this.host.isConnected) return;
    if (!this.open()) this.raise();
    if (this.open() && !document.hidden && this.clickable()) this.uncover();
  }

  private open(): boolean {
    return this.host.matches(":popover-open");
  }

  // The page may write on the host; :host rules outrank all of it but these.
  private clean(): void {
    for (const name of this.host.getAttributeNames()) if (!this.allowed.includes(name)) this.host.removeAttribute(name);
    if (this.host.getAttribute("popover") !== "manual") this.host.setAttribute("popover", "manual");
  }

  // Removing the host is seen at once; being at the wrong place, soon.
  private watchTree(): void {
    this.tree.disconnect();
    this.tree.observe(document, { childList: true });
    for (let at = this.host.parentNode; at && at !== document; at = at.parentNode) this.tree.observe(at, { childList: true });
    this.tree.takeRecords();
  }

  private uncover(): void {
    const rect = this.host.getBoundingClientRect();
    if (rect.width === 0) return this.repair(() => this.put(document.documentElement)); // the dialog around it was closed
    const point = { x: rect.left + rect.width / 2, y: rect.top + rect.height / 2 };
    const over = document.elementFromPoint(point.x, point.y);
    if (!over || isOwn(over)) return;
    this.repair(() => {
      const hit = elementAt(document, point);
      // A modal dialog makes everything outside of it inert: only inside of it
      // can the frame be used.
      const modal = (hit && composedClosest(hit, ":modal")) ?? [...document.querySelectorAll(":modal")].findLast((el) => el.checkVisibility());
      if (modal && this.host.parentNode !== modal) this.put(modal);
      else this.raise();
    });
  }

  /** The last one shown is the uppermost. */
  private raise(): void {
    const focused = document.activeElement === this.host;
    if (this.open()) this.host.hidePopover();
    this.host.showPopover();
    if (focused) this.refocus();
  }

  // A page that clears out what it does not know below its root may leave its
  // body alone, and the other way round.
  private other(): Element {
    const { documentElement, body } = document;
    return (this.home === documentElement && body) || documentElement;
  }

  // Moving without leaving keeps what the frame shows; older browsers load it anew.
  private put(parent: Element & Moving): void {
    if (this.host.isConnected && parent.moveBefore) parent.moveBefore(this.host, null);
    else parent.append(this.host);
    this.home = parent;
    if (this.shown()) this.raise();
    this.watchTree();
  }

  private repair(work: () => void): void {
    const now = performance.now();
    this.repairs = this.repairs.filter((at) => now - at < 10 * LOOK_MS);
    const last = this.repairs.at(-1) ?? -Infinity;
    if (this.repairs.length >= FIGHT && now - last < TRUCE_MS) return;
    this.repairs.push(now);
    work();
  }
}
