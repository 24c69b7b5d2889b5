// Rule of this file: a text has come if it stands there more often than before it was put in,
// or stands in the field as it was put in.
// White space does not count: fields and editors keep it in their own way.

import { isInput, isTextArea } from "../dom/dom";

/** Returns a function that reports whether the text has come in place of what is selected now. */
export function watchAdded(el: HTMLElement, text: string): () => boolean {
  const field = isInput(el) || isTextArea(el) ? el : undefined;
  const read = (): string => field?.value ?? el.innerText;
  const before = read();
  const selected = field?.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0) || (el.ownerDocument.getSelection()?.toString() ?? "");
  const wanted = stripSpace(text);
  // The selection may cut an occurrence of the text, and then the whole has no more of them than before.
  const whole = field && field.selectionStart !== null ? stripSpace(before.slice(0, field.selectionStart) + text + before.slice(field.selectionEnd ?? 0)) : undefined;
  const count = (around: string): number => stripSpace(around).split(wanted).length - 1;
  return () => {
    const now = read();
    // A text may replace itself.
    if (now === before) return text === selected;
    return wanted === "" || stripSpace(now) === whole || count(now) > count(before) - count(selected);
  };
}

/** The text without white space and joiners. */
export const stripSpace = (text: string): string => text.replace(/[\s\u00a0\u200b\ufeff]+/g, "");
