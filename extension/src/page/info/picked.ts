// Rule of this file: what the user has marked is what is described: a token stands for the
// very element, in the document whose script gave it. Secrets stay in the page.

import { type Args, flag, number, requiredText } from "../base/args";
import { PageError } from "../base/errors";
import { attributeOf, isElement, isFrame, localNameOf, ownChildrenOf, parentOf } from "../dom/dom";
import { type Rect, toRect } from "../dom/geometry";
import { deepElementAt } from "../dom/hit-test";
import { labelOf } from "../dom/labels";
import { textOf, truncate } from "../dom/read-text";
import { isSecret, safeAttribute } from "../dom/secrets";
import { toTop } from "../dom/viewport";
import { EnterFrame } from "../frames/enter-frame";
import { documentOf } from "../frames/path";
import { locate, locatorOf } from "../locator/locate";
import { framesTo, selectorOf, xpathOf } from "../locator/naming";
import { refOf } from "../locator/refs";

const MAX_TOKENS = 200;
const MAX_TEXT = 500;
const MAX_HTML = 2000;
const MAX_ATTRIBUTES = 50;
const MAX_ATTRIBUTE = 500;

const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
const NO_CONTENT = new Set("script style template".split(" "));

const tokens = new WeakMap<Element, string>();
const elements = new Map<string, WeakRef<Element>>();

/** picker.element */
export function elementAtPoint(args: Args): { token: string; box: Rect; label: string; level: number; frame: boolean } {
  const [x, y] = [number(args, "x", 0, -1e7, 1e7), number(args, "y", 0, -1e7, 1e7)];
  const hit = deepElementAt({ x, y });
  if (!hit) throw new PageError("target_not_found", "nothing is at the point", { x, y });
  const foreign = isFrame(hit.element) && !documentOf(hit.element);
  if (isFrame(hit.element) && foreign && !flag(args, "outside", false)) throw EnterFrame.byPoint(hit.element, { x, y });
  let el = hit.element;
  let level = 0;
  for (const wanted = number(args, "level", 0, 0, 1000); level < wanted; level++) {
    const above = parentOf(el);
    if (!above) break;
    el = above;
  }
  return { token: tokenOf(el), box: boxOf(el), label: truncate(labelOf(el), 200), level, frame: foreign && level === 0 };
}

/** picker.describe */
export function describe(args: Args): object {
  const el = elementOf(requiredText(args, "token"));
  const selector = selectorOf(el);
  if (selector === null) throw new PageError("target_not_found", "no selector finds this element alone", { label: labelOf(el) });
  return {
    selector,
    xpath: xpathOf(el),
    frame: framesTo(el) ?? [],
    ref: refOf(el),
    text: truncate(textOf(el), MAX_TEXT),
    tagName: localNameOf(el),
    attributes: attributesOf(el),
    html: truncate(htmlOf(el), MAX_HTML),
    boundingBox: boxOf(el),
  };
}

/** picker.finds */
export function finds(args: Args): { found: boolean } {
  const found = locate(locatorOf(args, "locator"));
  return { found: found.length === 1 && found[0] === elements.get(requiredText(args, "token"))?.deref() };
}

const boxOf = (el: Element): Rect => toRect(toTop(Element.prototype.getBoundingClientRect.call(el), el.ownerDocument));

function tokenOf(el: Element): string {
  const token = tokens.get(el) ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
  tokens.set(el, token);
  elements.delete(token); // set again, it is the newest
  elements.set(token, new WeakRef(el));
  for (const oldest of elements.keys()) if (elements.size > MAX_TOKENS) elements.delete(oldest);
  return token;
}

function elementOf(token: string): Element {
  const el = elements.get(token)?.deref();
  if (!el?.isConnected) throw new PageError("target_not_found", "the element is gone from the page");
  return el;
}

const namesOf = (el: Element): string[] => Element.prototype.getAttributeNames.call(el);

function attributesOf(el: Element): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const name of namesOf(el).slice(0, MAX_ATTRIBUTES)) {
    if (safeAttribute(el, name) !== null) attributes[name] = truncate(attributeOf(el, name) ?? "", MAX_ATTRIBUTE);
  }
  return attributes;
}

const escaped = (value: string): string => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** The element as HTML, as far as there is room: written here, as the page's own text would have the secrets. */
function htmlOf(el: Element): string {
  let html = "";
  const write = (node: Node): void => {
    if (html.length > MAX_HTML) return;
    if (node.nodeType === Node.TEXT_NODE) html += escaped(node.nodeValue ?? "");
    if (!isElement(node)) return;
    const tag = localNameOf(node);
    html += `<${tag}`;
    for (const [name, value] of Object.entries(attributesOf(node))) html += ` ${name}="${escaped(value).replaceAll('"', "&quot;")}"`;
    html += ">";
    if (VOID.has(tag)) return;
    if (!NO_CONTENT.has(tag) && !isSecret(node)) ownChildrenOf(node).forEach(write);
    html += `</${tag}>`;
  };
  write(el);
  return html;
}
