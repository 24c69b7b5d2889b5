// Rule: a launcher or note of the extension is drawn in a closed shadow root, whose
// important rules no page outranks, and reacts only to a real click.

import { markExtensionElement } from "../dom/extension-elements";
import { sendToWorker } from "./link";

const STYLE = `
:host { all: initial !important; display: inline-block !important; margin: 0 4px !important; vertical-align: middle !important;
  font: 12px/1.4 system-ui, sans-serif !important; color-scheme: inherit !important;
  transition: none !important; animation: none !important; }
button, span { all: initial; color-scheme: inherit; box-sizing: border-box; display: inline-block; padding: 1px 8px; font: inherit; border-radius: 6px;
  color: light-dark(#1b3fa8, #adc2ff); background: light-dark(#eef2fd, #1d2540); border: 1px solid light-dark(#b9c6ee, #40507f); }
button { cursor: pointer; min-height: 24px; font-weight: 600; }
button:hover { background: light-dark(#dfe7fb, #26315a); }
button:focus-visible { outline: 2px solid light-dark(#2451d1, #86a6ff); outline-offset: 1px; }
@media print { :host { display: none !important; } }`;

const PASS_THROUGH_STYLE = ":host { pointer-events: none !important; }";

let sheet: CSSStyleSheet | undefined;
let passThroughCount = 0;

/** How a launcher looks and behaves. */
export interface LauncherOptions {
  id: string;
  label: string;
  title: string;
  /** A button; otherwise a note. */
  interactive: boolean;
}

/** Returns the host element of a new launcher. */
export function buildLauncher(options: LauncherOptions): HTMLElement {
  const host = document.createElement("span");
  markExtensionElement(host, options.id);
  const inner = document.createElement(options.interactive ? "button" : "span");
  inner.textContent = options.label;
  inner.setAttribute("aria-label", options.label);
  if (options.title) inner.title = options.title;
  if (options.interactive) inner.setAttribute("type", "button");
  else inner.setAttribute("role", "note");
  const root = host.attachShadow({ mode: "closed" });
  root.adoptedStyleSheets = [sharedSheet()];
  root.append(inner);
  // A page may dispatch clicks on the host; the inner button is out of its reach.
  inner.addEventListener("click", (event) => {
    if (event.isTrusted && options.interactive) reportClick(options.id);
  });
  // The page's own listeners must not take it for a click on their element.
  for (const type of ["click", "auxclick", "mousedown", "mouseup", "pointerdown", "pointerup"]) {
    host.addEventListener(type, (event) => event.stopPropagation());
  }
  host.addEventListener("click", (event) => event.preventDefault());
  return host;
}

/** Lets the pointer through all launchers, until called with false as many times; reports whether there are any. */
export function setLaunchersPassThrough(on: boolean): boolean {
  if (!sheet) return false;
  passThroughCount += on ? 1 : -1;
  sheet.replaceSync(passThroughCount > 0 ? STYLE + PASS_THROUGH_STYLE : STYLE);
  return true;
}

function sharedSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
  }
  return sheet;
}

function reportClick(id: string): void {
  sendToWorker({ kind: "launcher", id });
  document.dispatchEvent(new CustomEvent("actions-json:overlay-launcher-opened", { detail: { launcher_id: id } }));
}
