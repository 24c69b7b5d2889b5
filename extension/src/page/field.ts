// Rule: a field gets its value by the prototype's own setter, which a framework
// that guards the element's value property does not see, and then the events
// of typing, which make it read the field again.

import { setCaret } from "./caret";
import { isInput } from "./dom";
import type { TextField } from "./editable";
import { PageError } from "./errors";
import type { Inserted, Mode } from "./insertion";
import { labelOf } from "./labels";
import { task } from "./settle";

/** Inserts at the caret (at the end where it is not known) or in place of the value. */
export async function insertIntoField(field: TextField, content: string, mode: Mode, atCaret: boolean): Promise<Inserted> {
  const before = field.value;
  const end = mode === "append" && atCaret ? (field.selectionEnd ?? before.length) : before.length;
  const start = mode === "replace" ? 0 : atCaret ? (field.selectionStart ?? before.length) : before.length;
  // A person cannot type past maxlength; the setter could.
  const room = field.maxLength < 0 ? Infinity : Math.max(0, field.maxLength - (before.length - (end - start)));
  const fitting = content.slice(0, room);
  const value = before.slice(0, start) + fitting + before.slice(end);
  refuseNonsense(field, value);
  const inputType = mode === "replace" ? "insertReplacementText" : "insertText";
  const init: InputEventInit = { bubbles: true, composed: true, inputType, data: fitting };
  if (field.dispatchEvent(new InputEvent("beforeinput", { ...init, cancelable: true }))) {
    setValue(field, value);
    setCaret(field, start + fitting.length);
    field.dispatchEvent(new InputEvent("input", init));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  await task();
  const after = field.value;
  const wanted = before.slice(0, start) + content + before.slice(end);
  if (after === before && wanted !== before) {
    throw new PageError("handler_failed", `${labelOf(field)} did not take the text`, { label: labelOf(field), max_length: field.maxLength }, "yes");
  }
  return {
    input_method: "native-setter",
    selected_text_length: end - start,
    selection_sync: field.selectionStart === start + fitting.length,
    verified: after === wanted,
  };
}

function setValue(field: TextField, value: string): void {
  const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set;
  if (setter) setter.call(field, value);
  else field.value = value;
}

// A number or date field turns what it does not understand into nothing: the
// old value would be lost. An element of the same kind is asked first.
/** Refuses text that a field of its type would turn into nothing. */
export function refuseNonsense(field: TextField, value: string): void {
  if (!isInput(field) || value === "") return;
  const probe = field.ownerDocument.createElement("input");
  probe.type = field.type;
  for (const name of ["min", "max", "step"]) {
    const limit = field.getAttribute(name);
    if (limit !== null) probe.setAttribute(name, limit);
  }
  probe.value = value;
  const kept =
    field.type === "color" ? probe.value === value.toLowerCase() : field.type === "range" ? Number(probe.value) === Number(value) : probe.value !== "";
  if (kept) return;
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
