// Rule of this file: HTML that is not drawn has its text as a browser would draw it: its
// blocks are lines, the cells of a row are apart by tabs, and white space is folded.

import { composedClosest } from "../dom/dom";

const UNSEEN = "script, style, template, noscript";
const BLOCKS = "address, article, aside, blockquote, dd, div, dl, dt, figcaption, figure, footer, h1, h2, h3, h4, h5, h6, header, hr, li, main, nav, ol, p, pre, section, table, tr, ul";

/** Where a block begins or ends, and a space that is not folded. */
const EDGE = "\u0001";
const KEPT_SPACE = "\u0002";

/** Returns the text of the HTML. */
export function textOfHTML(html: string): string {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const el of body.querySelectorAll(UNSEEN)) el.remove();
  const texts = body.ownerDocument.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode() as Text | null; node; node = texts.nextNode() as Text | null) {
    const kept = node.parentElement && composedClosest(node.parentElement, "pre");
    node.data = kept ? node.data.replaceAll(" ", KEPT_SPACE) : node.data.replace(/[ \t\r\n\f]+/g, " ");
  }
  for (const el of body.querySelectorAll("br")) el.replaceWith("\n");
  for (const el of body.querySelectorAll(":is(td, th) + :is(td, th)")) el.before("\t");
  for (const el of body.querySelectorAll(BLOCKS)) {
    el.before(EDGE);
    el.after(EDGE);
  }
  const blocks = (body.textContent ?? "").split(EDGE).map((block) => block.replace(/ *([ \t\n]) */g, "$1").replace(/^ | $/g, ""));
  // The last line break of a block draws nothing, and alone it draws an empty line.
  return blocks.filter((block) => block.trim() !== "" || block.includes("\n")).map((block) => block.replace(/\n$/, "")).join("\n").replaceAll(KEPT_SPACE, " ");
}
