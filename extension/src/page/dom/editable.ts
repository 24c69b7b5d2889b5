// Rule: one answer to "can text go in here?". Text inputs and textareas that
// are enabled and writable, and the host of contenteditable content.

import { composedClosest, isHTML, isInput, isTextArea, parentOf } from "./dom";
import { disabledControl } from "./visibility";

const NOT_TEXT = new Set(["button", "checkbox", "file", "hidden", "image", "radio", "reset", "submit"]);

export type TextField = HTMLInputElement | HTMLTextAreaElement;

/** An input or textarea that takes text and may be changed. */
export function isTextField(el: Element | null): el is TextField {
  if (!isInput(el) && !isTextArea(el)) return false;
  if (isInput(el) && NOT_TEXT.has(el.type)) return false;
  return !el.readOnly && !disabledControl(el);
}

/** The outermost element of the editable region that the element is in. */
export function editingHost(el: Element | null): HTMLElement | null {
  if (!isHTML(el) || !el.isContentEditable || composedClosest(el, "[inert]")) return null;
  let host: HTMLElement = el;
  for (let up = parentOf(host); isHTML(up) && up.isContentEditable; up = parentOf(host)) host = up;
  return host;
}

export const isEditable = (el: Element): boolean => isTextField(el) || editingHost(el) !== null;
