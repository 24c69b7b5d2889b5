// Rule: a frame of the extension stays in the document, in the top layer and on
// top of it, whatever the page does: it is checked after events that may affect
// it, and once a second. A page that keeps removing it gets it back more slowly,
// so that neither side wastes CPU time. Into a modal dialog and out of it again it goes
// at once: where it is until then, no press reaches it.

import { composedClosest } from "../dom/dom";
import { elementAt } from "../dom/hit-test";
import { EXTENSION_ATTRIBUTE, isExtensionElement } from "../dom/extension-elements";
import { Unzoom } from "./unzoom";

const CHECK_INTERVAL_MS = 1000;
const CHECK_DELAY_MS = 50;
/** After this many repairs within ten check intervals, the next one is delayed. */
const MAX_REPAIRS = 8;
const REPAIR_DELAY_MS = 5000;

interface MovableParent {
  moveBefore?(node: Node, before: Node | null): void;
}

const isDialog = (node: Node): boolean => node instanceof HTMLDialogElement;

/** Keeps one host element in the document and on top. */
export class OverlayGuard {
  /** The root of the host adopts its sheet. */
  readonly unzoom: Unzoom;
  private readonly id: string;
  private readonly stopped = new AbortController();
  // A zoom around the host changes its size on the screen.
  private readonly size = new ResizeObserver(() => this.check());
  private readonly tree = new MutationObserver(() => (this.host.isConnected ? this.checkSoon() : this.check()));
  private readonly attributes = new MutationObserver((changes) => (changes.some(({ target }) => isDialog(target)) ? this.check() : this.checkSoon()));
  private readonly timer = window.setInterval(() => this.check(), CHECK_INTERVAL_MS);
  private pending: number | undefined;
  private repairs: number[] = [];
  private lastParent: Element | null = null;

  /** `isShown` reports whether the host should be visible, `isClickable` whether the pointer should hit it. */
  constructor(
    private readonly host: HTMLElement,
    private readonly allowedAttributes: readonly string[],
    private readonly isShown: () => boolean,
    private readonly isClickable: () => boolean,
    private readonly refocus: () => void,
  ) {
    this.unzoom = new Unzoom(host);
    this.id = host.getAttribute(EXTENSION_ATTRIBUTE) ?? "";
    this.size.observe(host, { box: "device-pixel-content-box" });
    const options = { signal: this.stopped.signal, capture: true, passive: true };
    for (const type of ["toggle", "fullscreenchange", "close"]) document.addEventListener(type, () => this.checkSoon(), options);
    for (const type of ["pageshow", "resize"]) window.addEventListener(type, () => this.checkSoon(), options);
    // Opening a dialog or making a popover changes an attribute.
    this.attributes.observe(document, { subtree: true, attributeFilter: ["open", "popover"] });
    this.attributes.observe(host, { attributes: true });
    this.check();
  }

  stop(): void {
    this.stopped.abort();
    this.tree.disconnect();
    this.attributes.disconnect();
    this.size.disconnect();
    window.clearInterval(this.timer);
    window.clearTimeout(this.pending);
  }

  private checkSoon(): void {
    this.pending ??= window.setTimeout(() => this.check(), CHECK_DELAY_MS);
  }

  /** Repairs whatever is wrong. */
  check(): void {
    window.clearTimeout(this.pending);
    this.pending = undefined;
    if (!document.documentElement) return this.checkSoon();
    this.restoreAttributes();
    if (!this.host.isConnected) this.repair(() => this.moveTo(this.alternateParent()));
    if (this.host.isConnected) this.watchTree();
    this.unzoom.update();
    if (!this.isShown()) return void (this.isOpen() && this.host.hidePopover());
    if (!this.host.isConnected) return;
    if (!this.isOpen()) this.raise();
    if (this.isOpen() && !document.hidden && this.isClickable()) this.uncover();
  }

  private isOpen(): boolean {
    return this.host.matches(":popover-open");
  }

  // The page may set attributes of the host, and take them away; :host rules outrank all but these.
  private restoreAttributes(): void {
    for (const name of this.host.getAttributeNames()) if (!this.allowedAttributes.includes(name)) this.host.removeAttribute(name);
    for (const [name, value] of [[EXTENSION_ATTRIBUTE, this.id], ["popover", "manual"]] as const) if (this.host.getAttribute(name) !== value) this.host.setAttribute(name, value);
  }

  // Removal of the host is noticed at once; a wrong position, soon.
  private watchTree(): void {
    this.tree.disconnect();
    this.tree.observe(document, { childList: true });
    for (let at = this.host.parentNode; at && at !== document; at = at.parentNode) this.tree.observe(at, { childList: true });
    this.tree.takeRecords();
  }

  private uncover(): void {
    const rect = this.host.getBoundingClientRect();
    if (rect.width === 0) {
      const home = (): void => this.moveTo(document.documentElement);
      // Out of a dialog that was closed it goes as often as it came in, which was counted.
      return this.host.parentNode && isDialog(this.host.parentNode) ? home() : this.repair(home);
    }
    const point = { x: rect.left + rect.width / 2, y: rect.top + rect.height / 2 };
    const covering = document.elementFromPoint(point.x, point.y);
    if (!covering || isExtensionElement(covering)) return;
    this.repair(() => {
      const hit = elementAt(document, point);
      // A modal dialog makes everything outside of it inert: only inside of it
      // can the frame be used.
      const modal = (hit && composedClosest(hit, ":modal")) ?? [...document.querySelectorAll(":modal")].findLast((el) => el.checkVisibility());
      if (modal && this.host.parentNode !== modal) this.moveTo(modal);
      else this.raise();
    });
  }

  /** The last one shown is the uppermost. */
  private raise(): void {
    const focused = document.activeElement === this.host;
    if (this.isOpen()) this.host.hidePopover();
    this.host.showPopover();
    if (focused) this.refocus();
  }

  // A page that removes unknown children of its root may leave those of its body
  // alone, and the other way round.
  private alternateParent(): Element {
    const { documentElement, body } = document;
    return (this.lastParent === documentElement && body) || documentElement;
  }

  // moveBefore keeps what the frame shows; older browsers load it again.
  private moveTo(parent: Element & MovableParent): void {
    if (this.host.isConnected && parent.moveBefore) parent.moveBefore(this.host, null);
    else parent.append(this.host);
    this.lastParent = parent;
    if (this.isShown()) this.raise();
    this.watchTree();
  }

  private repair(fix: () => void): void {
    const now = performance.now();
    this.repairs = this.repairs.filter((at) => now - at < 10 * CHECK_INTERVAL_MS);
    const last = this.repairs.at(-1) ?? -Infinity;
    if (this.repairs.length >= MAX_REPAIRS && now - last < REPAIR_DELAY_MS) return;
    this.repairs.push(now);
    fix();
  }
}
