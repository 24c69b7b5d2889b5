// Rule of this file: what has no name is told apart by what a person or an author
// would call it: its picture, its colour, its id or class, and else its place.

import { attributeOf, childElementsOf, parentElementOf, styleOf } from "../dom/dom";
import { truncate } from "../dom/read-text";

const MAX_HINT = 40;
const SHAPES = "circle, ellipse, line, path, polygon, polyline, rect, text, use";
const CLEAR = /^(?:none|transparent|rgba\(.*, 0\))$/;

/** The states that stand for the name of a control that has none. */
export function hintsOf(el: Element): string[] {
  const style = styleOf(el);
  const image = imageOf(el, style);
  const color = image ? "" : colorOf(el, style);
  const hint = attributeOf(el, "id") || classOf(el);
  const hints: string[] = [];
  if (image) hints.push(`image=${image}`);
  if (color) hints.push(`color=${color}`);
  if (hint) hints.push(`hint=${plain(hint)}`);
  const place = image || hint ? "" : placeOf(el);
  if (place) hints.push(place);
  return hints;
}

function imageOf(el: Element, style: CSSStyleDeclaration): string {
  const picture = el.matches("img, image, use, input") ? el : el.querySelector("img, use, image");
  const source = picture && (attributeOf(picture, "src") ?? attributeOf(picture, "href") ?? attributeOf(picture, "xlink:href"));
  const view = el.ownerDocument.defaultView ?? window;
  for (const address of [source, urlIn(style.content), urlIn(style.backgroundImage), urlIn(view.getComputedStyle(el, "::before").content)]) {
    const file = address && fileOf(address);
    if (file) return file;
  }
  return "";
}

const urlIn = (value: string): string | undefined => /url\("?([^")]*)/.exec(value)?.[1];

// The last step of the path, or the id of a sprite.
function fileOf(address: string): string {
  if (address.startsWith("data:")) return "";
  const [path = "", sprite = ""] = address.split("#", 2);
  return plain(sprite || (path.split("?")[0]?.split("/").pop() ?? ""));
}

function colorOf(el: Element, style: CSSStyleDeclaration): string {
  if (!CLEAR.test(style.backgroundColor)) return hex(style.backgroundColor);
  const shape = el.matches(SHAPES) ? el : el.querySelector(SHAPES);
  if (!shape) return "";
  const { fill, stroke } = styleOf(shape);
  return hex(CLEAR.test(fill) ? stroke : fill);
}

// #f00 needs a quarter of the characters of rgb(255, 0, 0).
function hex(color: string): string {
  const channels = /^rgba?\((\d+), (\d+), (\d+)/.exec(color)?.slice(1);
  if (!channels) return CLEAR.test(color) ? "" : plain(color);
  return `#${channels.map((channel) => Number(channel).toString(16).padStart(2, "0")).join("")}`;
}

const classOf = (el: Element): string => (attributeOf(el, "class") ?? "").trim().split(/\s+/).slice(0, 2).join(".");

function placeOf(el: Element): string {
  const parent = parentElementOf(el);
  const all = parent ? childElementsOf(parent) : [];
  return all.length > 1 ? `place=${all.indexOf(el) + 1} of ${all.length}` : "";
}

// States stand unquoted in the line.
const plain = (text: string): string => truncate(text.replace(/[^\p{L}\p{N}._#/-]+/gu, "_"), MAX_HINT);
