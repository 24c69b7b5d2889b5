// Rule: unsaved is what a person or an agent entered and has not submitted: a value
// that only the page's own script set does not count. Names of fields leave the
// page, values never.

import { keepListening } from "../base/listeners";
import { isInput, isSelect, isTextArea } from "../dom/dom";
import { watchInnerDocuments } from "../dom/inner-documents";
import { labelOf } from "../dom/labels";
import { truncate } from "../dom/read-text";

const MAX_NAMES = 20;
/** Beyond this many edited elements, disconnected ones are forgotten. */
const MAX_EDITED = 500;
/** Input types whose value the user does not enter. */
const NON_USER_INPUTS = new Set(["hidden", "submit", "button", "reset", "image", "file"]);

type State = string;

/** The value of each edited element before its first edit; null where that was not observed. */
const edited = new Map<Element, State | null>();
/** The value of an element when it got the focus or its first input. */
const before = new WeakMap<Element, State>();

const watched = new WeakSet<Document>();

/** Starts to track the edits of the document, and of the frames in it that this origin may enter. */
export function watchEdits(doc: Document = document): void {
  if (watched.has(doc)) return;
  watched.add(doc);
  const view = doc.defaultView ?? window;
  const on = (type: string, handle: (el: Element) => void): void =>
    keepListening(doc, view, type, (e) => handle(elementOf(e)), { capture: true, passive: true });
  const remember = (el: Element): void => {
    if (isEditableField(el) && !before.has(el)) before.set(el, stateOf(el));
  };
  const recordEdit = (el: Element): void => {
    if (!isEditableField(el) || edited.has(el)) return;
    if (edited.size >= MAX_EDITED) forget((old) => !isInWindow(old));
    edited.set(el, before.get(el) ?? null);
  };
  on("focusin", remember);
  on("beforeinput", remember);
  on("input", recordEdit);
  on("change", recordEdit);
  on("submit", (form) => forget((el) => belongsTo(el, form)));
  on("reset", (form) => forget((el) => belongsTo(el, form)));
  watchInnerDocuments(doc, watchEdits);
}

/** page.unsaved */
export function unsaved(): { fields: string[]; files: number } {
  watchEdits();
  const dirty: Element[] = [];
  let files = 0;
  for (const [el, original] of edited) {
    if (!isInWindow(el)) edited.delete(el);
    else if (isInput(el) && el.type === "file") files += el.files?.length ?? 0;
    else if (stateOf(el) !== (original ?? initialOf(el))) dirty.push(el);
  }
  return { fields: dirty.slice(0, MAX_NAMES).map(nameOf), files };
}

/** Reports whether the element is still in a document that a window or a frame has. */
const isInWindow = (el: Element): boolean => el.isConnected && el.ownerDocument.defaultView !== null;

/** The actual target of the event, also inside an open shadow root. */
function elementOf(event: Event): Element {
  const [first] = event.composedPath();
  const el = (first ?? event.target) as Element;
  return editorOf(el) ?? el;
}

/** The outermost editable element: an editor is one field, whatever lies inside it. */
function editorOf(el: Element): Element | undefined {
  if (!(el as HTMLElement).isContentEditable) return undefined;
  let root = el;
  for (let at: Element | null = el; at && (at as HTMLElement).isContentEditable; at = at.parentElement) root = at;
  return root;
}

function isEditableField(el: Element): boolean {
  if (isInput(el)) return el.type === "file" || !NON_USER_INPUTS.has(el.type);
  return isTextArea(el) || isSelect(el) || (el as HTMLElement).isContentEditable === true;
}

function stateOf(el: Element): State {
  if (isInput(el)) return el.type === "checkbox" || el.type === "radio" ? String(el.checked) : el.value;
  if (isTextArea(el)) return el.value;
  if (isSelect(el)) return [...el.selectedOptions].map((option) => option.value).join("\n");
  return el.textContent ?? "";
}

/** The default value from the document: compared with where the value before the edit was not observed. */
function initialOf(el: Element): State {
  if (isInput(el)) return el.type === "checkbox" || el.type === "radio" ? String(el.defaultChecked) : el.defaultValue;
  if (isTextArea(el)) return el.defaultValue;
  if (!isSelect(el)) return "";
  const chosen = [...el.options].filter((option) => option.defaultSelected);
  return (chosen.length > 0 || el.multiple ? chosen : [...el.options].slice(0, 1)).map((option) => option.value).join("\n");
}

function belongsTo(el: Element, form: Element): boolean {
  return (el as HTMLInputElement).form === form || form.contains(el);
}

function forget(which: (el: Element) => boolean): void {
  for (const el of edited.keys()) {
    if (!which(el)) continue;
    edited.delete(el);
    before.delete(el);
  }
}

function nameOf(el: Element): string {
  const name = el.getAttribute("name");
  return truncate(name ? `${labelOf(el)}[name="${name}"]` : labelOf(el), 160);
}
