// Rule: while the user is asked about an action, its target is marked in the page, in a
// closed layer that takes no input and is in no picture. What the page calls the target
// goes back, for the words of the question.

import { nameOf } from "../dom/aria";
import { styleOf } from "../dom/dom";
import { markExtensionElement } from "../dom/extension-elements";
import { toTop } from "../dom/viewport";
import { locateOne } from "../locator/locate";

/** From the worker: what the user is asked about in this document; nothing without a locator. */
export interface AskedMessage {
  kind: "asked";
  locator?: Record<string, unknown>;
}

/** A picture is taken by then; the mark comes back by itself. */
const HIDDEN_TIMEOUT_MS = 10_000;
const FOLLOW_INTERVAL_MS = 250;
/** No question is open for longer, if nobody says that this one is answered. */
const SHOWN_TIMEOUT_MS = 61_000;
const MAX_NAME = 60;

const STYLE = `
:host { all: initial !important; position: fixed !important; inset: 0 !important; z-index: 2147483646 !important; display: block !important;
  overflow: hidden !important; pointer-events: none !important; contain: strict !important; color-scheme: light dark !important; }
:host(:not(:popover-open)) { display: none !important; }
div { position: absolute; box-sizing: border-box; border: 3px dashed #b3261e; border-radius: 7px; background: rgb(179 38 30 / .08); box-shadow: 0 0 0 2px rgb(255 255 255 / .9); }
@media print { :host { display: none !important; } }`;

interface Mark {
  host: HTMLElement;
  box: HTMLElement;
  target: Element;
  timer: number;
  until: number;
}

let mark: Mark | undefined;
let hiddenTimer: number | undefined;

/** Serves the worker's messages about what is asked. */
export function serveAsked(): void {
  chrome.runtime.onMessage.addListener((message: unknown, sender, respond: (name: string) => void) => {
    if (sender.id !== chrome.runtime.id || sender.tab || (message as { kind?: unknown } | null)?.kind !== "asked") return false;
    respond(show(message as AskedMessage));
    return false;
  });
}

/** Removes the mark. */
export function removeAsked(): void {
  if (!mark) return;
  window.clearInterval(mark.timer);
  mark.host.remove();
  mark = undefined;
}

/** Hides the mark while a picture is taken; reports whether it was shown. */
export function hideAsked(): boolean {
  const shown = mark?.host.matches(":popover-open") === true;
  if (!mark) return false;
  window.clearTimeout(hiddenTimer);
  hiddenTimer = window.setTimeout(unhideAsked, HIDDEN_TIMEOUT_MS);
  if (shown) mark.host.hidePopover();
  return shown;
}

/** Shows the mark again. */
export function unhideAsked(): void {
  if (hiddenTimer === undefined) return;
  window.clearTimeout(hiddenTimer);
  hiddenTimer = undefined;
  draw();
}

/** Marks the target and returns its name; empty where there is none. */
function show({ locator }: AskedMessage): string {
  removeAsked();
  if (!locator) return "";
  try {
    const target = locateOne(locator);
    mark = { ...build(), target, timer: window.setInterval(draw, FOLLOW_INTERVAL_MS), until: performance.now() + SHOWN_TIMEOUT_MS };
    draw();
    return shorten(nameOf(target));
  } catch {
    return ""; // there is nothing to mark: the call will say why
  }
}

function build(): { host: HTMLElement; box: HTMLElement } {
  const host = document.createElement("div");
  markExtensionElement(host, "actions-json-asked");
  host.popover = "manual";
  host.ariaHidden = "true";
  const root = host.attachShadow({ mode: "closed" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  const box = document.createElement("div");
  root.append(box);
  document.documentElement.append(host);
  return { host, box };
}

function draw(): void {
  if (!mark || hiddenTimer !== undefined) return;
  const { host, box, target, until } = mark;
  if (performance.now() > until || !target.isConnected || styleOf(target).visibility !== "visible") return removeAsked();
  if (!host.isConnected) document.documentElement.append(host);
  if (!host.matches(":popover-open")) host.showPopover();
  const { left, top, right, bottom } = toTop(target.getBoundingClientRect(), target.ownerDocument);
  Object.assign(box.style, { left: `${left - 5}px`, top: `${top - 5}px`, width: `${right - left + 10}px`, height: `${bottom - top + 10}px` });
}

function shorten(name: string): string {
  const text = name.replace(/[\p{Cc}\p{Cf}]/gu, " ").replace(/\s+/g, " ").trim();
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME - 1)}…` : text;
}
