// Rule of this file: what an agent does on the page is shown to the person who
// watches: a pointer that moves to the target, a frame around it, and the
// action's name. It is drawn after the call has gone on, waits for no
// animation, takes no click, and is no part of the page: a closed shadow root
// in the top layer that goes by itself.

import { styleOf } from "./dom";
import { fromTop, toTop } from "./frames";
import { center, type Point } from "./geometry";
import { isOwn, markOwn } from "./own";

/** Long enough to be seen, in milliseconds. */
const STAY_MS = 1600;
/** A pointer that the next action overtakes need not glide: nobody could follow, and drawing takes time from the page. */
const FAST_MS = 250;

const LOOK = `
:host { all: initial !important; position: fixed !important; inset: 0 !important; z-index: 2147483647 !important; display: block !important;
  overflow: hidden !important; pointer-events: none !important; contain: strict !important; color-scheme: light dark !important; }
:host(:not(:popover-open)) { display: none !important; }
.box, .pointer, .name { position: absolute; left: 0; top: 0; visibility: hidden; }
.box { box-sizing: border-box; border: 2px solid #2451d1; border-radius: 6px; background: rgb(36 81 209 / .08); box-shadow: 0 0 0 2px rgb(255 255 255 / .85); }
.pointer { width: 22px; height: 26px; margin: -2px 0 0 -3px; filter: drop-shadow(0 1px 2px rgb(0 0 0 / .45)); transition: transform .18s ease-out; will-change: transform; }
.name { left: 50%; top: auto; bottom: 20px; max-width: min(80%, 480px); transform: translateX(-50%); padding: 6px 14px; border-radius: 999px;
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font: 500 13px/1.4 system-ui, sans-serif;
  color: #fff; background: #171b26; box-shadow: 0 0 0 1px rgb(255 255 255 / .35), 0 4px 16px rgb(0 0 0 / .3); }
.on { visibility: visible; }
@media (prefers-reduced-motion: reduce) { .pointer { transition: none; } }
@media print { :host { display: none !important; } }`;

const ARROW = "M2 2 L2 20 L7 15.5 L10.2 22.6 L13.4 21.2 L10.2 14.2 L17 14 Z";
const SVG = "http://www.w3.org/2000/svg";

/** What there is to see of the call that runs. */
interface Sight {
  name: string;
  point?: Point;
  box?: DOMRect;
}

interface Stage {
  host: HTMLElement;
  box: HTMLElement;
  pointer: SVGElement;
  name: HTMLElement;
}

let current: Sight | undefined;
let stage: Stage | undefined;
let due: number | undefined;
let end: number | undefined;
let lastDrawn = -Infinity;

/** A call begins; without a name there is nothing to show of it. */
export function showAs(name: string | undefined): void {
  const seen = name !== undefined && window.top === window && !document.hidden;
  current = seen ? { name } : undefined;
}

/** The call acts on this element, at the point of the top viewport. */
export function showTarget(el: Element, point?: Point | null): void {
  if (!current) return;
  const box = toTop(el.getBoundingClientRect(), el.ownerDocument);
  current.box = new DOMRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  showPoint(point ?? center(box));
}

/** The call acts at this point of the top viewport. */
export function showPoint(point: Point): void {
  if (!current) return;
  current.point = fromTop(point, document);
  showCall();
}

/** The call acts. Drawn in a task of its own, so that the call does not wait for it. */
export function showCall(): void {
  if (current) due ??= window.setTimeout(draw, 0, current);
}

/** What is shown goes at once; tells whether there was anything. */
export function removeShown(): boolean {
  window.clearTimeout(due);
  window.clearTimeout(end);
  due = undefined;
  const open = stage?.host.matches(":popover-open") === true;
  if (open) stage?.host.hidePopover();
  return open;
}

function draw(sight: Sight): void {
  due = undefined;
  if (!document.documentElement) return;
  stage ??= build();
  const { host, box, pointer, name } = stage;
  const began = raise(host);
  name.textContent = words(sight.name);
  name.classList.add("on");
  box.classList.toggle("on", sight.box !== undefined);
  if (sight.box) place(box, sight.box);
  pointer.classList.toggle("on", sight.point !== undefined);
  if (sight.point) {
    const now = performance.now();
    const glides = now - lastDrawn > FAST_MS;
    lastDrawn = now;
    if (began) begin(pointer);
    pointer.style.transition = glides ? "" : "none";
    pointer.style.transform = `translate(${sight.point.x}px, ${sight.point.y}px)`;
  }
  window.clearTimeout(end);
  end = window.setTimeout(removeShown, STAY_MS);
}

/** Brings the host to the top of the top layer; tells whether it was not there. */
function raise(host: HTMLElement): boolean {
  if (!host.isConnected) document.documentElement.append(host);
  const open = host.matches(":popover-open");
  // A dialog of the page that was opened later lies above it.
  const covered = open && [...document.querySelectorAll(":modal, :popover-open")].some((el) => el !== host && !isOwn(el));
  if (covered) host.hidePopover();
  if (!open || covered) host.showPopover();
  return !open;
}

/** Puts the pointer where it was last seen, at first in the middle of the window: from there it moves. */
function begin(pointer: SVGElement): void {
  pointer.style.transition = "none";
  pointer.style.transform ||= `translate(${innerWidth / 2}px, ${innerHeight / 2}px)`;
  void styleOf(pointer).transform;
}

function place(box: HTMLElement, { x, y, width, height }: DOMRect): void {
  Object.assign(box.style, { left: `${x - 4}px`, top: `${y - 4}px`, width: `${width + 8}px`, height: `${height + 8}px` });
}

function build(): Stage {
  const host = document.createElement("div");
  markOwn(host, "actions-json-shown");
  host.popover = "manual";
  host.ariaHidden = "true";
  const root = host.attachShadow({ mode: "closed" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(LOOK);
  root.adoptedStyleSheets = [sheet];
  const [box, name] = [document.createElement("div"), document.createElement("div")];
  box.className = "box";
  name.className = "name";
  const pointer = document.createElementNS(SVG, "svg");
  pointer.setAttribute("class", "pointer");
  pointer.setAttribute("viewBox", "0 0 20 24");
  const arrow = document.createElementNS(SVG, "path");
  for (const [key, value] of Object.entries({ d: ARROW, fill: "#2451d1", stroke: "#fff", "stroke-width": "1.6", "stroke-linejoin": "round" })) arrow.setAttribute(key, value);
  pointer.append(arrow);
  root.append(box, pointer, name);
  return { host, box, pointer, name };
}

/** A primitive for people; a stored action keeps the name that its map gives it. */
function words(name: string): string {
  const known = typeof chrome === "undefined" ? "" : chrome.i18n?.getMessage(`tool_${name.replace(/[^A-Za-z0-9]+/g, "_")}`);
  return known ? known.charAt(0).toUpperCase() + known.slice(1) : name;
}
