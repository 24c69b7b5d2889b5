// Rule: marks of elements are drawn in a closed layer that takes no input and is in no
// picture; they follow their elements and go away by themselves.

import { styleOf } from "../dom/dom";
import { fromTop, toTop } from "../dom/viewport";
import { buildClosedLayer, MARK_STYLE, HiddenForPicture } from "./closed-layer";
import { clipBeside } from "./clip";

const FOLLOW_INTERVAL_MS = 250;

const STYLE = `${MARK_STYLE}
div { position: absolute; box-sizing: border-box; border: 3px dashed #b3261e; border-radius: 7px; background: rgb(179 38 30 / .08); box-shadow: 0 0 0 2px rgb(255 255 255 / .9); }
span { position: absolute; left: -3px; bottom: 100%; padding: 0 6px; border-radius: 7px 7px 0 0; font: 600 12px/18px system-ui, sans-serif; color: #fff; background: #b3261e; }`;

interface Mark {
  box: HTMLElement;
  target: Element;
  until: number;
}

/** The marks of one kind in the document. */
export class Marks {
  private layer: { host: HTMLElement; root: ShadowRoot; timer: number } | undefined;
  private marks: Mark[] = [];
  private readonly picture = new HiddenForPicture(() => this.draw());

  constructor(
    private readonly id: string,
    private readonly shownMs: number,
  ) {}

  /** Marks an element, with a short text beside it. */
  add(target: Element, text = ""): void {
    const box = document.createElement("div");
    if (text !== "") box.append(Object.assign(document.createElement("span"), { textContent: text }));
    this.layer ??= this.build();
    this.layer.root.append(box);
    this.marks.push({ box, target, until: performance.now() + this.shownMs });
    this.draw();
  }

  /** Removes the marks. */
  remove(): void {
    if (!this.layer) return;
    window.clearInterval(this.layer.timer);
    this.layer.host.remove();
    this.layer = undefined;
    this.marks = [];
  }

  /** Hides the marks while a picture is taken; reports whether there were any. */
  hide(): boolean {
    const shown = this.layer?.host.matches(":popover-open") === true;
    if (this.layer) this.picture.hide();
    return shown;
  }

  /** Shows them again. */
  unhide(): void {
    this.picture.unhide();
  }

  private build(): { host: HTMLElement; root: ShadowRoot; timer: number } {
    const { host, root } = buildClosedLayer(this.id, STYLE);
    host.ariaHidden = "true";
    document.documentElement.append(host);
    return { host, root, timer: window.setInterval(() => this.draw(), FOLLOW_INTERVAL_MS) };
  }

  private draw(): void {
    if (!this.layer) return;
    const over = this.marks.filter(({ target, until }) => performance.now() > until || !target.isConnected || styleOf(target).visibility !== "visible");
    for (const { box } of over) box.remove();
    this.marks = this.marks.filter((each) => !over.includes(each));
    if (this.marks.length === 0) return this.remove();
    const { host } = this.layer;
    if (!host.isConnected) document.documentElement.append(host);
    if (host.matches(":popover-open") === this.picture.hidden) host.togglePopover();
    for (const { box, target } of this.marks) place(box, target);
  }
}

function place(box: HTMLElement, target: Element): void {
  const { left, top, right, bottom } = toTop(target.getBoundingClientRect(), target.ownerDocument);
  const [from, to] = [fromTop({ x: left, y: top }, document), fromTop({ x: right, y: bottom }, document)];
  const area = { left: from.x - 5, top: from.y - 5, width: to.x - from.x + 10, height: to.y - from.y + 10 };
  Object.assign(box.style, { left: `${area.left}px`, top: `${area.top}px`, width: `${area.width}px`, height: `${area.height}px` });
  clipBeside(box, area, area);
}
