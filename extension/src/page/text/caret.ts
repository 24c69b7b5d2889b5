// Rule: a click puts the caret where it points, in fields, in rich text and in
// plain text alike, unless the page forbids selecting there.

import { isInput, isTextArea, styleOf } from "../dom/dom";
import { editingHost, isTextField } from "../dom/editable";
import type { Point } from "../dom/geometry";
import { shadowRootOf } from "../dom/shadow";

/** Puts the caret at a point of the element's own viewport. */
export function placeCaret(el: Element, point: Point): void {
  const doc = el.ownerDocument;
  const root = el.getRootNode();
  const shadowRoots = root.nodeType === Node.DOCUMENT_FRAGMENT_NODE && shadowRootOf((root as ShadowRoot).host) ? [root as ShadowRoot] : [];
  const position = doc.caretPositionFromPoint?.(point.x, point.y, { shadowRoots });
  if (isInput(el) || isTextArea(el)) {
    if (!isTextField(el)) return;
    const offset = position?.offsetNode === el ? position.offset : el.value.length;
    setCaret(el, offset);
    return;
  }
  if (!position || (styleOf(el).userSelect === "none" && !editingHost(el))) return;
  doc.getSelection()?.collapse(position.offsetNode, position.offset);
}

/** Puts the caret; types such as email and number have none that a script may set. */
export function setCaret(field: HTMLInputElement | HTMLTextAreaElement, start: number, end = start): boolean {
  if (field.selectionStart === null) return false;
  field.setSelectionRange(start, end);
  return true;
}
