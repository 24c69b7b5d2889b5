// Rule of this file: an order, a payment or a message is sent once. A control
// that commits to something is known by its form (POST) or by its name; pressed
// again soon, with the same content, it is refused unless the caller insists.
// What was sent is remembered by the host, as a number: never the content.

import { hash } from "../../hash";
import { type Args, flag, requiredText, texts } from "../base/args";
import { PageError } from "../base/errors";
import { nameOf, withAriaCaches } from "../dom/aria";
import { ancestorsOf, attributeOf, composedClosest, isButton, isInput, isSelect, isTextArea } from "../dom/dom";
import { defaultButton } from "../dom/forms";
import { labelOf } from "../dom/labels";
import { normalize, textOf } from "../dom/read-text";
import { isCommitting } from "./commit-verbs";
import { parseChord } from "./keys";

const BUTTONS = "button, input[type=submit], input[type=image], input[type=button], [role=button], a[role=button], a[href^='#'], a[href^='javascript:'], a:not([href])";

type Submitter = HTMLButtonElement | HTMLInputElement;

/** Refuses a submit that was sent a moment ago; returns the key to remember it by, if the control commits. */
export function rejectDuplicate(target: { el: Element; args: Args }): string | undefined {
  const action = target.args.action;
  const key = action === "press" ? parseChord(requiredText(target.args, "key"), []) : undefined;
  const presses = key !== undefined && key.modifiers.length === 0 && (key.key === "Enter" || key.key === " ");
  if (action !== "click" && action !== "double_click" && !presses) return undefined;
  const control = composedClosest(target.el, BUTTONS) ?? (key?.key === "Enter" ? implicitSubmitter(target.el) : null);
  if (!control || !commits(control)) return undefined;
  const content = withAriaCaches(() => submitKey(control));
  if (!flag(target.args, "allow_repeat", false) && (texts(target.args, "recent_submits") ?? []).includes(content)) {
    throw new PageError("duplicate_submit", `${labelOf(control)} was pressed with the same content a moment ago`, { label: labelOf(control) });
  }
  return content;
}

function implicitSubmitter(el: Element): Element | null {
  const form = isInput(el) ? el.form : null;
  return form && (defaultButton(form) ?? form);
}

const isSubmitter = (el: Element): el is Submitter => (isButton(el) && el.type === "submit") || (isInput(el) && (el.type === "submit" || el.type === "image"));

function formOf(control: Element): HTMLFormElement | null {
  if (control.localName === "form") return control as HTMLFormElement;
  return isButton(control) || isInput(control) ? control.form : (composedClosest(control, "form") as HTMLFormElement | null);
}

function commits(control: Element): boolean {
  const form = formOf(control);
  const submits = isSubmitter(control) || control === form;
  const method = (isSubmitter(control) && control.getAttribute("formmethod")) || ((form && attributeOf(form, "method")) ?? "get");
  if (submits && form && method.toLowerCase() === "post") return true;
  return isCommitting(nameOf(control)) && !(submits && form && isSearch(form));
}

function isSearch(form: HTMLFormElement): boolean {
  return composedClosest(form, "[role=search], search") !== null || form.querySelector("input[type=search], input[name=q], input[name=query], input[name=search]") !== null;
}

// The address, the control, what it belongs to, and all that was entered.
function submitKey(control: Element): string {
  const form = formOf(control);
  const doc = control.ownerDocument;
  const fields = [...(form ?? doc).querySelectorAll("input, select, textarea, [contenteditable]")];
  const components = [doc.URL, control.localName, nameOf(control), contextOf(control)];
  for (const field of fields) components.push(contentOf(field));
  return hash(components.join("\u0000")); // enough to distinguish the few submits of half a minute
}

function contentOf(field: Element): string {
  if (isInput(field)) return field.type === "checkbox" || field.type === "radio" ? `${field.name}=${field.checked}` : `${field.name}=${field.value}`;
  if (isSelect(field)) return `${field.name}=${[...field.selectedOptions].map((option) => option.value).join()}`;
  return isTextArea(field) ? `${field.name}=${field.value}` : normalize(field.textContent ?? ""); // a secret counts as well
}

// One of several equal buttons, such as Delete in a list, is distinguished by the
// text of the largest element that contains no other of them.
function contextOf(control: Element): string {
  const name = nameOf(control);
  const compared = new Set([control]);
  let distinct = control;
  for (const at of ancestorsOf(control)) {
    for (const other of at.querySelectorAll(control.localName)) {
      if (compared.has(other)) continue;
      if (nameOf(other) === name) return normalize(textOf(distinct)).slice(0, 500);
      compared.add(other);
    }
    distinct = at;
  }
  return "";
}
