// Rule of this file: an element has moved if it is at another place both on screen and in
// what scrolls around it: what is scrolled keeps the one, what is fixed the other.

import { ancestorsOf } from "../dom/dom";
import type { Point } from "../dom/geometry";
import { labelOf } from "../dom/labels";
import { frameOf, toTop } from "../dom/viewport";

/** Half pixels come and go with the layout. */
const MIN_MOVE = 1;

/** Where an element is. */
export interface Place {
  /** Its place among its siblings. */
  order: string;
  onScreen: Point;
  /** Without what is scrolled around it. */
  inContent: Point;
}

export function placeOf(el: Element): Place {
  const { left, top } = toTop(el.getBoundingClientRect(), el.ownerDocument);
  const index = el.parentElement ? [...el.parentElement.children].indexOf(el) : -1;
  const scrolled = scrolledAround(el);
  return {
    order: [el.isConnected, index, el.parentElement && labelOf(el.parentElement)].join(" "),
    onScreen: { x: left, y: top },
    inContent: { x: left + scrolled.x, y: top + scrolled.y },
  };
}

/** Reports whether the element was moved from one place to the other. */
export const isMoved = (from: Place, to: Place): boolean => from.order !== to.order || (isApart(from.onScreen, to.onScreen) && isApart(from.inContent, to.inContent));

const isApart = (a: Point, b: Point): boolean => Math.abs(a.x - b.x) >= MIN_MOVE || Math.abs(a.y - b.y) >= MIN_MOVE;

function scrolledAround(el: Element): Point {
  const sum = { x: 0, y: 0 };
  for (let at: Element | null = el; at; at = frameOf(at.ownerDocument)) {
    for (const around of ancestorsOf(at)) {
      if (around === el) continue;
      sum.x += around.scrollLeft;
      sum.y += around.scrollTop;
    }
  }
  return sum;
}
