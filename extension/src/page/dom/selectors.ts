// Rule: a selector is standard CSS. The parts of a list are tried in the order
// in which they are written, because maps write fallbacks that way; an invalid
// part is an error, never skipped. Where the tree has shadow roots, ivya
// matches across them; where it has none, the browser's own engine does.

import { Ivya } from "ivya";
import { PageError } from "../base/errors";
import { viewOf } from "./dom";
import { isExtensionElement } from "./extension-elements";
import { hasShadowRoots, exposeClosedRoots } from "./shadow";

let engine: Ivya | undefined;

/** The one locator engine of this document. */
export function ivya(): Ivya {
  engine ??= Ivya.create({ browser: "chromium", exact: true });
  return engine;
}

/** Splits a selector list at its outer commas: not within brackets, functions, strings or escapes. */
export function splitSelectorList(list: string): string[] {
  const selectors: string[] = [];
  let depth = 0;
  let quote = "";
  let start = 0;
  for (let i = 0; i < list.length; i++) {
    const c = list.charAt(i);
    if (c === "\\") i++;
    else if (quote) quote = c === quote ? "" : quote;
    else if (c === '"' || c === "'") quote = c;
    else if (c === "(" || c === "[") depth++;
    else if (c === ")" || c === "]") depth--;
    else if (c === "," && depth === 0) {
      selectors.push(list.slice(start, i));
      start = i + 1;
    }
  }
  selectors.push(list.slice(start));
  return selectors.map((selector) => selector.trim());
}

const validity = new Map<string, boolean>();

function validate(list: string, selector: string): void {
  let ok = validity.get(selector);
  if (ok === undefined) {
    try {
      document.createDocumentFragment().querySelector(selector);
      ok = true;
    } catch {
      ok = false;
    }
    if (validity.size > 500) validity.clear();
    validity.set(selector, ok);
  }
  if (!ok) throw new PageError("invalid_selector", `not a valid CSS selector: ${selector || list}`, { selector: list, part: selector });
}

/** Returns what ivya finds in the document, closed shadow roots included. */
export function queryEngine(doc: Document, find: (engine: Ivya) => Element[]): Element[] {
  if (hasShadowRoots(doc)) exposeClosedRoots(doc.defaultView ?? window);
  return find(ivya()).filter((el) => !isExtensionElement(el));
}

/** All matches, the root itself included where it is an element that matches. */
export function queryAll(root: Document | Element, list: string): Element[] {
  const found = new Set<Element>();
  const selectors = splitSelectorList(list);
  for (const selector of selectors) validate(list, selector);
  const pierce = hasShadowRoots(root);
  if (pierce) exposeClosedRoots(root.nodeType === 9 ? ((root as Document).defaultView ?? window) : viewOf(root as Element));
  for (const selector of selectors) {
    if (root.nodeType === 1 && matchesItself(root as Element, selector)) found.add(root as Element);
    for (const el of pierce ? queryPiercing(root, selector) : root.querySelectorAll(selector)) found.add(el);
  }
  return [...found].filter((el) => !isExtensionElement(el));
}

// :scope alone names the root, and element.matches(":scope") agrees.
function matchesItself(root: Element, selector: string): boolean {
  return root.matches(selector);
}

function queryPiercing(root: Document | Element, selector: string): Iterable<Element> {
  try {
    return ivya().queryLocatorSelectorAll(`css=${selector}`, root);
  } catch {
    // Valid for the browser, unknown to ivya's parser: the open tree only.
    return root.querySelectorAll(selector);
  }
}
