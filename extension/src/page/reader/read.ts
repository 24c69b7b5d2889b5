// Rule of this file: a page of text says of which text it is. The whole is read anew
// for each page, and its version tells whether it is the text of the page before.

import { type Args, number, text } from "../base/args";
import { normalize, truncate } from "../dom/read-text";
import { accessOf } from "./access";
import { articleOf } from "./article";
import type { IsOwn } from "./paragraphs";

const MAX_TITLE = 300;
const MAX_BYLINE = 200;
const DEFAULT_CHARS = 4000;

/** page.read */
export function read(args: Args, isOwn: IsOwn): unknown {
  const article = articleOf(document, isOwn);
  const whole = article.text;
  const version = versionOf(whole);
  const expected = text(args, "version");
  const offset = Math.trunc(number(args, "offset", 0, 0, Number.MAX_SAFE_INTEGER));
  const start = offset + (isLowSurrogate(whole, offset) ? 1 : 0);
  const max = Math.trunc(number(args, "max_chars", DEFAULT_CHARS, 200, 6000));
  const end = endOf(whole, start, max);
  const more = end < whole.length;
  const byline = truncate(normalize(article.byline), MAX_BYLINE);
  const isPdf = document.contentType === "application/pdf"; // the browser's viewer has no text here
  return {
    title: truncate(normalize(article.title || document.title), MAX_TITLE),
    ...(byline && { byline }),
    ...(article.lang && { lang: article.lang }),
    source: article.source,
    ...(isPdf ? { access_state: "pdf" } : accessOf(document, article)),
    text: whole.slice(start, end),
    offset,
    total_chars: whole.length,
    version,
    ...(expected !== undefined && expected !== version && { changed: true }),
    truncated: more,
    ...(isPdf && { next: { name: "page.read_pdf", arguments: {} } }),
    ...(more && { next: { name: "page.read", arguments: { ...args, offset: end, version } } }),
  };
}

/** The end of the page of the text: after a paragraph or a word where one ends near enough. */
function endOf(whole: string, start: number, max: number): number {
  const end = start + max;
  if (end >= whole.length) return whole.length;
  for (const mark of ["\n\n", "\n", " "]) {
    const at = whole.lastIndexOf(mark, end - mark.length);
    if (at > start + max / 2) return at + mark.length;
  }
  return isLowSurrogate(whole, end) ? end - 1 : end;
}

const isLowSurrogate = (whole: string, at: number): boolean => /[\udc00-\udfff]/.test(whole.charAt(at)) && /[\ud800-\udbff]/.test(whole.charAt(at - 1));

/** 53 bits of a hash of the text: enough to notice a change that nobody made up. */
export function versionOf(whole: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < whole.length; i++) {
    const code = whole.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return ((b >>> 0) * 0x200000 + ((a >>> 0) >>> 11)).toString(36);
}
