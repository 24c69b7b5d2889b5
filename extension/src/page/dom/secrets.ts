// Rule: secrets never leave the page. A field is secret by its type, by its
// autocomplete attribute or by what it is called, with all that is in it, and one whose
// type was password stays secret: "Show password" only shows it. The field itself
// remembers that, for every script world: it cancels an event, which is also sent when
// the debugger reads the accessibility tree.

import { SECRET_AUTOCOMPLETE, SECRET_EVENT } from "../../contract";
import { keepListening } from "../base/listeners";
import { isCredentialField } from "./credentials";
import { attributeOf, isElement, isInput, isSelect, isTextArea } from "./dom";
import { FIELDS, isField } from "./field-names";
import { watchInnerDocuments } from "./inner-documents";
import { rootsIn } from "./shadow";

const SECRET_HINT = new RegExp(`(^|\\s)(${SECRET_AUTOCOMPLETE.join("|")})(\\s|$)`, "i");

const preventDefault = (event: Event): void => event.preventDefault();

/** Attributes in which a field has its value. */
const VALUES = new Set(["value", "data-value", "aria-valuetext", "aria-valuenow"]);

/** Reports whether what stands in the element is a secret: it is a field for one, or inside of one. */
export function isSecret(el: Element): boolean {
  for (let at: Element | null = el; at; at = hostOf(at)) {
    for (let field = fieldAround(at); field; field = field.parentElement && fieldAround(field.parentElement)) if (isSecretField(field)) return true;
  }
  return false;
}

const fieldAround = (el: Element): Element | null => Element.prototype.closest.call(el, FIELDS);

const hostOf = (el: Element): Element | null => (Node.prototype.getRootNode.call(el) as ShadowRoot).host ?? null;

/** Reports whether the element itself is a field for a secret: for whoever goes through the tree from above. */
export function isSecretField(el: Element): boolean {
  if (!isField(el)) return false;
  if (isInput(el)) {
    noticePassword(el);
    if (remembered(el)) return true;
  }
  return SECRET_HINT.test(attributeOf(el, "autocomplete") ?? "") || isCredentialField(el);
}

/** The fields for secrets in the element, itself included. */
export function secretFieldsIn(el: ParentNode): Element[] {
  const inside = [...el.querySelectorAll(FIELDS)].filter(isSecretField);
  return isElement(el) && isSecretField(el) ? [el, ...inside] : inside;
}

/** The secret that stands in the field. */
export function secretIn(el: Element): string {
  if (isInput(el) || isTextArea(el)) return el.value;
  if (isSelect(el)) return [...el.selectedOptions].map((option) => option.label).join();
  return (el.textContent ?? "").trim();
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
  asking = true;
  try {
    return !EventTarget.prototype.dispatchEvent.call(el, new Event(SECRET_EVENT, { cancelable: true }));
  } finally {
    asking = false;
  }
}

/** This script asks itself. */
let asking = false;

// The debugger's script knows fewer names of fields than this one.
function answerAsked(event: Event): void {
  const [el] = event.composedPath();
  if (!asking && isElement(el) && isSecret(el)) event.preventDefault();
}

/** The attribute as it may leave the page: null where it is absent or a secret's value. */
export function safeAttribute(el: Element, name: string): string | null {
  if (VALUES.has(name.toLowerCase()) && isSecret(el)) return null;
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
  for (const root of rootsIn(doc)) {
    root.querySelectorAll("input").forEach(noticePassword);
    typeObserver.observe(root, { subtree: true, attributes: true, attributeFilter: ["type"], attributeOldValue: true });
  }
  // In a shadow root that comes later a field is noticed when it is entered or filled.
  const check = (event: Event): void => noticePassword(event.composedPath()[0] as Element);
  for (const type of ["focusin", "input"]) keepListening(doc, doc, type, check, { capture: true, passive: true });
  keepListening(doc, doc, SECRET_EVENT, answerAsked, { capture: true });
  watchInnerDocuments(doc, watchSecrets);
}
