// Rule: a field's value is set by the prototype's own setter, which bypasses a
// framework's override of the element's value property, followed by the events of
// typing, which make the framework read the field again.

import { PageError } from "../base/errors";
import { isInput } from "../dom/dom";
import type { TextField } from "../dom/editable";
import { labelOf } from "../dom/labels";
import { nextTask } from "../wait/schedule";
import { setCaret } from "./caret";
import type { Inserted, Mode } from "./editing";

/** Inserts at the caret (at the end where it is not known) or in place of the value. */
export async function insertIntoField(field: TextField, content: string, mode: Mode, atCaret: boolean): Promise<Inserted> {
  const before = field.value;
  const end = mode === "append" && atCaret ? (field.selectionEnd ?? before.length) : before.length;
  const start = mode === "replace" ? 0 : atCaret ? (field.selectionStart ?? before.length) : before.length;
  // A person cannot type past maxlength; the setter could.
  const space = field.maxLength < 0 ? Infinity : Math.max(0, field.maxLength - (before.length - (end - start)));
  const inserted = content.slice(0, space);
  const value = before.slice(0, start) + inserted + before.slice(end);
  rejectInvalidValue(field, value);
  const inputType = mode === "replace" ? "insertReplacementText" : "insertText";
  const init: InputEventInit = { bubbles: true, composed: true, inputType, data: inserted };
  if (field.dispatchEvent(new InputEvent("beforeinput", { ...init, cancelable: true }))) {
    setValue(field, value);
    setCaret(field, start + inserted.length);
    field.dispatchEvent(new InputEvent("input", init));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  await nextTask();
  const after = field.value;
  const wanted = before.slice(0, start) + content + before.slice(end);
  if (after === before && wanted !== before) {
    throw new PageError("handler_failed", `${labelOf(field)} did not take the text`, { label: labelOf(field), max_length: field.maxLength }, "yes");
  }
  return {
    input_method: "native-setter",
    selected_text_length: end - start,
    selection_sync: field.selectionStart === start + inserted.length,
    verified: after === wanted,
  };
}

function setValue(field: TextField, value: string): void {
  const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set;
  if (setter) setter.call(field, value);
  else field.value = value;
}

// A number or date field turns an invalid value into the empty string: the old
// value would be lost. The value is tried on an element of the same kind first.
/** Refuses text that a field of its type would discard. */
export function rejectInvalidValue(field: TextField, value: string): void {
  if (!isInput(field) || value === "") return;
  const probe = field.ownerDocument.createElement("input");
  probe.type = field.type;
  for (const name of ["min", "max", "step"]) {
    const limit = field.getAttribute(name);
    if (limit !== null) probe.setAttribute(name, limit);
  }
  probe.value = value;
  const accepted =
    field.type === "color" ? probe.value === value.toLowerCase() : field.type === "range" ? Number(probe.value) === Number(value) : probe.value !== "";
  if (accepted) return;
  throw new PageError("target_not_editable", `${labelOf(field)} is of type ${field.type} and does not take this text`, {
    label: labelOf(field),
    type: field.type,
    reason: "invalid_for_type",
    format: FORMATS[field.type],
  });
}

const FORMATS: Record<string, string> = {
  date: "2026-12-31",
  "datetime-local": "2026-12-31T23:59",
  month: "2026-12",
  week: "2026-W53",
  time: "23:59",
  number: "-1.5",
  range: "a number within min and max, on a step",
  color: "#rrggbb",
};
