// Rule of this file: filling leaves exactly the text in the field, and the value is
// read back afterwards. A page that only formats it (1234 to 1,234) took the value;
// one that changed it did not. Secrets are never reported.

import { requiredText } from "../base/args";
import { PageError } from "../base/errors";
import { deepActive, isHTML, isInput, isSelect, isTextArea, localNameOf } from "../dom/dom";
import { editingHost, isTextField, type TextField } from "../dom/editable";
import { focusOn } from "../dom/focus";
import { labelOf } from "../dom/labels";
import { truncate } from "../dom/read-text";
import { isSecret } from "../dom/secrets";
import { InputCounter } from "../input/prepared-keys";
import { stripSpace } from "../text/added";
import { drawnText, isEditorInput, selectAllInEditor } from "../text/editor-selection";
import { insertIntoField, rejectInvalidValue } from "../text/field";
import { MAX_LINES, insertIntoRichText, applySelection, pasteData } from "../text/rich-text";
import { SpreadText } from "../text/spread";
import type { Context } from "../wait/schedule";
import { until } from "../wait/until";
import type { Action, HeldTarget, Prepared, InputMethod } from "./action";
import { redrawn } from "./redrawn";
import { sameContent } from "./same-content";
import { isSlider, requireSliderValue, setSlider, sliderValue } from "./slider";

/** Input types that a keyboard fills part by part: a script sets their whole value. */
const SET_BY_SCRIPT = new Set(["date", "datetime-local", "month", "week", "time", "color", "range"]);

/** How long a page may take to show the text. */
const APPLY_TIMEOUT_MS = 500;

const MAX_VALUE = 200;

interface Before {
  field: TextField | HTMLElement;
  value: string;
  /** Reports to the worker that the text came, as the page may navigate at once. */
  count?: InputCounter;
  /** What the editor of the field drew that has selected its text. */
  editor?: string;
  /** What becomes of a text that goes on into the next fields. */
  spread?: SpreadText;
}

const requestedText = (args: HeldTarget["args"]): string => requiredText(args, "text").replaceAll("\r\n", "\n");

function begin(held: HeldTarget): Before {
  const field = isHTML(held.el) && isSlider(held.el) ? held.el : fieldOf(held.el);
  if (!field) throw notEditable(held.el);
  if (isTextField(field)) rejectInvalidValue(field, requestedText(held.args));
  if (isSlider(field)) requireSliderValue(field, requestedText(held.args));
  held.before = { field, value: valueOfField(field), ...(isTextField(field) && { spread: new SpreadText(field) }) } satisfies Before;
  return held.before as Before;
}

// The element, the control of its label, or the one field inside a wrapper.
function fieldOf(el: Element): TextField | HTMLElement | null {
  if (isTextField(el)) return el;
  const host = editingHost(el);
  if (host) return host;
  const control = el.localName === "label" ? (el as HTMLLabelElement).control : null;
  if (isTextField(control)) return control;
  if (isInput(el) || isTextArea(el)) return null;
  const inside = [...el.querySelectorAll("input, textarea, [contenteditable]")].filter((inner) => isTextField(inner) || (editingHost(inner) === inner && isHTML(inner)));
  return inside.length === 1 ? (inside[0] as HTMLElement) : null;
}

function notEditable(el: Element): PageError {
  const use = isSelect(el) ? "locator.select_option" : isInput(el) && el.type === "file" ? "locator.upload_file" : isInput(el) && /^(checkbox|radio)$/.test(el.type) ? "locator.set_checked" : undefined;
  const evidence = { label: labelOf(el), tag_name: localNameOf(el), ...(isInput(el) && { type: el.type }), ...(use && { use }) };
  return new PageError("target_not_editable", `${labelOf(el)} takes no text${use ? `: use ${use}` : ""}`, evidence);
}

const valueOfField = (field: Element): string => (isSlider(field) ? String(sliderValue(field)) : isInput(field) || isTextArea(field) ? field.value : (field as HTMLElement).innerText.replace(/\n$/, ""));

async function prepare(held: HeldTarget): Promise<Prepared> {
  const { field } = begin(held);
  const content = requestedText(held.args);
  const sensitive = isSecret(field);
  const answer = (way: InputMethod): Prepared => ({ way, sensitive });
  // Line breaks are Enter keys to an editor, and in many Enter sends a message. Many
  // lines in a text area are set by a script: the browser would take seconds for them.
  const whole = isInput(field) ? SET_BY_SCRIPT.has(field.type) : content.split("\n").length > (isTextField(field) ? MAX_LINES : 1);
  if (whole || isSlider(field)) return answer("page");
  focusOn(field);
  if (deepActive() !== field) return answer("page");
  if (held.hold !== undefined) {
    const count = new InputCounter(held.hold, "input");
    (held.before as Before).count = count;
    held.end = () => count.end();
  }
  if (isTextField(field)) {
    if (!selectsInEditor(held, field)) field.select();
    return answer("text");
  }
  const selection = field.ownerDocument.getSelection();
  if (!selection) return answer("page");
  await applySelection(field, selection, "replace", false);
  return answer("text");
}

async function perform(held: HeldTarget, ctx: Context): Promise<void> {
  const { field } = begin(held);
  focusOn(field);
  try {
    if (isSlider(field)) await setSlider(field, Number(requestedText(held.args)), ctx);
    else if (isTextField(field) && selectsInEditor(held, field)) pasteIntoEditor(held, field);
    else if (isTextField(field)) await insertIntoField(field, requestedText(held.args), "replace", false);
    else await insertIntoRichText(field, requestedText(held.args), "replace", false, ctx);
  } catch (thrown) {
    // A text that the field refused is judged by the field's value.
    if (!(thrown instanceof PageError) || thrown.code !== "handler_failed") throw thrown;
  }
}

// Reports whether the field is that of an editor, which has selected its text.
function selectsInEditor(held: HeldTarget, field: TextField): boolean {
  if (!isEditorInput(field)) return false;
  const drawn = drawnText(field);
  if (!selectAllInEditor(field)) return false;
  (held.before as Before).editor = drawn;
  return true;
}

function pasteIntoEditor(held: HeldTarget, field: TextField): void {
  field.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, composed: true, clipboardData: pasteData(requestedText(held.args), "") }));
}

// Which of its lines an editor draws is its own matter: lines that are not seen may be there.
// Those of the text before must be gone, but for the numbers of lines.
async function readEditor(field: Element, before: string, wanted: string, ctx: Context): Promise<Record<string, unknown>> {
  const linesOf = (text: string): string[] => text.split("\n").map(stripSpace).filter(Boolean);
  const lines = linesOf(wanted);
  const old = linesOf(before).filter((line) => !/^\d+$/.test(line) && !stripSpace(wanted).includes(line));
  const replaced = (drawn = stripSpace(drawnText(field))): boolean => lines.every((line) => drawn.includes(line)) && !old.some((line) => drawn.includes(line));
  const verified = lines.length > 0 && (await until(replaced, Math.min(performance.now() + APPLY_TIMEOUT_MS, ctx.deadline), ctx));
  return { filled: true, verified: verified ? true : null, sensitive: isSecret(field) };
}

async function readResult(held: HeldTarget, ctx: Context): Promise<Record<string, unknown>> {
  const { field, value: old, count, editor, spread } = held.before as Before;
  count?.end();
  const wanted = requestedText(held.args);
  if (editor !== undefined) return readEditor(field, editor, wanted, ctx);
  const isSensitive = (): boolean => isSecret(field) || isSecret(held.el);
  const rich = !isInput(field) && !isTextArea(field);
  // The page may have drawn the field again.
  const current = (): string | undefined => {
    const now = redrawn(held, field, (target) => (isSlider(target) ? target : fieldOf(target)));
    return now ? valueOfField(now) : undefined;
  };
  const same = (now = current()): boolean => now === wanted || (rich && now !== undefined && stripSpace(now) === stripSpace(wanted));
  const formatted = (now = current()): boolean => now !== undefined && sameContent(wanted, now, isSensitive());
  await until(() => same() || formatted() || spread?.arrival(wanted) !== undefined, Math.min(performance.now() + APPLY_TIMEOUT_MS, ctx.deadline), ctx);
  const value = current() ?? valueOfField(field);
  const exact = same();
  const sensitive = isSensitive();
  const shown = sensitive ? { value_length: [...value].length } : { value: truncate(value, MAX_VALUE) };
  if (exact) return { filled: true, verified: true, sensitive, ...shown };
  if (formatted()) return { filled: true, verified: true, reformatted: true, sensitive, ...shown };
  const arrival = spread?.arrival(wanted);
  if (arrival) {
    const secret = sensitive || arrival.sensitive;
    return { filled: true, verified: arrival.verified, sensitive: secret, ...(secret ? { value_length: [...wanted].length } : { value: truncate(wanted, MAX_VALUE) }) };
  }
  if (current() === undefined) return { filled: true, verified: null, sensitive, ...shown };
  const untouched = field.isConnected && (value === old || value === "");
  throw new PageError("value_not_applied", `${labelOf(held.el)} does not hold the text`, { label: labelOf(held.el), sensitive, untouched, ...shown }, "yes");
}

export const fill: Action = { need: { reach: "presence", enabled: true }, prepare, perform, readResult };
