// Rule of this file: page.find continues after the present selection, as a
// browser's own search does: the page keeps the position, and the same call
// advances from match to match. Only rendered text is found.

import { type Args, flag, requiredText } from "../base/args";
import { PageError } from "../base/errors";
import { withAriaCaches } from "../dom/aria";
import { childrenOf, isElement, isTextArea, styleOf } from "../dom/dom";
import { toRect } from "../dom/geometry";
import { labelOf } from "../dom/labels";
import { normalize } from "../dom/read-text";
import { isSecretField } from "../dom/secrets";
import { toTop } from "../dom/viewport";
import { enterFrames, frameOfArgs } from "../frames/path";

const SKIPPED_TAGS = new Set(["script", "style", "noscript", "template"]);

/** Separates blocks, and is in no text that is searched for. */
const BLOCK_BREAK = "\u0000";

/** Characters shown on either side of a match. */
const CONTEXT_CHARS = 60;

/** The text of a page with the node that each piece comes from. */
interface PageText {
  text: string;
  pieces: { node: Text; start: number }[];
}

/** page.find */
export function find(args: Args): unknown {
  const wanted = normalize(requiredText(args, "text"));
  const doc = enterFrames(frameOfArgs(args));
  const selection = doc.getSelection();
  const pageText: PageText = { text: "", pieces: [] };
  if (doc.body) withAriaCaches(() => collect(doc.body, pageText));
  const pattern = Array.from(wanted, patternOf).join("[\\u00ad\\u200b]*"); // these are not drawn
  const found = wanted === "" ? [] : [...pageText.text.matchAll(new RegExp(pattern, flag(args, "case_sensitive", false) ? "gu" : "giu"))];
  if (!selection || found.length === 0) throw new PageError("target_not_found", "the text is not on the page", { text: wanted, match_count: 0 });
  const from = searchStart(selection, pageText);
  const backwards = flag(args, "backwards", false);
  const next = backwards ? found.findLastIndex((m) => m.index < from) : found.findIndex((m) => m.index > from);
  const index = next >= 0 ? next : backwards ? found.length - 1 : 0;
  const match = found[index] as RegExpExecArray;
  const end = match.index + match[0].length;
  const range = rangeOf(doc, pageText, match.index, end);
  selection.removeAllRanges();
  selection.addRange(range);
  const parent = range.startContainer.parentElement;
  parent?.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  return {
    found: true,
    index,
    match_count: found.length,
    wrapped: next < 0 && from >= 0,
    text: normalize(pageText.text.slice(Math.max(0, match.index - CONTEXT_CHARS), end + CONTEXT_CHARS).replaceAll(BLOCK_BREAK, " ")),
    label: parent ? labelOf(parent) : "",
    bounding_box: toRect(toTop(range.getBoundingClientRect(), doc)),
  };
}

const patternOf = (character: string): string => (character === " " ? "\\s+" : character.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&"));

function collect(el: Element, pageText: PageText): void {
  if (SKIPPED_TAGS.has(el.localName) || isTextArea(el) || isSecretField(el)) return;
  const style = styleOf(el);
  if (style.display !== "contents" && !el.checkVisibility()) return;
  const block = !style.display.startsWith("inline") && style.display !== "contents";
  // A match does not extend from one block into the next.
  if (block) pageText.text += BLOCK_BREAK;
  if (el.localName === "br") pageText.text += "\n";
  for (const child of childrenOf(el)) {
    if (isElement(child)) collect(child, pageText);
    else if (child.nodeType === Node.TEXT_NODE && style.visibility === "visible") {
      pageText.pieces.push({ node: child as Text, start: pageText.text.length });
      pageText.text += (child as Text).data;
    }
  }
  if (block) pageText.text += BLOCK_BREAK;
}

/** The index to continue from: the start of the selection, just before a caret, -1 where neither is in the text. */
function searchStart(selection: Selection, pageText: PageText): number {
  if (selection.rangeCount === 0) return -1;
  const { startContainer, startOffset, collapsed } = selection.getRangeAt(0);
  const piece = pageText.pieces.find(({ node }) => node === startContainer);
  return piece ? piece.start + startOffset - (collapsed ? 1 : 0) : -1;
}

function rangeOf(doc: Document, pageText: PageText, start: number, end: number): Range {
  const range = doc.createRange();
  for (const { node, start: at } of pageText.pieces) {
    const last = at + node.length;
    if (at <= start && start < last) range.setStart(node, start - at);
    if (at < end && end <= last) range.setEnd(node, end - at);
  }
  return range;
}

/** page.info */
export function info(): { url: string; title: string } {
  return { url: location.href, title: document.title };
}
