// Rule of this file: a field's value is reported truncated. Of a secret field only
// a rough length is reported.

import { isInput, isSelect, isTextArea, styleOf } from "../dom/dom";
import { truncate, normalize } from "../dom/read-text";
import { isSecretField, lengthClass, secretIn } from "../dom/secrets";

/** What a field adds to its node. */
export interface Field {
  value?: string;
  states: string[];
  secret?: boolean;
}

const MAX_VALUE = 120;
const MAX_OPTION = 60;
const MAX_OPTIONS = 240;
const VALUELESS = new Set("button checkbox image radio reset submit".split(" "));
const RANGES = new Set("meter progressbar scrollbar slider spinbutton".split(" "));

export function fieldOf(el: Element, role: string): Field {
  if (isSecretField(el)) return { states: [`secret=${lengthClass(secretIn(el).length)}`, ...(isSelect(el) ? [choicesOf(el)] : [])], secret: true };
  if (isInput(el)) return inputOf(el);
  if (isTextArea(el)) return valueField(el.value, el);
  if (isSelect(el)) {
    const chosen = [...el.selectedOptions].map((option) => normalize(option.label));
    return { value: truncate(chosen.join(", "), MAX_VALUE), states: [choicesOf(el)] };
  }
  if (RANGES.has(role)) {
    const value = el.getAttribute("aria-valuetext") ?? el.getAttribute("aria-valuenow") ?? el.getAttribute("value");
    return { states: [], ...(value && { value: truncate(normalize(value), MAX_VALUE) }) };
  }
  return { states: [] };
}

const choicesOf = (el: HTMLSelectElement): string => `options=${JSON.stringify(optionsOf(el))}`;

// As many as fit; a snapshot of the select itself lists them all.
function optionsOf(el: HTMLSelectElement): string {
  let text = "";
  const offered = [...el.options].filter(isOffered);
  for (const [i, option] of offered.entries()) {
    const more = `${text}${i > 0 ? " | " : ""}${truncate(normalize(option.label), MAX_OPTION)}`;
    if (more.length > MAX_OPTIONS) return `${text} | and ${offered.length - i} more`;
    text = more;
  }
  return text;
}

/** Reports whether the browser lists the option. */
export const isOffered = (option: HTMLOptionElement): boolean =>
  styleOf(option).display !== "none" && (option.parentElement?.localName !== "optgroup" || styleOf(option.parentElement).display !== "none");

function inputOf(el: HTMLInputElement): Field {
  if (VALUELESS.has(el.type)) return { states: [] };
  if (el.type === "file") return valueField([...(el.files ?? [])].map((file) => file.name).join(", "), el);
  return valueField(el.value, el);
}

function valueField(value: string, el: HTMLInputElement | HTMLTextAreaElement): Field {
  const text = truncate(normalize(value), MAX_VALUE);
  const placeholder = normalize(el.getAttribute("placeholder") ?? "");
  const named = el.labels?.length || el.hasAttribute("aria-label") || el.hasAttribute("aria-labelledby") || el.hasAttribute("title");
  // Without a label the placeholder is the name already.
  const states = placeholder && named && !text ? [`placeholder=${JSON.stringify(truncate(placeholder, 60))}`] : [];
  return { states, value: text };
}
