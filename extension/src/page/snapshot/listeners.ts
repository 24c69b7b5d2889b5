// Rule of this file: only the debugger sees which elements listen for presses. The
// host sends one event at each of them, from a world apart from the page's; the
// event's random name is known here and there.

import { type Args, requiredText } from "../base/args";
import { isElement } from "../dom/dom";

const CELLS = "td, th";
const SHAPES = "circle, ellipse, image, line, path, polygon, polyline, rect, text, use";
const MAX_ITEMS = 400;

const listening = new WeakSet<Element>();
let awaited: string | undefined;

/** snapshot.listeners: from now on, elements are announced by events of the name. */
export function awaitListeners(args: Args): { ready: true } {
  const name = requiredText(args, "event");
  if (awaited !== undefined) window.removeEventListener(awaited, onAnnounced, true);
  awaited = name;
  window.addEventListener(name, onAnnounced, true);
  return { ready: true };
}

function onAnnounced(event: Event): void {
  event.stopImmediatePropagation();
  const [el] = event.composedPath();
  if (isElement(el)) listening.add(el);
}

/** Reports whether the element listens for presses. */
export const listensForPresses = (el: Element): boolean => listening.has(el);

/** Returns what an element that listens for its children has as targets; empty where it is one itself. */
export function itemsOf(el: Element): Element[] {
  if (el.matches("table, thead, tbody, tr")) return few(el.querySelectorAll(CELLS));
  if (el.matches("svg, g")) return few(el.querySelectorAll(SHAPES));
  const children = [...el.children];
  const [first] = children;
  const list = el.matches("ul, ol, menu");
  const alike = children.every((child) => child.localName === first?.localName);
  return alike && children.length >= (list ? 1 : 3) ? few(children) : [];
}

const few = (items: Iterable<Element>): Element[] => {
  const all = [...items];
  return all.length > MAX_ITEMS ? [] : all;
};
