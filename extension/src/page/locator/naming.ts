// Rule of this file: what is to name an element is tried before it is given: it finds that
// element and no other, or is not given.

import { attributeOf, isHTML, localNameOf } from "../dom/dom";
import { queryAll } from "../dom/selectors";
import { frameOf, frameOfKey } from "../dom/viewport";
import { byXPath } from "./locate";

/** Attributes that authors make to name an element by, the best first. */
const NAMING = ["data-testid", "data-test-id", "data-test", "name", "aria-label", "placeholder", "title", "alt"];

/** A longer value is content. */
const MAX_VALUE = 80;

/** The selector that finds the element alone in its document, shadow roots entered; null where none does. */
export function selectorOf(el: Element): string | null {
  const alone = (selector: string): boolean => finds(() => queryAll(el.ownerDocument, selector), el);
  for (const selector of ownSelectors(el)) if (alone(selector)) return selector;
  const path = pathOf(el, alone);
  if (path !== null && alone(path)) return path;
  // Where shadow trees are entered, what is right in the page's own tree may find more.
  const light = path !== null && el.getRootNode() === el.ownerDocument && finds(() => [...el.ownerDocument.querySelectorAll(path)], el);
  return light ? path : null;
}

function ownSelectors(el: Element): string[] {
  const tag = CSS.escape(localNameOf(el));
  const id = attributeOf(el, "id");
  const selectors = id ? [`#${CSS.escape(id)}`, `${tag}#${CSS.escape(id)}`] : [];
  for (const name of NAMING) {
    const value = attributeOf(el, name);
    if (value && value.length <= MAX_VALUE) selectors.push(`${tag}[${name}=${quoted(value)}]`);
  }
  return selectors;
}

// Quotes, backslashes and control characters as CSS writes them by their numbers.
const quoted = (value: string): string => `"${value.replace(/["\\\p{Cc}]/gu, (c) => `\\${c.charCodeAt(0).toString(16)} `)}"`;

/** The path down to the element from the nearest one that names itself, or from the root. */
function pathOf(el: Element, alone: (selector: string) => boolean): string | null {
  const steps: string[] = [];
  for (let at: Element | null = el; at; ) {
    steps.unshift(`${CSS.escape(localNameOf(at))}:nth-of-type(${positionOf(at, (other) => sameType(other, at as Element))})`);
    const parent: Node | null = at.parentNode;
    const above: Element | null = parent?.nodeType === Node.ELEMENT_NODE ? (parent as Element) : ((parent as ShadowRoot | null)?.host ?? null);
    if (!above) break;
    const named = ownSelectors(above).find((selector) => finds(() => queryAll(above.ownerDocument, selector), above));
    const short = named && `${named} > ${steps.join(" > ")}`;
    if (short && alone(short)) return short;
    at = above;
  }
  return steps.length > 0 ? steps.join(" > ") : null;
}

const sameType = (a: Element, b: Element): boolean => localNameOf(a) === localNameOf(b) && a.namespaceURI === b.namespaceURI;

/** The number of the element among its siblings of a kind, from 1. */
function positionOf(el: Element, counts: (other: Element) => boolean): number {
  let n = 1;
  for (let at = el.previousElementSibling; at; at = at.previousElementSibling) if (counts(at)) n++;
  return n;
}

/** The absolute XPath of the element; null in a shadow root, where none leads. */
export function xpathOf(el: Element): string | null {
  if (el.getRootNode() !== el.ownerDocument) return null;
  for (const step of [plainStep, generalStep]) {
    let path = "";
    for (let at: Element | null = el; at; at = at.parentElement) path = `/${step(at)}${path}`;
    if (finds(() => byXPath(el.ownerDocument, path), el)) return path;
  }
  return null;
}

function plainStep(el: Element): string {
  const name = localNameOf(el);
  return isHTML(el) && /^[a-z][a-z0-9-]*$/.test(name) ? `${name}[${positionOf(el, (other) => sameType(other, el))}]` : generalStep(el);
}

// A name in another namespace has no name test of its own.
function generalStep(el: Element): string {
  const name = localNameOf(el);
  const literal = name.includes("'") ? `"${name}"` : `'${name}'`;
  return `*[local-name()=${literal}][${positionOf(el, (other) => localNameOf(other) === name)}]`;
}

function finds(query: () => Element[], el: Element): boolean {
  try {
    const found = query();
    return found.length === 1 && found[0] === el;
  } catch {
    return false; // a name that no selector takes
  }
}

/** The selectors of the frames from this script's document to the element's; null where one has none. */
export function framesTo(el: Element): string[] | null {
  const path: string[] = [];
  for (let frame = frameOf(el.ownerDocument); frame; frame = frameOf(frame.ownerDocument)) {
    const selector = selectorOf(frame);
    if (selector === null) return null;
    path.unshift(selector);
  }
  return path;
}

/** The selectors of the frames down to the one of the key; null where one has none. */
export function nameFrame(key: string): string[] | null {
  const frame = frameOfKey(key);
  const above = frame && framesTo(frame);
  const own = frame && selectorOf(frame);
  return above && own ? [...above, own] : null;
}
