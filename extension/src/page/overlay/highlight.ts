// Rule of this file: what an agent does on the page is shown to the person who
// watches: a pointer that moves to the target, a box around it, and the action's
// name. It is drawn in a task of its own, waits for no animation, takes no click,
// and is not part of the page: a closed shadow root in the top layer that hides
// itself after a while.

import { styleOf } from "../dom/dom";
import { center, type Point } from "../dom/geometry";
import { isExtensionElement } from "../dom/extension-elements";
import { fromTop, toTop } from "../dom/viewport";
import { localToolText } from "../../tool-text";
import { buildClosedLayer, MARK_STYLE } from "./closed-layer";
import { clipBeside } from "./clip";

/** Long enough to be seen. */
const HIDE_DELAY_MS = 1600;
/**
 * The pointer glides only if its last move was this long ago: faster moves cannot be
 * followed, and drawing costs the page time.
 */
const GLIDE_MIN_INTERVAL_MS = 250;

const STYLE = `${MARK_STYLE}
.view { position: fixed; inset: 0; overflow: hidden; contain: strict; }
.box, .pointer, .name { position: absolute; left: 0; top: 0; visibility: hidden; }
.box { box-sizing: border-box; border: 2px solid #2451d1; border-radius: 6px; background: rgb(36 81 209 / .08); box-shadow: 0 0 0 2px rgb(255 255 255 / .85); }
.pointer { width: 22px; height: 26px; margin: -2px 0 0 -3px; filter: drop-shadow(0 1px 2px rgb(0 0 0 / .45)); transition: transform .18s ease-out; will-change: transform; }
.name { left: 50%; top: auto; bottom: 20px; max-width: min(80%, 480px); transform: translateX(-50%); padding: 6px 14px; border-radius: 999px;
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font: 500 13px/1.4 system-ui, sans-serif;
  color: #fff; background: #171b26; box-shadow: 0 0 0 1px rgb(255 255 255 / .35), 0 4px 16px rgb(0 0 0 / .3); }
.on { visibility: visible; }
@media (prefers-reduced-motion: reduce) { .pointer { transition: none; } }`;

const ARROW = "M2 2 L2 20 L7 15.5 L10.2 22.6 L13.4 21.2 L10.2 14.2 L17 14 Z";
const SVG = "http://www.w3.org/2000/svg";

/** What is shown of the running call. */
interface Highlight {
  name: string;
  /** What it is about. */
  argument: string | undefined;
  point?: Point;
  box?: DOMRect;
}

interface HighlightElements {
  host: HTMLElement;
  /** As large as the view. */
  view: HTMLElement;
  box: HTMLElement;
  pointer: SVGElement;
  name: HTMLElement;
}

let current: Highlight | undefined;
let elements: HighlightElements | undefined;
let drawTimer: number | undefined;
let hideTimer: number | undefined;
let lastDrawn = -Infinity;

/** Begins to show a call; without a name nothing is shown. */
export function beginHighlight(name: string | undefined, argument?: string): void {
  const visible = name !== undefined && window.top === window && !document.hidden;
  current = visible ? { name, argument } : undefined;
}

/** Shows that the call acts on this element, at the point of the top viewport. */
export function highlightTarget(el: Element, point?: Point | null): void {
  if (!current) return;
  const box = toTop(el.getBoundingClientRect(), el.ownerDocument);
  current.box = new DOMRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  highlightPoint(point ?? center(box));
}

/** Shows that the call acts at this point of the top viewport. */
export function highlightPoint(point: Point): void {
  if (!current) return;
  current.point = fromTop(point, document);
  highlightCall();
}

/** Shows that the call acts. Drawn in a task of its own, so that the call does not wait for it. */
export function highlightCall(): void {
  if (current) drawTimer ??= window.setTimeout(draw, 0, current);
}

/** Hides the highlight at once; reports whether one was shown. */
export function hideHighlight(): boolean {
  window.clearTimeout(drawTimer);
  window.clearTimeout(hideTimer);
  drawTimer = undefined;
  const open = elements?.host.matches(":popover-open") === true;
  if (open) elements?.host.hidePopover();
  return open;
}

function draw(highlight: Highlight): void {
  drawTimer = undefined;
  if (!document.documentElement) return;
  elements ??= build();
  const { host, view, box, pointer, name } = elements;
  const appeared = raise(host);
  name.textContent = displayName(highlight);
  name.classList.add("on");
  box.classList.toggle("on", highlight.box !== undefined);
  if (highlight.box) place(box, highlight.box);
  clipBeside(view, highlight.box ?? new DOMRect(highlight.point?.x, highlight.point?.y, 1, 1), new DOMRect(0, 0, innerWidth, innerHeight));
  pointer.classList.toggle("on", highlight.point !== undefined);
  if (highlight.point) {
    const now = performance.now();
    const glides = now - lastDrawn > GLIDE_MIN_INTERVAL_MS;
    lastDrawn = now;
    if (appeared) placePointer(pointer);
    pointer.style.transition = glides ? "" : "none";
    pointer.style.transform = `translate(${highlight.point.x}px, ${highlight.point.y}px)`;
  }
  window.clearTimeout(hideTimer);
  hideTimer = window.setTimeout(hideHighlight, HIDE_DELAY_MS);
}

/** Brings the host to the top of the top layer; reports whether it was hidden before. */
function raise(host: HTMLElement): boolean {
  if (!host.isConnected) document.documentElement.append(host);
  const open = host.matches(":popover-open");
  // A dialog of the page that was opened later lies above it.
  const covered = open && [...document.querySelectorAll(":modal, :popover-open")].some((el) => el !== host && !isExtensionElement(el));
  if (covered) host.hidePopover();
  if (!open || covered) host.showPopover();
  return !open;
}

/** Puts the pointer at its last position, at first the middle of the window: it moves from there. */
function placePointer(pointer: SVGElement): void {
  pointer.style.transition = "none";
  pointer.style.transform ||= `translate(${innerWidth / 2}px, ${innerHeight / 2}px)`;
  void styleOf(pointer).transform;
}

function place(box: HTMLElement, { x, y, width, height }: DOMRect): void {
  Object.assign(box.style, { left: `${x - 4}px`, top: `${y - 4}px`, width: `${width + 8}px`, height: `${height + 8}px` });
}

function build(): HighlightElements {
  const { host, root } = buildClosedLayer("actions-json-shown", STYLE);
  host.ariaHidden = "true";
  const [view, box, name] = [document.createElement("div"), document.createElement("div"), document.createElement("div")];
  view.className = "view";
  box.className = "box";
  name.className = "name";
  const pointer = document.createElementNS(SVG, "svg");
  pointer.setAttribute("class", "pointer");
  pointer.setAttribute("viewBox", "0 0 20 24");
  const arrow = document.createElementNS(SVG, "path");
  for (const [key, value] of Object.entries({ d: ARROW, fill: "#2451d1", stroke: "#fff", "stroke-width": "1.6", "stroke-linejoin": "round" })) arrow.setAttribute(key, value);
  pointer.append(arrow);
  view.append(box, pointer, name);
  root.append(view);
  return { host, view, box, pointer, name };
}

/** The localised name of a primitive; a stored action keeps the name from its map. */
function displayName({ name, argument }: Highlight): string {
  const known = localToolText(name, argument);
  return known ? known.charAt(0).toUpperCase() + known.slice(1) : name;
}
