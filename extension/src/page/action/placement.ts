// Rule of this file: an element was dragged to another place if it, or what it is the handle
// of, stands elsewhere among its siblings, was moved as the pointer was, or was positioned
// elsewhere by the page. What only shifted with the layout around it was not.

import { ancestorsOf, attributeOf, childElementsOf, isConnected, parentElementOf } from "../dom/dom";
import type { Point } from "../dom/geometry";
import { frameOf, toTop } from "../dom/viewport";

/** Half pixels come and go with the layout. */
const MIN_MOVE = 1;

/** Libraries begin to move an element when the pointer has gone so far: it stays behind by that. */
const MAX_LAG = 10;

/** What positions an element by its own style, and by its attributes in SVG. */
const POSITION_PROPERTIES = ["left", "top", "right", "bottom", "transform", "translate", "margin", "grid-area"];
const POSITION_ATTRIBUTES = ["transform", "x", "y", "cx", "cy"];

/** What a library leaves behind that has brought an element back. */
const NO_POSITION = /^(0(px|%)?|none|auto|translate(3d)?\((0(px|%)?(, )?)+\))$/;

/** Where an element, or one around it, stands in its parent. */
interface Level {
  el: Element;
  parent: Element | null;
  preceding: ReadonlySet<Element>;
  following: ReadonlySet<Element>;
  position: string;
  inParent: Point;
}

/** Where an element is at one moment. */
export class Placement {
  private readonly levels: readonly Level[];
  private readonly onScreen: Point;
  /** Without what is scrolled around it. */
  private readonly inContent: Point;

  constructor(private readonly el: Element) {
    this.levels = [...ancestorsOf(el)].filter((at) => at.localName !== "body" && at.localName !== "html").map(levelOf);
    this.onScreen = topLeftOf(el);
    const scrolled = scrolledAround(el);
    this.inContent = { x: this.onScreen.x + scrolled.x, y: this.onScreen.y + scrolled.y };
  }

  /** Reports whether the element is at another place now, after a drag of so many pixels. */
  hasMoved(way: Point): boolean {
    // What has gone with its document has no place any more.
    if (!isConnected(this.el) || !this.el.ownerDocument.defaultView) return false;
    const now = new Placement(this.el);
    if (this.levels.some(isReordered)) return true;
    // What is scrolled keeps its place in the content, what is fixed that on the screen.
    const moves = [difference(this.onScreen, now.onScreen), difference(this.inContent, now.inContent)];
    if (!moves.every(isMove)) return false;
    return moves.some((move) => follows(move, way)) || this.levels.some(isRepositioned);
  }

  /** Reports whether the page animates it, for a while and not for ever. */
  get isAnimated(): boolean {
    return this.levels.some(({ el }) => el.getAnimations().some(({ playState, effect }) => playState === "running" && effect?.getComputedTiming().endTime !== Infinity));
  }

  /** The same text as long as the element stays where it is. */
  toString(): string {
    const { x, y } = this.onScreen;
    return [isConnected(this.el), x, y, ...this.levels.map(({ preceding }) => preceding.size)].join(" ");
  }
}

function levelOf(el: Element): Level {
  const parent = parentElementOf(el);
  const siblings = parent ? childElementsOf(parent) : [];
  const index = siblings.indexOf(el);
  return {
    el, parent, preceding: new Set(siblings.slice(0, Math.max(index, 0))), following: new Set(siblings.slice(index + 1)),
    position: positionOf(el), inParent: difference(parent ? topLeftOf(parent) : { x: 0, y: 0 }, topLeftOf(el)),
  };
}

function positionOf(el: Element): string {
  // A form's field named style would stand in for el.style.
  const { style } = document.createElement("i");
  style.cssText = attributeOf(el, "style") ?? "";
  const values = POSITION_PROPERTIES.map((name) => style.getPropertyValue(name));
  return [...values, ...POSITION_ATTRIBUTES.map((name) => attributeOf(el, name))].map((value) => (NO_POSITION.test(value ?? "") ? "" : value)).join("\n");
}

/** Siblings that came or went move nothing. */
function isReordered({ el, parent, preceding, following }: Level): boolean {
  const now = levelOf(el);
  return now.parent !== parent || [...now.preceding].some((at) => following.has(at)) || [...now.following].some((at) => preceding.has(at));
}

function isRepositioned({ el, position, inParent }: Level): boolean {
  const now = levelOf(el);
  return now.position !== position && isMove(difference(inParent, now.inParent));
}

/** Reports whether a move is that of the pointer, on both axes or on the only one that the element moves on. */
function follows(move: Point, way: Point): boolean {
  const along = (moved: number, wanted: number): boolean => {
    const behind = (wanted - moved) * Math.sign(wanted);
    return Math.abs(moved) < MIN_MOVE || (behind > -MIN_MOVE && behind <= MAX_LAG);
  };
  return isMove(move) && along(move.x, way.x) && along(move.y, way.y);
}

const difference = (from: Point, to: Point): Point => ({ x: to.x - from.x, y: to.y - from.y });

const isMove = ({ x, y }: Point): boolean => Math.abs(x) >= MIN_MOVE || Math.abs(y) >= MIN_MOVE;

function topLeftOf(el: Element): Point {
  const { left, top } = toTop(el.getBoundingClientRect(), el.ownerDocument);
  return { x: left, y: top };
}

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
