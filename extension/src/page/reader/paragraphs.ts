// Rule of this file: paragraphs stay apart, and what belongs to one line stays on it. Of
// the page itself only what is drawn is read; an article that was found has no boxes.

import { childrenOf, isElement, isTextArea, localNameOf, styleOf } from "../dom/dom";
import { isSecretField } from "../dom/secrets";

const BLOCKS = new Set("address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html li main menu nav ol p pre section summary table tbody tfoot thead tr ul".split(" "));
const SKIPPED_TAGS = new Set("script style noscript template select textarea input iframe object embed canvas svg video audio".split(" "));
const AROUND = new Set("nav aside footer button".split(" "));

/** Reports whether the extension has put the element into the page; only the page script knows. */
export type IsOwn = (el: Element) => boolean;

interface Options {
  isOwn: IsOwn;
  /** Whether the element is on the page, where its style tells what it looks like. */
  drawn: boolean;
}

/** The text of the element: paragraphs with an empty line between them, items with a dash, cells with a bar. */
export function paragraphsOf(el: Element, options: Options): string {
  const chunks: string[] = [];
  collect(el, el, options, chunks);
  return chunks
    .join("")
    .replace(/[ \t\f\r]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function collect(el: Element, root: Element, options: Options, chunks: string[]): void {
  const tag = localNameOf(el);
  if (SKIPPED_TAGS.has(tag) || options.isOwn(el) || isTextArea(el) || isSecretField(el)) return;
  // What surrounds the text of a page is not it.
  if (options.drawn && el !== root && AROUND.has(tag)) return;
  const style = options.drawn ? styleOf(el) : undefined;
  if (style && (style.display === "none" || (style.display !== "contents" && !Element.prototype.checkVisibility.call(el)))) return;
  if (tag === "br") {
    chunks.push("\n");
    return;
  }
  const block = style ? isBlock(style.display) : BLOCKS.has(tag);
  const row = tag === "tr" || tag === "li" || tag === "dd" || tag === "dt";
  if (block || row) chunks.push(row ? "\n" : "\n\n");
  if (tag === "li") chunks.push("- ");
  if ((tag === "td" || tag === "th") && el.previousElementSibling) chunks.push(" | ");
  const closed = tag === "details" && options.drawn && !el.hasAttribute("open");
  for (const child of childrenOf(el)) {
    if (closed && (!isElement(child) || localNameOf(child) !== "summary")) continue;
    if (child.nodeType === Node.TEXT_NODE) {
      if (!style || style.visibility === "visible") chunks.push(textOf(child.nodeValue ?? "", tag === "pre"));
    } else if (isElement(child)) collect(child, root, options, chunks);
  }
  if (block && !row) chunks.push("\n\n");
}

const isBlock = (display: string): boolean => !display.startsWith("inline") && !["contents", "table-cell", "table-row"].includes(display);

// Line ends are white space, and spaces are one, but where they are drawn.
const textOf = (text: string, asWritten: boolean): string => (asWritten ? text.replace(/ {2}/g, "\u00a0\u00a0") : text.replace(/[\n\u00a0]/g, " "));
