// Rule: Enter in a field submits its form as the HTML standard says (implicit
// submission): by a click on the default button, or directly where there is no
// button and at most one field that would be lost.

import { isButton, isInput } from "./dom";

type Control = HTMLInputElement | HTMLSelectElement;

const BLOCKING = new Set(["text", "search", "tel", "url", "email", "password", "date", "month", "week", "time", "datetime-local", "number"]);

/** Submits the control's form; false where it has none or the standard forbids it. */
export function submitImplicitly(control: Control): boolean {
  const { form } = control;
  if (!form) return false;
  // A browser reports the edit before the submission.
  if (isInput(control) && BLOCKING.has(control.type)) control.dispatchEvent(new Event("change", { bubbles: true }));
  const button = defaultButton(form);
  if (button) {
    if (button.matches(":disabled")) return false;
    button.click();
    return true;
  }
  const fields = [...form.elements].filter((el) => isInput(el) && BLOCKING.has(el.type));
  if (fields.length > 1) return false;
  form.requestSubmit();
  return true;
}

/** The first submit button in tree order: the one that Enter presses. */
// form.elements leaves image buttons out, and a button outside may name the form.
export function defaultButton(form: HTMLFormElement): HTMLButtonElement | HTMLInputElement | undefined {
  const root = form.getRootNode() as Document | ShadowRoot;
  for (const el of root.querySelectorAll("button, input")) {
    if (isButton(el) && el.type === "submit" && el.form === form) return el;
    if (isInput(el) && (el.type === "submit" || el.type === "image") && el.form === form) return el;
  }
  return undefined;
}
