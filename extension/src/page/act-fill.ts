// Rule of this file: filling leaves exactly the text in the field, and what
// stands there afterwards is read back. A page that only formats it (1234 to
// 1,234) took the value; one that changed it did not. Secrets are never told.

import type { Action, Held, Ready, Way } from "./action";
import { needText } from "./args";
import { until } from "./changes";
import { deepActive, isHTML, isInput, isSelect, isTextArea } from "./dom";
import { type TextField, editingHost, isTextField } from "./editable";
import { PageError } from "./errors";
import { insertIntoField, refuseNonsense } from "./field";
import { focusOn } from "./focus";
import { labelOf } from "./labels";
import { cut } from "./read-text";
import { MAX_LINES, insertIntoRichText, settleSelection } from "./rich-text";
import { sameContent } from "./same-content";
import { isSecret } from "./secrets";
import type { Context } from "./settle";

/** Types whose parts a keyboard fills one by one: a script sets them whole. */
const SET_WHOLE = new Set(["date", "datetime-local", "month", "week", "time", "color", "range"]);

/** How long a page may take to show the text. */
const APPLY_MS = 500;

const MAX_VALUE = 200;

interface Before {
  field: TextField | HTMLElement;
  value: string;
}

const textOf = (args: Held["args"]): string => needText(args, "text").replaceAll("\r\n", "\n");

function begin(held: Held): Before {
  const field = fieldOf(held.el);
  if (!field) throw notEditable(held.el);
  if (isTextField(field)) refuseNonsense(field, textOf(held.args));
  held.before = { field, value: valueOf(field) } satisfies Before;
  return held.before as Before;
}

// The element, what its label stands for, or the one field inside a wrapper.
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
  const evidence = { label: labelOf(el), tag_name: el.localName, ...(isInput(el) && { type: el.type }), ...(use && { use }) };
  return new PageError("target_not_editable", `${labelOf(el)} takes no text${use ? `: use ${use}` : ""}`, evidence);
}

const valueOf = (field: Element): string => (isInput(field) || isTextArea(field) ? field.value : (field as HTMLElement).innerText.replace(/\n$/, ""));

async function ready(held: Held): Promise<Ready> {
  const { field } = begin(held);
  const content = textOf(held.args);
  const sensitive = isSecret(field);
  const answer = (way: Way): Ready => ({ way, sensitive });
  // Line breaks are Enter keys to an editor, and Enter sends a message in many.
  // Of more lines a script sets the whole: the browser would take seconds for them.
  const whole = isInput(field) ? SET_WHOLE.has(field.type) : content.split("\n").length > (isTextField(field) ? MAX_LINES : 1);
  if (whole) return answer("page");
  focusOn(field);
  if (deepActive() !== field) return answer("page");
  if (isTextField(field)) {
    field.select();
    return answer("text");
  }
  const selection = field.ownerDocument.getSelection();
  if (!selection) return answer("page");
  await settleSelection(field, selection, "replace", false);
  return answer("text");
}

async function perform(held: Held, ctx: Context): Promise<void> {
  const { field } = begin(held);
  focusOn(field);
  try {
    if (isTextField(field)) await insertIntoField(field, textOf(held.args), "replace", false);
    else await insertIntoRichText(field, textOf(held.args), "replace", false, ctx);
  } catch (thrown) {
    // What the field refused is judged by what stands in it.
    if (!(thrown instanceof PageError) || thrown.code !== "handler_failed") throw thrown;
  }
}

async function read(held: Held, ctx: Context): Promise<Record<string, unknown>> {
  const { field, value: old } = held.before as Before;
  const wanted = textOf(held.args);
  const rich = !isInput(field) && !isTextArea(field);
  const same = (): boolean => (rich ? bare(valueOf(field)) === bare(wanted) : valueOf(field) === wanted);
  await until(same, Math.min(performance.now() + APPLY_MS, ctx.deadline), ctx);
  const value = valueOf(field);
  const exact = same();
  const sensitive = isSecret(field) || isSecret(held.el);
  const shown = sensitive ? { value_length: [...value].length } : { value: cut(value, MAX_VALUE) };
  if (exact) return { filled: true, verified: true, sensitive, ...shown };
  if (field.isConnected && sameContent(wanted, value)) return { filled: true, verified: true, reformatted: true, sensitive, ...shown };
  const untouched = value === old || value === "";
  throw new PageError("value_not_applied", `${labelOf(held.el)} does not hold the text`, { label: labelOf(held.el), sensitive, untouched, ...shown }, "yes");
}

// Editors keep paragraphs and spaces in their own way.
const bare = (text: string): string => text.replace(/[\s\u00a0\u200b\ufeff]+/g, "");

export const fill: Action = { need: { reach: "presence", enabled: true }, ready, perform, read };
