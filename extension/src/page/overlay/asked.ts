// Rule: while the user is asked about an action, its target is marked in the page, in a
// closed layer that takes no input and is in no picture. What the page calls the target
// goes back, for the words of the question.

import { nameOf } from "../dom/aria";
import { styleOf } from "../dom/dom";
import { toTop } from "../dom/viewport";
import { locateOne } from "../locator/locate";
import { serveWorkerMessages } from "../base/worker-messages";
import { buildClosedLayer, COVER_STYLE, HiddenForPicture } from "./closed-layer";

/** From the worker: what the user is asked about in this document; nothing without a locator. */
export interface AskedMessage {
  kind: "asked";
  locator?: Record<string, unknown>;
}

const FOLLOW_INTERVAL_MS = 250;
/** No question is open for longer, if nobody says that this one is answered. */
const SHOWN_TIMEOUT_MS = 61_000;
const MAX_NAME = 60;

const STYLE = `${COVER_STYLE}
:host { z-index: 2147483646 !important; }
div { position: absolute; box-sizing: border-box; border: 3px dashed #b3261e; border-radius: 7px; background: rgb(179 38 30 / .08); box-shadow: 0 0 0 2px rgb(255 255 255 / .9); }`;

interface Mark {
  host: HTMLElement;
  box: HTMLElement;
  target: Element;
  timer: number;
  until: number;
}

let mark: Mark | undefined;
const picture = new HiddenForPicture(draw);

/** Serves the worker's messages about what is asked. */
export function serveAsked(): void {
  serveWorkerMessages<AskedMessage>("asked", show);
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
  if (!mark) return false;
  const shown = mark.host.matches(":popover-open");
  picture.hide();
  return shown;
}

/** Shows the mark again. */
export const unhideAsked = (): void => picture.unhide();

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
  const { host, root } = buildClosedLayer("actions-json-asked", STYLE);
  host.ariaHidden = "true";
  const box = document.createElement("div");
  root.append(box);
  document.documentElement.append(host);
  return { host, box };
}

function draw(): void {
  if (!mark) return;
  const { host, box, target, until } = mark;
  if (performance.now() > until || !target.isConnected || styleOf(target).visibility !== "visible") return removeAsked();
  if (!host.isConnected) document.documentElement.append(host);
  if (host.matches(":popover-open") === picture.hidden) host.togglePopover();
  const { left, top, right, bottom } = toTop(target.getBoundingClientRect(), target.ownerDocument);
  Object.assign(box.style, { left: `${left - 5}px`, top: `${top - 5}px`, width: `${right - left + 10}px`, height: `${bottom - top + 10}px` });
}

function shorten(name: string): string {
  const text = name.replace(/[\p{Cc}\p{Cf}]/gu, " ").replace(/\s+/g, " ").trim();
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME - 1)}…` : text;
}
