// Rule of this file: a code editor draws only some of its lines, and its field holds
// none or one of them. What is selected in the page is not its selection: the editor
// selects all of its text by the key that a person presses for it.

import { isTextArea, viewOf } from "../dom/dom";
import { isShown, visibleBox } from "../dom/visibility";

/** A field smaller than this only takes the keys of what the editor draws. */
const MIN_FIELD_SIDE = 3;

/**
 * Has the editor of the focused field select all of its text. Returns false where there
 * is no editor that handles the key.
 */
export function selectAllInEditor(field: Element): boolean {
  const mac = /mac/i.test(viewOf(field).navigator.platform);
  const init: KeyboardEventInit & { which: number } = {
    key: "a", code: "KeyA", keyCode: 65, which: 65, ctrlKey: !mac, metaKey: mac, bubbles: true, cancelable: true, composed: true, view: viewOf(field),
  };
  const handled = !field.dispatchEvent(new KeyboardEvent("keydown", init));
  field.dispatchEvent(new KeyboardEvent("keyup", init));
  return handled;
}

/** Reports whether the text area only takes the keys of an editor that draws its text elsewhere. */
export function isEditorInput(field: Element): boolean {
  if (!isTextArea(field)) return false;
  const box = visibleBox(field);
  return !isShown(field) || box === null || box.right - box.left < MIN_FIELD_SIDE || box.bottom - box.top < MIN_FIELD_SIDE;
}

/** The text that the editor around the field draws now. */
export function drawnText(field: Element): string {
  for (let around = field.parentElement; around && around !== around.ownerDocument.body; around = around.parentElement) {
    if (around.innerText.trim()) return around.innerText;
  }
  return "";
}
