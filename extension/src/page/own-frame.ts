// Rule: a page of the extension in a frame that the web page cannot style, read
// or click: a closed shadow root in the top layer. The frame has a key that the
// web page does not learn; whoever asks without it is not answered. A frame
// that was sent elsewhere does not answer to its key and is made anew.

import type { FrameAsk, FrameAnswer, KeyMessage } from "../ui/frame-messages";
import { PageError } from "./errors";
import { markOwn, OWN } from "./own";
import { watchFocus } from "./own-focus";
import type { Area } from "./own-box";
import { Keeper } from "./own-keeper";
import type { Context } from "./settle";

/** A call waits this long for a page that is slow to load, or cannot run here. */
const READY_MS = 5000;
/** A page of ours says hello within this time of its load. */
const HELLO_MS = 2000;
const FIRST_REBUILD_MS = 100;
const LAST_REBUILD_MS = 10_000;

// An important rule of the inner tree outranks every rule and style of the page.
const FIXED = `
:host { all: initial !important; position: fixed !important; z-index: 2147483647 !important; display: block !important;
  box-sizing: border-box !important; overflow: visible !important; color-scheme: light dark !important;
  transition: none !important; animation: none !important; }
iframe { all: initial; display: block; width: 100%; height: 100%; border: 0; border-radius: 12px; pointer-events: inherit;
  color-scheme: light dark; background: Canvas; box-shadow: 0 0 0 1px rgb(128 128 128 / .35), 0 8px 28px rgb(0 0 0 / .28); }
@media print { :host { display: none !important; } }`;

export interface FrameOptions {
  id: string;
  /** The extension's page, such as pane.html. */
  page: string;
  label: string;
  /** What tells that the page is ready for the user. */
  ready: "hello" | "shown";
  /** Answers what the page asks besides hello. */
  answer(ask: FrameAsk): Omit<Extract<FrameAnswer, { ok: true }>, "ok">;
}

const frames = new Set<OwnFrame>();

/** The frames that stand in the page now. */
export const ownFrames = (): Iterable<OwnFrame> => frames;

/** Answers a frame's question; one without the key of a frame here gets nothing. */
export function answerFrame(key: string, ask: FrameAsk): FrameAnswer {
  for (const frame of frames) if (frame.has(key)) return frame.hear(ask);
  return { ok: false };
}

/** One frame in the page. */
export class OwnFrame {
  readonly host = document.createElement("div");
  private readonly sheet = new CSSStyleSheet();
  private readonly iframe = document.createElement("iframe");
  private readonly keeper: Keeper;
  private key = "";
  private settle: () => void = () => {};
  private readonly waiting = new Promise<void>((resolve) => (this.settle = resolve));
  private rebuildMs = FIRST_REBUILD_MS;
  private timer: number | undefined;
  private area: Area = { left: 0, top: 0, width: 0, height: 0 };
  /** Until it is laid out. */
  private hidden = true;
  private passing = 0;
  /** A page of ours is in it: until then there is nothing to see, and on some pages none can run. */
  private alive = false;

  constructor(private readonly options: FrameOptions) {
    if (typeof chrome === "undefined" || !chrome.runtime?.id) {
      throw new PageError("capability_unavailable", "only the extension can show a frame of its own");
    }
    watchFocus();
    markOwn(this.host, options.id);
    this.host.setAttribute("popover", "manual");
    const root = this.host.attachShadow({ mode: "closed" });
    root.adoptedStyleSheets = [this.sheet];
    this.iframe.title = options.label;
    this.iframe.allow = "microphone";
    if (window.crossOriginIsolated) this.isolate();
    this.iframe.addEventListener("load", () => this.loaded());
    root.append(this.iframe);
    this.navigate();
    this.keeper = new Keeper(this.host, [OWN, "popover"], () => !this.hidden, () => this.passing === 0 && this.alive, () => this.focus());
    frames.add(this);
  }

  /** Settles when the extension's page is ready, and fails when the call is cancelled or the time is over. */
  async ready({ deadline, signal }: Context): Promise<void> {
    const ms = Math.max(1, Math.min(READY_MS, deadline - performance.now()));
    const late = new Promise<never>((_, reject) => {
      const fail = (): void => reject(new PageError("render_failed", "the extension's page does not run in this document"));
      const timer = setTimeout(fail, ms);
      void this.waiting.then(() => clearTimeout(timer));
      signal.addEventListener("abort", () => reject(new PageError("cancelled", "the call was cancelled")), { once: true });
    });
    await Promise.race([this.waiting, late]);
  }

  has(key: string): boolean {
    return this.key !== "" && this.key === key;
  }

  hear(ask: FrameAsk): FrameAnswer {
    if (ask.ask === "hello") this.greet();
    if (ask.ask === this.options.ready) this.settle();
    if (ask.ask === "hello" || ask.ask === "shown") return { ok: true };
    return { ok: true, ...this.options.answer(ask) };
  }

  layout(area: Area, hidden = false): void {
    this.area = area;
    const changed = this.hidden !== hidden;
    this.hidden = hidden;
    this.style();
    if (changed) this.keeper.look();
  }

  rect(): Area {
    return this.area;
  }

  /** Lets the pointer through until as many calls with false. */
  pass(on: boolean): void {
    this.passing += on ? 1 : -1;
    this.style();
  }

  /** Whether the user's keys go to it. */
  get focused(): boolean {
    return document.activeElement === this.host;
  }

  focus(): void {
    this.iframe.focus({ preventScroll: true });
  }

  /** Gives the focus up; the host alone cannot, as it is the frame inside that has it. */
  blur(): void {
    this.iframe.blur();
  }

  /** Lets Tab pass by, until called with false. */
  skip(on: boolean): void {
    if (on) this.iframe.tabIndex = -1;
    else this.iframe.removeAttribute("tabindex");
  }

  remove(): void {
    frames.delete(this);
    window.clearTimeout(this.timer);
    this.keeper.stop();
    this.host.remove();
  }

  private style(): void {
    const { left, top, width, height } = this.area;
    const rules = [
      `left: ${left}px`, `top: ${top}px`, `width: ${width}px`, `height: ${height}px`,
      `pointer-events: ${this.passing > 0 || !this.alive ? "none" : "auto"}`,
      `visibility: ${this.alive ? "visible" : "hidden"}`,
      ...(this.hidden ? ["display: none"] : []),
    ].map((rule) => `${rule} !important;`);
    this.sheet.replaceSync(`${FIXED} :host { ${rules.join(" ")} }`);
  }

  private navigate(): void {
    // A fixed address: for one that changes (use_dynamic_url) Chrome takes the
    // frame for another extension's and ends the debugging of the tab.
    this.iframe.src = chrome.runtime.getURL(this.options.page);
  }

  // Whatever was loaded: the key goes only to a page of the extension, and only
  // the extension's worker brings it back.
  private loaded(): void {
    this.key = random();
    const message: KeyMessage = { actions_host_key: this.key };
    this.iframe.contentWindow?.postMessage(message, `chrome-extension://${chrome.runtime.id}`);
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.rebuild(), HELLO_MS);
  }

  private greet(): void {
    window.clearTimeout(this.timer);
    this.live(true);
  }

  private live(on: boolean): void {
    if (this.alive === on) return;
    this.alive = on;
    this.style();
    this.keeper.look();
  }

  // A page with an embedder policy admits no other frame; whether it has one
  // cannot always be seen.
  private isolate(): void {
    this.iframe.setAttribute("credentialless", "");
  }

  private rebuild(): void {
    this.key = "";
    this.live(false);
    this.isolate();
    this.timer = window.setTimeout(() => this.navigate(), this.rebuildMs);
    this.rebuildMs = Math.min(LAST_REBUILD_MS, this.rebuildMs * 2);
  }
}

// crypto.randomUUID is there in secure contexts only.
function random(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
