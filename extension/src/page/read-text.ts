// Rule: the text of an element is what stands in it for a reader: scripts,
// styles and templates are left out, shadow roots and slots are read as drawn,
// and white space is collapsed.

import { childrenOf, isElement, isTextArea, styleOf } from "./dom";
import { shadowRootOf } from "./shadow";

const SILENT = new Set(["script", "style", "noscript", "template"]);

export function normalize(text: string): string {
  return text.replace(/[\s\u00a0]+/g, " ").trim();
}

/** The element's text, hidden parts included. */
export function textOf(el: Element): string {
  // Most elements asked for are small and plain: no walk for them.
  if (!el.firstElementChild && !shadowRootOf(el) && el.localName !== "slot") return normalize(el.textContent ?? "");
  const parts: string[] = [];
  collectAll(el, parts);
  return normalize(parts.join(""));
}

function collectAll(el: Element, parts: string[]): void {
  if (SILENT.has(el.localName)) return;
  for (const child of childrenOf(el)) {
    if (child.nodeType === Node.TEXT_NODE) parts.push(child.nodeValue ?? "");
    else if (isElement(child)) collectAll(child, parts);
  }
}

/** Only what is rendered, with a space between blocks. Form values are not text. */
export function visibleTextOf(el: Element): string {
  const parts: string[] = [];
  collectVisible(el, parts);
  return normalize(parts.join(""));
}

function collectVisible(el: Element, parts: string[]): void {
  if (SILENT.has(el.localName) || isTextArea(el)) return;
  const style = styleOf(el);
  if (style.display === "none") return;
  // A child may be visible again inside a hidden parent, so go on; with
  // content-visibility:hidden (a closed details) it may not.
  const shown = style.visibility === "visible";
  if (style.display !== "contents" && !el.checkVisibility()) return;
  const block = !style.display.startsWith("inline") && style.display !== "contents";
  if (block || el.localName === "br") parts.push(" ");
  const closed = el.localName === "details" && !el.hasAttribute("open");
  for (const child of childrenOf(el)) {
    // Of a closed details only the summary is drawn; the check above sees
    // elements, not bare text.
    if (closed && (child as Element).localName !== "summary") continue;
    if (child.nodeType === Node.TEXT_NODE) {
      if (shown) parts.push(child.nodeValue ?? "");
    } else if (isElement(child)) {
      collectVisible(child, parts);
    }
  }
  if (block) parts.push(" ");
}

/** The text, or the aria-label where there is none. */
export function textOrLabel(el: Element): string {
  return textOf(el) || normalize(el.getAttribute("aria-label") ?? "");
}

/** At most max characters; a cut ends in an ellipsis within them. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
