// Rule: the text of an element is what a reader sees in it: scripts, styles and
// templates are left out, shadow roots and slots are read as drawn, and white
// space is collapsed.

import { childrenOf, isElement, isTextArea, styleOf } from "./dom";
import { isSecret, isSecretField } from "./secrets";
import { shadowRootOf } from "./shadow";

/** Places where a word may be broken. */
const INVISIBLE = /[\u00ad\u200b]/g;
const SKIPPED_TAGS = new Set(["script", "style", "noscript", "template"]);

/** The text as it is drawn, but for its ends: white space is one space. */
export const collapse = (text: string): string => text.replace(INVISIBLE, "").replace(/[\s\u00a0]+/g, " ");

export const normalize = (text: string): string => collapse(text).trim();

/** The element's text, hidden parts included. */
export function textOf(el: Element): string {
  if (isSecret(el)) return "";
  // Most elements asked for are small and plain: no tree walk for them.
  if (!el.firstElementChild && !shadowRootOf(el) && el.localName !== "slot") return normalize(el.textContent ?? "");
  const chunks: string[] = [];
  collectAll(el, chunks);
  return normalize(chunks.join(""));
}

function collectAll(el: Element, chunks: string[]): void {
  if (SKIPPED_TAGS.has(el.localName) || isSecretField(el)) return;
  for (const child of childrenOf(el)) {
    if (child.nodeType === Node.TEXT_NODE) chunks.push(child.nodeValue ?? "");
    else if (isElement(child)) collectAll(child, chunks);
  }
}

/** Only what is rendered, with a space between blocks. Form values are not text. */
export function visibleTextOf(el: Element): string {
  if (isSecret(el)) return "";
  const chunks: string[] = [];
  collectVisible(el, chunks);
  return normalize(chunks.join(""));
}

function collectVisible(el: Element, chunks: string[]): void {
  if (SKIPPED_TAGS.has(el.localName) || isTextArea(el) || isSecretField(el)) return;
  const style = styleOf(el);
  if (style.display === "none") return;
  // A child may be visible again inside a hidden parent, so go on; with
  // content-visibility:hidden (a closed details) it may not.
  const shown = style.visibility === "visible";
  if (style.display !== "contents" && !el.checkVisibility()) return;
  const block = !style.display.startsWith("inline") && style.display !== "contents";
  if (block || el.localName === "br") chunks.push(" ");
  const closed = el.localName === "details" && !el.hasAttribute("open");
  for (const child of childrenOf(el)) {
    // Of a closed details only the summary is drawn; the check above sees
    // elements, not bare text.
    if (closed && (child as Element).localName !== "summary") continue;
    if (child.nodeType === Node.TEXT_NODE) {
      if (shown) chunks.push(child.nodeValue ?? "");
    } else if (isElement(child)) {
      collectVisible(child, chunks);
    }
  }
  if (block) chunks.push(" ");
}

/** The text, or the aria-label where there is none. */
export function textOrLabel(el: Element): string {
  return textOf(el) || normalize(el.getAttribute("aria-label") ?? "");
}

/** Returns at most max characters; a truncated text ends in an ellipsis within them. */
export function truncate(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
