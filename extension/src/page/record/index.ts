// Rule of this script: it is in the documents of tabs that are recorded, of frames too, and
// reports what the user does there. Only the browser's own events count: what a page makes
// up, and what follows from that, is left out. It never sends what stands in a field, but to the
// worker, which needs it to leave the same text out of names. What a field for secrets holds leaves
// the page as a hash only.

import type { MetTarget, Recorded, Recording } from "../../protocol";
import { keepListening } from "../base/listeners";
import { serveWorkerMessages } from "../base/worker-messages";
import { roleOf } from "../dom/aria";
import { composedClosest, composedContains, deepActive, isButton, isElement, isInput, isSelect, isTextArea } from "../dom/dom";
import { editingHost } from "../dom/editable";
import { isExtensionElement } from "../dom/extension-elements";
import { elementAt } from "../dom/hit-test";
import { isSecret } from "../dom/secrets";
import { describeTarget } from "../locator/met";
import { Marks } from "../overlay/marks";
import { isRecorderHere, RECORDER } from "../overlay/recorder-symbol";
import type { RecordingMessage } from "../overlay/recording";
import { send, sendSecret, sendText } from "./messages";

type Kind = Recorded["event"];

/** What takes a press that lands on something inside it. */
const CONTROLS =
  "a[href], button, input, select, textarea, summary, label, :is([role=button], [role=link], [role=menuitem], [role=menuitemcheckbox], [role=menuitemradio], [role=option], [role=tab], [role=checkbox], [role=radio], [role=switch], [role=combobox], [role=treeitem], [role=gridcell])";
const BUTTON_TYPES = new Set(["button", "submit", "reset", "image"]);
const PICKED_TYPES = new Set(["checkbox", "radio", "file"]);
/** Where arrows choose. */
const ARROW_ROLES = new Set(["combobox", "listbox", "option", "menu", "menuitem", "tab", "slider", "grid", "gridcell", "tree", "treeitem"]);
/** Events of a press, which goes to nobody while the user points at what to check. */
const PRESS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick"];
/** A hand that presses may shake so far, in pixels. */
const MAX_SLIP = 10;
const CHECK_SHOWN_MS = 60_000;
/** The worker writes down each text that it gets. */
const TYPED_DELAY_MS = 100;
const MIN_SECRET = 3;
const MAX_SECRET = 200;

let on = false;
/** What is typed now is no step, but it is left out of names afterwards all the same. */
let paused = false;
let checking = false;
let steps = 0;
/** What stands for a text that the user keeps as it is, where that is the last step. */
let kept = "";
/** Described as it was before the page could answer to the press. */
let prepared: { el: Element; met: MetTarget } | undefined;
/** Described while the page had nothing to do: what the pointer came to, or what got the focus. */
let foreseen: { el: Element; met: MetTarget } | undefined;
let coming: Element | undefined;
const changes = new MutationObserver(forget);
/** What the user's own press or key was for, last. */
let touched: Element | undefined;
/** Where the pointer went down, last. */
let pressed: { x: number; y: number } | undefined;
/** A box that the user's own click is changing. */
let clicked: Element | undefined;
/** What had the focus at the last key. */
let keyed: Element | undefined;
/** The field that the last report was about, while the user types on. */
let typing: Element | undefined;
/** What is typed is reported soon. */
let reporting = false;
/** An Enter of which it is not yet seen whether the page takes it. */
let entered: Event | undefined;
let dragged: MetTarget | undefined;
const tokens = new WeakMap<Element, string>();
const salts = new WeakMap<Element, string>();
const marks = new Marks("actions-json-check", CHECK_SHOWN_MS);
let pointed: Element | undefined;

function start(): void {
  if (isRecorderHere()) return;
  (globalThis as { [RECORDER]?: true })[RECORDER] = true;
  serveWorkerMessages<RecordingMessage>("recording", ({ recording }) => follow(recording));
  serveWorkerMessages("released", () => follow(undefined));
  for (const type of PRESS) listen(type, withhold);
  listen("pointermove", point);
  listen("pointerover", (event) => foresee(firstOf(event)));
  listen("focusin", (event) => foresee(fieldOf(event)));
  listen("pointerdown", press);
  listen("click", click);
  listen("dblclick", doubleClick);
  listen("keydown", key);
  listen("keydown", enter);
  listen("keypress", enter);
  listen("beforeinput", beforeInput);
  listen("input", input);
  listen("focusout", reportTyped);
  listen("pagehide", reportTyped);
  listen("dragstart", (event) => (dragged = describe(draggedBy(event))));
  listen("dragend", () => (dragged = undefined));
  listen("drop", drop);
  keepListening(document, window, "input", learn, { capture: true, passive: true });
  window.navigation.addEventListener("navigate", reportTyped, { capture: true }); // the page may write what is typed into its address
}

/** Takes what the host has of the recording; undefined once there is none. */
function follow(recording: Recording | undefined): void {
  reportTyped(); // the user may want to keep it
  if (recording === undefined || recording.paused || recording.steps < steps) typing = undefined; // what follows is a step anew
  steps = recording?.steps ?? 0;
  kept = recording?.kept ? (recording.token ?? "") : "";
  paused = recording?.paused === true;
  on = recording !== undefined && !paused;
  checking = on && recording?.checking === true;
  if (!checking) marks.remove();
  if (!on) forget();
}

/** Listens before the page does; a fault of this script never reaches the page. */
function listen(type: string, handle: (event: Event) => void): void {
  const handler = (event: Event): void => {
    if (!on || !event.isTrusted || isOurs(event)) return;
    try {
      handle(event);
    } catch {
      // A page that breaks what is asked of it: the event goes its way.
    }
  };
  keepListening(document, window, type, handler, { capture: true, passive: !PRESS.includes(type) });
}

const firstOf = (event: Event): Element | undefined => event.composedPath().find(isElement);

function isOurs(event: Event): boolean {
  const first = firstOf(event);
  return first !== undefined && isExtensionElement(first);
}

/** The innermost element of a press, closed shadow roots entered. */
function hitOf(event: Event): Element | undefined {
  const first = firstOf(event);
  if (!first) return undefined;
  const { clientX: x, clientY: y, detail } = event as MouseEvent;
  const hit = event.type === "click" && detail === 0 ? deepActive() : elementAt(document, { x, y });
  return hit && composedContains(first, hit) ? hit : first;
}

/** What a press is for. */
function controlOf(hit: Element): Element {
  const control = composedClosest(hit, CONTROLS) ?? editingHost(hit) ?? hit;
  return control.localName === "label" ? ((control as HTMLLabelElement).control ?? control) : control;
}

function fieldOf(event: Event): Element | undefined {
  const first = firstOf(event);
  const active = deepActive();
  const field = first && active && composedContains(first, active) ? active : first;
  return field && !isInput(field) && !isTextArea(field) && !isSelect(field) ? (editingHost(field) ?? field) : field;
}

function describe(el: Element | undefined): MetTarget | undefined {
  return el && (prepared?.el === el ? prepared.met : describeNow(el));
}

function describeNow(el: Element): MetTarget {
  if (changes.takeRecords().length > 0) forget();
  return foreseen?.el === el ? foreseen.met : describeTarget(el);
}

/** Has what may be pressed next described in the page's idle time: to look for others like it takes longer than an event may. */
function foresee(el: Element | undefined): void {
  if (!el || checking) return;
  if (!coming) requestIdleCallback(describeComing);
  coming = el;
}

function describeComing(): void {
  const el = coming && controlOf(coming);
  coming = undefined;
  if (!on || !el?.isConnected || foreseen?.el === el) return;
  forget();
  foreseen = { el, met: describeTarget(el) };
  for (const root of new Set([document, el.getRootNode()])) changes.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
}

/** The page has changed: what was described may be another now. */
function forget(): void {
  foreseen = undefined;
  changes.disconnect();
}

function report(event: Kind, el: Element | undefined, more: Partial<Recorded> = {}): void {
  const target = describe(el);
  if (!el || !target) return;
  reportTyped();
  typing = event === "fill" ? el : undefined;
  send({ event, target, ...more });
}

function press(event: Event): void {
  if (checking) return;
  const hit = hitOf(event);
  if (!hit) return;
  reportTyped();
  const el = controlOf(hit);
  const { clientX: x, clientY: y } = event as MouseEvent;
  pressed = { x, y };
  touched = el;
  prepared = { el, met: describeNow(el) };
}

function click(event: Event): void {
  const hit = checking ? undefined : hitOf(event);
  if (!hit || (event as MouseEvent).button !== 0) return;
  const el = controlOf(hit);
  clicked = el;
  // Enter in a field clicks the form's button: the key is what the user did.
  if ((event as MouseEvent).detail === 0 && !(keyed && composedContains(el, keyed))) return;
  if (!takesOnlyFocus(el) && !isDrag(event as MouseEvent, hit)) report("click", el, heldAt(event));
}

function doubleClick(event: Event): void {
  const hit = checking ? undefined : hitOf(event);
  const el = hit && controlOf(hit);
  if (el && !takesOnlyFocus(el)) report("double_click", el, heldAt(event));
}

/** Reports whether the pointer was dragged to where it is released, and not only over the control that it pressed. */
function isDrag({ detail, clientX, clientY }: MouseEvent, hit: Element): boolean {
  if (detail === 0 || !pressed || Math.hypot(clientX - pressed.x, clientY - pressed.y) <= MAX_SLIP) return false;
  return composedClosest(hit, CONTROLS) === null || controlOf(hit) !== touched;
}

/** The keys that were held at the click. */
function heldAt(event: Event): Pick<Recorded, "modifiers"> {
  const modifiers = (["Alt", "Control", "Meta", "Shift"] as const).filter((key) => (event as MouseEvent).getModifierState(key));
  return modifiers.length > 0 ? { modifiers } : {};
}

/** Reports whether what a click does there is reported as what was typed or chosen. */
function takesOnlyFocus(el: Element): boolean {
  if (isSelect(el) || el.localName === "option" || isTextArea(el)) return true;
  if (!isInput(el)) return editingHost(el) !== null;
  if (PICKED_TYPES.has(el.type)) return true;
  return !BUTTON_TYPES.has(el.type) && !el.readOnly && !el.hasAttribute("aria-haspopup") && el.getAttribute("role") !== "combobox";
}

function beforeInput(event: Event): void {
  entered = undefined; // it is a new line
  touched = fieldOf(event);
  // A field that the page has emptied takes another text: it is not the one before, corrected.
  if (touched && touched !== typing && tokens.has(touched) && textIn(touched) === "") tokens.delete(touched);
}

function input(event: Event): void {
  const el = fieldOf(event);
  if (!el) return;
  if (isInput(el) && el.type === "file") return report("upload", el);
  if (isInput(el) && PICKED_TYPES.has(el.type)) {
    if (el === clicked || el === keyed) report("check", el, { checked: el.checked });
    return;
  }
  if (el !== touched && el !== keyed) return; // the page did it
  if (el === typing) {
    if (kept !== "" && tokens.get(el) === kept) reportTyped(); // it is kept as it is in the end
    return reportSoon();
  }
  const token = tokenOf(el);
  report(isSelect(el) ? "select" : "fill", el, token === undefined ? {} : { token });
  reportSoon();
  if (isSelect(el) && token !== undefined) sendText({ token, text: el.selectedOptions[0]?.label ?? "", chosen: true });
}

/** During a pause: has the worker know what is typed. */
function learn(event: Event): void {
  const el = paused && event.isTrusted && !isOurs(event) ? fieldOf(event) : undefined;
  if (!el || isSelect(el) || (isInput(el) && PICKED_TYPES.has(el.type))) return;
  if (isSecret(el)) return reportSecret(el);
  const token = tokenOf(el);
  if (token !== undefined) sendText({ token, text: textIn(el) });
}

/** What stands for the text of the field; nothing for secrets and for several choices. */
function tokenOf(el: Element): string | undefined {
  if (isSecret(el) || (isSelect(el) && el.multiple)) return undefined;
  const token = tokens.get(el) ?? newToken();
  tokens.set(el, token);
  return token;
}

const newToken = (): string => `typed-${[...crypto.getRandomValues(new Uint8Array(6))].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;

/** Has the worker know what was typed, which it leaves out of what is reported from now on. */
function reportTyped(): void {
  if (!typing || entered) return; // the page may have emptied the field since the Enter
  if (isSecret(typing)) return reportSecret(typing);
  const token = tokens.get(typing);
  if (token !== undefined) sendText({ token, text: textIn(typing) });
}

/** Has the worker know what is typed before the user is done with it: a page that searches at once repeats it. */
function reportSoon(): void {
  if (reporting || (typing && isSecret(typing))) return; // hashes of what a secret begins with would say what it is
  reporting = true;
  setTimeout(() => {
    reporting = false;
    reportTyped();
  }, TYPED_DELAY_MS);
}

/** Has the worker know a secret where the page repeats it. A short one occurs by chance. */
function reportSecret(field: Element): void {
  const text = textIn(field).trim();
  if (text.length < MIN_SECRET || text.length > MAX_SECRET) return;
  const salt = salts.get(field) ?? newToken();
  salts.set(field, salt);
  sendSecret(salt, text);
}

const textIn = (field: Element): string => (isInput(field) || isTextArea(field) ? field.value : (field as HTMLElement).innerText);

function key(event: Event): void {
  const { key: name, isComposing, altKey, ctrlKey, metaKey } = event as KeyboardEvent;
  const el = deepActive() ?? undefined;
  keyed = el;
  if (el) prepared = prepared?.el === el ? prepared : undefined;
  if (!el || isComposing || altKey || ctrlKey || metaKey || !isChoosing(name, el)) return;
  report("press", el, { key: name });
}

/** Reports an Enter in a field of several lines where the page takes it, as one that sends a message: that is seen after the page's own listeners. */
function enter(event: Event): void {
  const { key: name, isComposing, altKey, ctrlKey, metaKey, shiftKey } = event as KeyboardEvent;
  const el = fieldOf(event);
  if (!el || name !== "Enter" || isComposing || altKey || shiftKey || (!isTextArea(el) && editingHost(el) === null)) return;
  reportTyped();
  const target = describe(el);
  const before = textIn(el);
  entered = event;
  setTimeout(() => {
    if (entered !== event) return;
    entered = undefined;
    if (!on || !target || !event.defaultPrevented || hasWritten(el, before)) return;
    typing = undefined;
    send({ event: "press", target, key: `${ctrlKey ? "Control+" : ""}${metaKey ? "Meta+" : ""}Enter` });
  });
}

/** Reports whether the page has written on in the field, as an editor that makes the new line itself. */
function hasWritten(field: Element, before: string): boolean {
  const now = textIn(field);
  return field.isConnected && now !== before && (now.trim() !== "" || before.trim() === "");
}

/** Reports whether the key does what no other report says. */
function isChoosing(name: string, el: Element): boolean {
  if (name === "Escape") return true;
  const pressed = isButton(el) || el.matches("a[href], summary") || (isInput(el) && (BUTTON_TYPES.has(el.type) || PICKED_TYPES.has(el.type)));
  if (name === "Enter") return !pressed && !isTextArea(el) && !isSelect(el) && editingHost(el) === null;
  if (!name.startsWith("Arrow") || isSelect(el) || isTextArea(el)) return false;
  if (isInput(el)) return el.getAttribute("role") === "combobox" && /Up|Down/.test(name);
  return ARROW_ROLES.has(roleOf(el));
}

const draggedBy = (event: Event): Element | undefined => {
  const first = firstOf(event);
  return (first && composedClosest(first, "[draggable=true]")) ?? first;
};

function drop(event: Event): void {
  const destination = firstOf(event);
  if (!dragged || !destination) return;
  reportTyped();
  send({ event: "drag", target: dragged, destination: describeTarget(destination) });
  dragged = undefined;
}

// The page gets nothing of a press that chooses what to check.
function withhold(event: Event): void {
  if (!checking) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (event.type !== "click") return;
  const hit = hitOf(event);
  prepared = undefined;
  checking = false;
  marks.remove();
  report("assert", hit && (composedClosest(hit, CONTROLS) ?? hit));
}

function point(event: Event): void {
  if (!checking) return;
  const hit = hitOf(event);
  if (!hit || hit === pointed) return;
  pointed = hit;
  marks.remove();
  marks.add(composedClosest(hit, CONTROLS) ?? hit);
}

start();
