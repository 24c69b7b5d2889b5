// Rule: secrets never leave the page. A field is secret by its type, by its
// autocomplete attribute or by what it is called, and one whose type was password
// stays secret: "Show password" only shows it. The field itself remembers that, for every script world:
// it cancels an event, which is also sent when the debugger reads the accessibility
// tree.

import { SECRET_AUTOCOMPLETE, SECRET_EVENT } from "../../contract";
import { isCredentialField } from "./credentials";
import { attributeOf, isFrame, isInput, isTextArea } from "./dom";
import { rootsIn } from "./shadow";

const SECRET_HINT = new RegExp(`(^|\\s)(${SECRET_AUTOCOMPLETE.join("|")})(\\s|$)`, "i");

const preventDefault = (event: Event): void => event.preventDefault();

/** Reports whether the field's value is a secret. */
export function isSecret(el: Element): boolean {
  if (isTextArea(el)) return isCredentialField(el);
  if (!isInput(el)) return false;
  noticePassword(el);
  return remembered(el) || SECRET_HINT.test(attributeOf(el, "autocomplete") ?? "") || isCredentialField(el);
}

/** How long a secret is, roughly. */
export function lengthClass(length: number): string {
  if (length === 0) return "empty";
  if (length < 8) return "1-7 characters";
  return length < 16 ? "8-15 characters" : "16 or more characters";
}

function noticePassword(el: Element): void {
  if (isInput(el) && el.type === "password") remember(el);
}

// Adding the same listener twice adds it once.
function remember(el: Element): void {
  EventTarget.prototype.addEventListener.call(el, SECRET_EVENT, preventDefault);
}

function remembered(el: Element): boolean {
  return !EventTarget.prototype.dispatchEvent.call(el, new Event(SECRET_EVENT, { cancelable: true }));
}

/** The attribute as it may leave the page: null where it is absent or a secret's value. */
export function safeAttribute(el: Element, name: string): string | null {
  if (name.toLowerCase() === "value" && isSecret(el)) return null;
  return el.getAttribute(name);
}

const watched = new WeakSet<Document>();

/**
 * Starts to track the password fields of the document, and of the frames in it
 * that this origin may enter: before the page shows their values.
 */
export function watchSecrets(doc: Document = document): void {
  if (watched.has(doc)) return;
  watched.add(doc);
  const typeObserver = new MutationObserver((records) => {
    for (const { target, oldValue } of records) if (isInput(target) && oldValue?.toLowerCase() === "password") remember(target);
  });
  const watchFrame = (frame: unknown): void => {
    const inner = isFrame(frame) && frame.contentDocument;
    if (inner) watchSecrets(inner);
  };
  for (const root of rootsIn(doc)) {
    root.querySelectorAll("input").forEach(noticePassword);
    root.querySelectorAll("iframe, frame").forEach(watchFrame);
    typeObserver.observe(root, { subtree: true, attributes: true, attributeFilter: ["type"], attributeOldValue: true });
  }
  // In a shadow root that comes later a field is noticed when it is entered or filled.
  const check = (event: Event): void => noticePassword(event.composedPath()[0] as Element);
  for (const type of ["focusin", "input"]) doc.addEventListener(type, check, { capture: true, passive: true });
  doc.addEventListener("load", (event) => watchFrame(event.target), true);
}
