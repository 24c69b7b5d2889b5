// Rule of this file: finding goes on behind the present selection, as a
// browser's own search does: the page keeps the place, and the same call
// advances from match to match. Only what is rendered is found.

import { type Args, flag, needText } from "./args";
import { childrenOf, isElement, isTextArea, styleOf } from "./dom";
import { PageError } from "./errors";
import { enterFrames, frameOfArgs } from "./frame-path";
import { toTop } from "./frames";
import { toRect } from "./geometry";
import { labelOf } from "./labels";
import { normalize } from "./read-text";

const SILENT = new Set(["script", "style", "noscript", "template"]);

/** Stands between blocks, and in no text that is looked for. */
const BETWEEN = "\u0000";

/** Characters shown on either side of a match. */
const AROUND = 60;

/** The text of a page with the node that each piece comes from. */
interface Flat {
  text: string;
  pieces: { node: Text; start: number }[];
}

/** page.find */
export function find(args: Args): unknown {
  const wanted = normalize(needText(args, "text"));
  const doc = enterFrames(frameOfArgs(args));
  const selection = doc.getSelection();
  const flat: Flat = { text: "", pieces: [] };
  if (doc.body) collect(doc.body, flat);
  const pattern = wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replaceAll(" ", "\\s+");
  const found = wanted === "" ? [] : [...flat.text.matchAll(new RegExp(pattern, flag(args, "case_sensitive", false) ? "gu" : "giu"))];
  if (!selection || found.length === 0) throw new PageError("target_not_found", "the text does not stand on the page", { text: wanted, match_count: 0 });
  const from = placeOf(selection, flat);
  const backwards = flag(args, "backwards", false);
  const ahead = backwards ? found.findLastIndex((m) => m.index < from) : found.findIndex((m) => m.index > from);
  const index = ahead >= 0 ? ahead : backwards ? found.length - 1 : 0;
  const match = found[index] as RegExpExecArray;
  const end = match.index + match[0].length;
  const range = rangeOf(doc, flat, match.index, end);
  selection.removeAllRanges();
  selection.addRange(range);
  const parent = range.startContainer.parentElement;
  parent?.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  return {
    found: true,
    index,
    match_count: found.length,
    wrapped: ahead < 0 && from >= 0,
    text: normalize(flat.text.slice(Math.max(0, match.index - AROUND), end + AROUND).replaceAll(BETWEEN, " ")),
    label: parent ? labelOf(parent) : "",
    bounding_box: toRect(toTop(range.getBoundingClientRect(), doc)),
  };
}

function collect(el: Element, flat: Flat): void {
  if (SILENT.has(el.localName) || isTextArea(el)) return;
  const style = styleOf(el);
  if (style.display !== "contents" && !el.checkVisibility()) return;
  const block = !style.display.startsWith("inline") && style.display !== "contents";
  // A match does not reach from one block into the next.
  if (block) flat.text += BETWEEN;
  if (el.localName === "br") flat.text += "\n";
  for (const child of childrenOf(el)) {
    if (isElement(child)) collect(child, flat);
    else if (child.nodeType === Node.TEXT_NODE && style.visibility === "visible") {
      flat.pieces.push({ node: child as Text, start: flat.text.length });
      flat.text += (child as Text).data;
    }
  }
  if (block) flat.text += BETWEEN;
}

/** The place to go on from: where the selection begins, just before a caret, -1 where neither is in the text. */
function placeOf(selection: Selection, flat: Flat): number {
  if (selection.rangeCount === 0) return -1;
  const { startContainer, startOffset, collapsed } = selection.getRangeAt(0);
  const piece = flat.pieces.find(({ node }) => node === startContainer);
  return piece ? piece.start + startOffset - (collapsed ? 1 : 0) : -1;
}

function rangeOf(doc: Document, flat: Flat, start: number, end: number): Range {
  const range = doc.createRange();
  for (const { node, start: at } of flat.pieces) {
    const last = at + node.length;
    if (at <= start && start < last) range.setStart(node, start - at);
    if (at < end && end <= last) range.setEnd(node, end - at);
  }
  return range;
}
