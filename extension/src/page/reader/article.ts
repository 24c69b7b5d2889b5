// Rule of this file: the document is read as it is drawn and is not touched: the
// article is looked for in a clone, from which everything that a person does not see
// is taken out first.

import { Readability, isProbablyReaderable } from "@mozilla/readability";
import { indexLabels } from "../dom/label-index";
import { isSecretField } from "../dom/secrets";
import { type IsOwn, paragraphsOf } from "./paragraphs";

export interface Article {
  text: string;
  title: string;
  byline: string;
  lang: string;
  /** Where the text comes from: the article that was found, the page's main part, or all of it. */
  source: "readability" | "main" | "body";
}

/** A page of more elements is read without looking for an article, which would take seconds. */
const MAX_ELEMENTS = 30_000;
/** What is shorter is a teaser or a caption, not the article. */
const MIN_CHARS = 250;

const NOT_READ = "script:not([type='application/ld+json']), style, noscript, template, input, select, textarea, button, iframe, object, embed, canvas, video, audio, svg";

/** @param isOwn tells the elements that the extension has put into the page. */
export function articleOf(doc: Document, isOwn: IsOwn): Article {
  const lang = doc.documentElement.lang;
  const found = parse(doc, isOwn);
  const text = found?.content ? paragraphsOf(found.content, { drawn: false, isOwn }) : "";
  if (found && text.length >= MIN_CHARS) {
    return { text, title: found.title ?? "", byline: found.byline ?? "", lang: found.lang || lang, source: "readability" };
  }
  const main = mainOf(doc);
  if (main) return { text: paragraphsOf(main, { drawn: true, isOwn }), title: "", byline: "", lang: main.lang || lang, source: "main" };
  return { text: doc.body ? paragraphsOf(doc.body, { drawn: true, isOwn }) : "", title: "", byline: "", lang, source: "body" };
}

function parse(doc: Document, isOwn: IsOwn) {
  if (doc.getElementsByTagName("*").length > MAX_ELEMENTS || !isProbablyReaderable(doc, { visibilityChecker: (node) => isDrawn(node as Element) })) return null;
  try {
    return new Readability<Element>(cloneOf(doc, isOwn), { serializer: (node) => node as Element, maxElemsToParse: MAX_ELEMENTS }).parse();
  } catch {
    return null; // a page that its heuristics do not survive
  }
}

/** The document as a person sees it, as one that may be changed. */
function cloneOf(doc: Document, isOwn: IsOwn): Document {
  const clone = doc.cloneNode(true) as Document;
  const originals = doc.documentElement.getElementsByTagName("*");
  const copies = [...clone.documentElement.getElementsByTagName("*")];
  const isRead = (el: Element): boolean => !isOwn(el) && !isSecretField(el) && (Element.prototype.closest.call(el, "head") !== null || isDrawn(el));
  const ended = indexLabels();
  try {
    for (const [i, copy] of copies.entries()) {
      const original = originals[i];
      if (!original || Element.prototype.matches.call(copy, NOT_READ) || !isRead(original)) Element.prototype.remove.call(copy);
    }
  } finally {
    ended();
  }
  return clone;
}

// An element without a box of its own shows what is in it, and one that is invisible may.
function isDrawn(el: Element): boolean {
  if (el.checkVisibility({ visibilityProperty: true })) return true;
  return el.firstElementChild !== null && (el.checkVisibility() || getComputedStyle(el).display === "contents");
}

function mainOf(doc: Document): HTMLElement | undefined {
  const candidates = [...doc.querySelectorAll<HTMLElement>("main, [role=main]"), ...onlyArticle(doc)];
  return candidates.find((el) => el.checkVisibility() && el.innerText.trim() !== "");
}

function onlyArticle(doc: Document): HTMLElement[] {
  const articles = doc.querySelectorAll<HTMLElement>("article");
  return articles.length === 1 ? [...articles] : [];
}
