// Rule: what a person would not read aloud never leaves the page. A field is
// secret by its type or by what its autocomplete attribute says it holds.

import { isInput } from "./dom";

const SECRET_AUTOCOMPLETE = /(^|\s)(current-password|new-password|one-time-code|cc-number|cc-csc)(\s|$)/i;

const oncePassword = new WeakSet<Element>();

/** Tells whether the field's value is a secret. */
export function isSecret(el: Element): boolean {
  if (!isInput(el)) return false;
  // "Show password" turns the field into a text field; the secret stays one.
  if (el.type === "password") oncePassword.add(el);
  return oncePassword.has(el) || SECRET_AUTOCOMPLETE.test(el.getAttribute("autocomplete") ?? "");
}

/** The attribute as the outside may see it: null where it is absent or a secret's value. */
export function safeAttribute(el: Element, name: string): string | null {
  if (name.toLowerCase() === "value" && isSecret(el)) return null;
  return el.getAttribute(name);
}
