// Rule of this file: a label of the page's own may say something else than what is shown.

import { fullNameOf } from "../dom/aria";

/** Reports whether the name is given by an attribute, not made of the content. */
export function isLabelled(el: Element): boolean {
  return el.hasAttribute("aria-label") || el.hasAttribute("aria-labelledby");
}

/** Reports whether the element's name has the words of the text. Signs, as a cross to close, are none. */
export function nameHolds(el: Element, text: string): boolean {
  const words = wordsOf(text);
  if (words.length === 0) return true;
  const name = fullNameOf(el).toLowerCase();
  const named = new Set(wordsOf(name));
  return words.every((word) => named.has(word) || (UNSPACED.test(word) && name.includes(word)));
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{N}+|\p{L}{2,}/gu) ?? [];

/** Scripts that put no spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
