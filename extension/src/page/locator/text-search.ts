// Rule of this file: a text of the page stands for the innermost element that
// holds it. It may go through several inline elements, but not from one block
// into the next.

import { childrenOf, composedContains, isElement, localNameOf, parentOf, styleOf } from "../dom/dom";
import { isExtensionElement } from "../dom/extension-elements";
import { collapse } from "../dom/read-text";
import { isSecretField } from "../dom/secrets";
import { isRendered } from "../dom/visibility";

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** The text of a textarea is its value, which may be a secret; the options of a select are its own. */
const SKIPPED_TAGS = set("head noscript script select style template textarea");
const INLINE_TAGS = set("a abbr b bdi bdo cite code data dfn em font i ins kbd label mark q s samp slot small span strong sub sup time u var wbr");
const BLOCK_BREAK = "\u0000";

/** The text of a page, and the nodes that it comes from. */
interface PageText {
  chunks: string[];
  length: number;
  /** Whether a space at the end would be one too many. */
  spaced: boolean;
  pieces: { node: Node; start: number }[];
}

/** The innermost elements of the document that show the text, in their order; white space is collapsed. */
export function elementsWithText(doc: Document, wanted: string, ignoreCase = false): Element[] {
  const page: PageText = { chunks: [], length: 0, spaced: true, pieces: [] };
  if (wanted !== "" && doc.body) collect(doc.body, page);
  const all = page.chunks.join("");
  const [text, sought] = ignoreCase ? [all.toLowerCase(), wanted.toLowerCase()] : [all, wanted];
  const found = new Set<Element>();
  let piece = 0;
  for (let at = text.indexOf(sought); sought !== "" && at >= 0; at = text.indexOf(sought, at + sought.length)) {
    piece = pieceAt(page, at, piece);
    const el = innermost(page.pieces[piece]?.node, page.pieces[pieceAt(page, at + sought.length - 1, piece)]?.node);
    if (el && isRendered(el)) found.add(el);
  }
  return [...found];
}

function collect(el: Element, page: PageText): void {
  const tag = localNameOf(el);
  if (SKIPPED_TAGS.has(tag) || isExtensionElement(el) || isSecretField(el)) return;
  if (tag === "br") append(" ", page);
  const apart = !INLINE_TAGS.has(tag) && tag !== "br";
  if (apart) append(BLOCK_BREAK, page);
  for (const child of childrenOf(el)) {
    if (isElement(child)) collect(child, page);
    else if (child.nodeType === Node.TEXT_NODE) {
      page.pieces.push({ node: child, start: page.length });
      append(collapse(child.nodeValue ?? ""), page);
    }
  }
  if (apart) append(BLOCK_BREAK, page);
}

function append(text: string, page: PageText): void {
  const added = page.spaced ? text.trimStart() : text;
  if (added === "") return;
  page.chunks.push(added);
  page.length += added.length;
  page.spaced = added.endsWith(" ") || added === BLOCK_BREAK;
}

// The index of the piece that holds the position, at or after the given one.
function pieceAt({ pieces }: PageText, position: number, from: number): number {
  let at = from;
  while ((pieces[at + 1]?.start ?? Infinity) <= position) at++;
  return at;
}

function innermost(first: Node | undefined, last: Node | undefined): Element | null {
  if (!first || !last) return null;
  const end = parentOf(last);
  for (let el = parentOf(first); el; el = parentOf(el)) if (composedContains(el, end) && styleOf(el).display !== "contents") return el;
  return null;
}
