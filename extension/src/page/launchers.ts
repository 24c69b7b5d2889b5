// Rule: a launcher or note of ours is drawn in a closed shadow root, whose
// important rules no page outranks, and answers only to a real click.

import { markOwn } from "./own";
import { tell } from "./own-link";

const LOOK = `
:host { all: initial !important; display: inline-block !important; margin: 0 4px !important; vertical-align: middle !important;
  font: 12px/1.4 system-ui, sans-serif !important; color-scheme: inherit !important;
  transition: none !important; animation: none !important; }
button, span { all: initial; color-scheme: inherit; box-sizing: border-box; display: inline-block; padding: 1px 8px; font: inherit; border-radius: 6px;
  color: light-dark(#1b3fa8, #adc2ff); background: light-dark(#eef2fd, #1d2540); border: 1px solid light-dark(#b9c6ee, #40507f); }
button { cursor: pointer; min-height: 24px; font-weight: 600; }
button:hover { background: light-dark(#dfe7fb, #26315a); }
button:focus-visible { outline: 2px solid light-dark(#2451d1, #86a6ff); outline-offset: 1px; }
@media print { :host { display: none !important; } }`;

const PASS = ":host { pointer-events: none !important; }";

let sheet: CSSStyleSheet | undefined;
let passing = 0;

/** What is drawn. */
export interface Look {
  id: string;
  label: string;
  title: string;
  /** A button; otherwise a note. */
  acts: boolean;
}

/** The host element of a launcher. */
export function buildLauncher(look: Look): HTMLElement {
  const host = document.createElement("span");
  markOwn(host, look.id);
  const inner = document.createElement(look.acts ? "button" : "span");
  inner.textContent = look.label;
  inner.setAttribute("aria-label", look.label);
  if (look.title) inner.title = look.title;
  if (look.acts) inner.setAttribute("type", "button");
  else inner.setAttribute("role", "note");
  const root = host.attachShadow({ mode: "closed" });
  root.adoptedStyleSheets = [sheetOf()];
  root.append(inner);
  // A page may dispatch clicks on the host; the inner button is out of its reach.
  inner.addEventListener("click", (event) => {
    if (event.isTrusted && look.acts) clicked(look.id);
  });
  // The page's own listeners must not take it for a click on their element.
  for (const type of ["click", "auxclick", "mousedown", "mouseup", "pointerdown", "pointerup"]) {
    host.addEventListener(type, (event) => event.stopPropagation());
  }
  host.addEventListener("click", (event) => event.preventDefault());
  return host;
}

/** Lets the pointer through all launchers until as many calls with false; tells whether there are any to let it through. */
export function passLaunchers(on: boolean): boolean {
  if (!sheet) return false;
  passing += on ? 1 : -1;
  sheet.replaceSync(passing > 0 ? LOOK + PASS : LOOK);
  return true;
}

function sheetOf(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(LOOK);
  }
  return sheet;
}

function clicked(id: string): void {
  tell({ kind: "launcher", id });
  document.dispatchEvent(new CustomEvent("actions-json:overlay-launcher-opened", { detail: { launcher_id: id } }));
}
