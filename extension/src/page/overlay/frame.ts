// Rule: a page of the extension in a frame that the web page cannot style, read
// or click: a closed shadow root in the top layer. The frame has a key that the
// web page does not learn; requests without it are not answered. A frame that was
// navigated elsewhere loses its key and is loaded again.

import type { FrameAsk, FrameAnswer, KeyMessage } from "../../ui/shared/frame-messages";
import { PageError } from "../base/errors";
import { watchPageFocus } from "../dom/page-focus";
import { markExtensionElement, EXTENSION_ATTRIBUTE, extensionFrames } from "../dom/extension-elements";
import type { Context } from "../wait/schedule";
import { OverlayGuard } from "./guard";
import type { Area } from "./layout";

/** A call waits this long for a page that is slow to load, or cannot run here. */
const READY_TIMEOUT_MS = 5000;
/** The extension's page sends hello within this time of its load. */
const HELLO_TIMEOUT_MS = 2000;
const MIN_REBUILD_DELAY_MS = 100;
const MAX_REBUILD_DELAY_MS = 10_000;

// An important rule of the inner tree outranks every rule and style of the page.
const BASE_STYLE = `
:host { all: initial !important; position: fixed !important; z-index: 2147483647 !important; display: block !important;
  box-sizing: border-box !important; overflow: visible !important; color-scheme: light dark !important;
  transition: none !important; animation: none !important; }
iframe { all: initial; display: block; width: 100%; height: 100%; border: 0; border-radius: 12px; pointer-events: inherit;
  color-scheme: light dark; background: Canvas; box-shadow: 0 0 0 1px rgb(128 128 128 / .35), 0 8px 28px rgb(0 0 0 / .28); }
@media print { :host { display: none !important; } }`;

const TRANSPARENT_STYLE = "iframe { background: none; border-radius: 0; box-shadow: none; }";

export interface FrameOptions {
  id: string;
  /** The extension's page, such as pane.html. */
  page: string;
  label: string;
  /** What the frame's page leaves empty shows the web page. */
  transparent?: boolean;
  /** The message that means that the page is ready for the user. */
  ready: "hello" | "shown";
  /** Answers the page's requests other than hello. */
  answer(ask: FrameAsk): Omit<Extract<FrameAnswer, { ok: true }>, "ok">;
}

const frames = new Set<OverlayFrame>();

const watchers = new Set<() => void>();

/** Calls `moved` whenever one of the frames may be elsewhere, until the returned function is called. */
export function watchFrames(moved: () => void): () => void {
  watchers.add(moved);
  return () => void watchers.delete(moved);
}

/** The extension's frames in the page. */
export const overlayFrames = (): Iterable<OverlayFrame> => frames;

/** Answers a frame's request; one without the key of a frame here is refused. */
export function answerFrame(key: string, ask: FrameAsk): FrameAnswer {
  for (const frame of frames) if (frame.hasKey(key)) return frame.handle(ask);
  return { ok: false };
}

/** One frame of the extension in the page. */
export class OverlayFrame {
  readonly host = document.createElement("div");
  private readonly sheet = new CSSStyleSheet();
  private readonly iframe = document.createElement("iframe");
  private readonly guard: OverlayGuard;
  private key = "";
  private resolveReady: () => void = () => {};
  private readonly whenReady = new Promise<void>((resolve) => (this.resolveReady = resolve));
  private rebuildDelay = MIN_REBUILD_DELAY_MS;
  private timer: number | undefined;
  private area: Area = { left: 0, top: 0, width: 0, height: 0 };
  /** Until it is laid out. */
  private hidden = true;
  private passThroughCount = 0;
  /** Whether the extension's page runs in it: until then nothing is shown, and on some pages it never can. */
  private alive = false;

  constructor(private readonly options: FrameOptions) {
    if (typeof chrome === "undefined" || !chrome.runtime?.id) {
      throw new PageError("capability_unavailable", "only the extension can show a frame of its own");
    }
    watchPageFocus();
    markExtensionElement(this.host, options.id);
    this.host.setAttribute("popover", "manual");
    const root = this.host.attachShadow({ mode: "closed" });
    this.iframe.title = options.label;
    this.iframe.allow = "microphone";
    if (window.crossOriginIsolated) this.makeCredentialless();
    this.iframe.addEventListener("load", () => this.handleLoad());
    root.append(this.iframe);
    this.navigate();
    this.guard = new OverlayGuard(this.host, [EXTENSION_ATTRIBUTE, "popover"], () => !this.hidden, () => this.passThroughCount === 0 && this.alive, () => this.focus());
    root.adoptedStyleSheets = [this.sheet, this.guard.unzoom.sheet];
    frames.add(this);
    if (!options.transparent) extensionFrames.add(this.host);
  }

  /** Resolves when the extension's page is ready; fails when the call is cancelled or on timeout. */
  async ready({ deadline, signal }: Context): Promise<void> {
    const ms = Math.max(1, Math.min(READY_TIMEOUT_MS, deadline - performance.now()));
    const timedOut = new Promise<never>((_, reject) => {
      const fail = (): void => reject(new PageError("render_failed", "the extension's page does not run in this document"));
      const timer = setTimeout(fail, ms);
      void this.whenReady.then(() => clearTimeout(timer));
      signal.addEventListener("abort", () => reject(new PageError("cancelled", "the call was cancelled")), { once: true });
    });
    await Promise.race([this.whenReady, timedOut]);
  }

  hasKey(key: string): boolean {
    return this.key !== "" && this.key === key;
  }

  handle(ask: FrameAsk): FrameAnswer {
    if (ask.ask === "hello") this.handleHello();
    if (ask.ask === this.options.ready) this.resolveReady();
    if (ask.ask === "hello" || ask.ask === "shown") return { ok: true };
    return { ok: true, ...this.options.answer(ask) };
  }

  layout(area: Area, hidden = false): void {
    this.area = area;
    const changed = this.hidden !== hidden;
    this.hidden = hidden;
    this.style();
    if (changed) this.guard.check();
    for (const moved of watchers) moved();
  }

  rect(): Area {
    return this.area;
  }

  /** Lets the pointer through, until called with false as many times. */
  setPassThrough(on: boolean): void {
    this.passThroughCount += on ? 1 : -1;
    this.style();
  }

  /** Reports whether the user's keys go to it. */
  get focused(): boolean {
    return document.activeElement === this.host;
  }

  focus(): void {
    this.iframe.focus({ preventScroll: true });
  }

  /** Blurs the frame; blurring the host would not, as the iframe inside has the focus. */
  blur(): void {
    this.iframe.blur();
  }

  /** Takes the frame out of the tab order, until called with false. */
  setTabSkipped(on: boolean): void {
    if (on) this.iframe.tabIndex = -1;
    else this.iframe.removeAttribute("tabindex");
  }

  remove(): void {
    frames.delete(this);
    extensionFrames.delete(this.host);
    window.clearTimeout(this.timer);
    this.guard.stop();
    this.host.remove();
    for (const moved of watchers) moved();
  }

  private style(): void {
    const { left, top, width, height } = this.area;
    const rules = [
      `left: ${left}px`, `top: ${top}px`, `width: ${width}px`, `height: ${height}px`,
      `pointer-events: ${this.passThroughCount > 0 || !this.alive ? "none" : "auto"}`,
      `visibility: ${this.alive ? "visible" : "hidden"}`,
      ...(this.hidden ? ["display: none"] : []),
    ].map((rule) => `${rule} !important;`);
    this.sheet.replaceSync(`${BASE_STYLE} ${this.options.transparent ? TRANSPARENT_STYLE : ""} :host { ${rules.join(" ")} }`);
  }

  private navigate(): void {
    // A fixed address: with one that changes (use_dynamic_url) Chrome takes the
    // frame for another extension's and detaches the debugger from the tab.
    this.iframe.src = chrome.runtime.getURL(this.options.page);
  }

  // Whatever was loaded: the key is posted only to a page of the extension, and
  // comes back only through the extension's worker.
  private handleLoad(): void {
    this.key = randomKey();
    const message: KeyMessage = { actions_host_key: this.key };
    this.iframe.contentWindow?.postMessage(message, `chrome-extension://${chrome.runtime.id}`);
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.rebuild(), HELLO_TIMEOUT_MS);
  }

  private handleHello(): void {
    window.clearTimeout(this.timer);
    this.setAlive(true);
  }

  private setAlive(on: boolean): void {
    if (this.alive === on) return;
    this.alive = on;
    this.style();
    this.guard.check();
  }

  // A page with an embedder policy admits only credentialless frames; whether it
  // has one cannot always be detected.
  private makeCredentialless(): void {
    this.iframe.setAttribute("credentialless", "");
  }

  private rebuild(): void {
    this.key = "";
    this.setAlive(false);
    this.makeCredentialless();
    this.timer = window.setTimeout(() => this.navigate(), this.rebuildDelay);
    this.rebuildDelay = Math.min(MAX_REBUILD_DELAY_MS, this.rebuildDelay * 2);
  }
}

// crypto.randomUUID exists in secure contexts only.
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
