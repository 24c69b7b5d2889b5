// Rule: what the extension draws over a page is built here: an element in the top layer
// whose content the page cannot reach, and which the page's own readings leave out.

import { markExtensionElement } from "../dom/extension-elements";

export interface ClosedLayer {
  host: HTMLElement;
  root: ShadowRoot;
  sheet: CSSStyleSheet;
}

/** A layer over the whole view that takes no input. */
export const COVER_STYLE = `
:host { all: initial !important; position: fixed !important; inset: 0 !important; z-index: 2147483647 !important; display: block !important;
  overflow: hidden !important; pointer-events: none !important; contain: strict !important; color-scheme: light dark !important; }`;

/** A layer that takes no input and has no size: what is in it alone covers anything. */
export const MARK_STYLE = `
:host { all: initial !important; position: fixed !important; inset: 0 auto auto 0 !important; width: 0 !important; height: 0 !important; z-index: 2147483647 !important; display: block !important;
  pointer-events: none !important; color-scheme: light dark !important; }`;

// The backdrop of a popover lies over the whole view: over the pane too, whose questions then take no answer.
const SHARED_STYLE = `
:host::backdrop { display: none !important; }
:host(:not(:popover-open)) { display: none !important; }
@media print { :host { display: none !important; } }`;

/** Returns a layer that is in no document yet. */
export function buildClosedLayer(id: string, style: string): ClosedLayer {
  const host = document.createElement("div");
  markExtensionElement(host, id);
  host.popover = "manual";
  const root = host.attachShadow({ mode: "closed" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style + SHARED_STYLE);
  root.adoptedStyleSheets = [sheet];
  return { host, root, sheet };
}

/** A picture is taken by then; what was hidden for it comes back by itself. */
const HIDDEN_TIMEOUT_MS = 10_000;

/** Whether a layer is hidden while a picture is taken. */
export class HiddenForPicture {
  private timer: number | undefined;

  constructor(private readonly changed: () => void) {}

  get hidden(): boolean {
    return this.timer !== undefined;
  }

  hide(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.unhide(), HIDDEN_TIMEOUT_MS);
    this.changed();
  }

  unhide(): void {
    if (!this.hidden) return;
    window.clearTimeout(this.timer);
    this.timer = undefined;
    this.changed();
  }
}
