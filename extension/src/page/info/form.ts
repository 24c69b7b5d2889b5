// Rule of this file: a form is reported as it stands now, with all of its fields
// whether they are drawn or not; nothing in it is asked to check itself, which would
// tell the page. Of a secret only the rough length is reported.

import { type Args, number } from "../base/args";
import { descriptionOf, nameOf, roleOf, withAriaCaches } from "../dom/aria";
import { documentAround, isHTML, isInput, isSelect, isTextArea, localNameOf } from "../dom/dom";
import { normalize, textOf, truncate } from "../dom/read-text";
import { isSecret, lengthClass, secretIn } from "../dom/secrets";
import { queryAll } from "../dom/selectors";
import { isRendered } from "../dom/visibility";
import { locateOne, locatorOf } from "../locator/locate";
import { refOf } from "../locator/refs";

/** Characters of the fields of one page, below the budget of an output. */
const PAGE_CHARS = 7000;
const MAX_VALUE = 400;
const MAX_OPTION = 100;
const MAX_SELECTED = 20;

const ROLES = ["textbox", "searchbox", "combobox", "listbox", "checkbox", "switch", "radio", "slider", "spinbutton"];
const NO_FIELD = ["hidden", "submit", "button", "reset", "image"].map((type) => `:not([type=${type} i])`).join("");
const FIELDS = `:is(input${NO_FIELD}, textarea, select, [contenteditable]:not([contenteditable=false]), ${ROLES.map((role) => `[role=${role}]`).join()})`;

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const isControl = (el: Element): el is Control => isInput(el) || isTextArea(el) || isSelect(el);

// A form exposes its fields by their names: one that is called "elements" would stand for all.
const elementsOf = Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, "elements")?.get as () => HTMLFormControlsCollection;

/** form.verify */
export function verifyForm(args: Args): unknown {
  const el = containerOf(locateOne(locatorOf(args, "locator")));
  const found = fieldsOf(el);
  const offset = number(args, "offset", 0, 0, 1_000_000);
  return withAriaCaches(() => {
    const fields: object[] = [];
    let chars = 0;
    let end = offset;
    for (; end < found.length; end++) {
      const field = describe(found[end] as Element);
      chars += JSON.stringify(field).length + 1;
      if (chars > PAGE_CHARS && end > offset) break;
      fields.push(field);
    }
    const name = nameOf(el);
    return {
      tag_name: localNameOf(el),
      ...(name && { name }),
      fields,
      field_count: found.length,
      invalid_count: found.filter((field) => !isValid(field)).length,
      frame_count: queryAll(el, "iframe, frame").length,
      truncated: end < found.length,
      ...(end < found.length && { next: { name: "form.verify", arguments: { ...args, offset: end } } }),
    };
  });
}

/** The form that a field or a button belongs to; any other element itself. */
function containerOf(el: Element): Element {
  return (isControl(el) || localNameOf(el) === "button" ? (el as HTMLInputElement).form : null) ?? el;
}

function fieldsOf(el: Element): Element[] {
  const inside = queryAll(el, FIELDS);
  const own = localNameOf(el) === "form" ? [...elementsOf.call(el as HTMLFormElement)].filter((field) => field.matches(FIELDS)) : [];
  const all = new Set([...inside, ...own]);
  // What is inside of a field belongs to it: the text box of a list, the paragraphs of an editor.
  return [...all].filter((field) => isControl(field) || ![...all].some((other) => other !== field && isEditor(other) && other.contains(field)));
}

const isEditor = (el: Element): boolean => isHTML(el) && el.isContentEditable;

function describe(el: Element): object {
  const label = nameOf(el);
  const name = el.getAttribute("name");
  const message = messageOf(el);
  const { disabled, readOnly } = el as HTMLInputElement;
  return {
    ref: refOf(el),
    label,
    ...(name && { name: truncate(name, MAX_OPTION) }),
    kind: kindOf(el),
    ...valueIn(el),
    required: isControl(el) ? (el as HTMLInputElement).required : el.getAttribute("aria-required") === "true",
    valid: isValid(el),
    ...(message && { message }),
    ...((disabled || el.getAttribute("aria-disabled") === "true") && { disabled: true }),
    ...(readOnly === true && { read_only: true }),
    ...(!isRendered(el) && { hidden: true }),
  };
}

function kindOf(el: Element): string {
  if (isInput(el)) return el.type;
  return isTextArea(el) || isSelect(el) ? el.localName : (roleOf(el) || "textbox");
}

function valueIn(el: Element): object {
  if (isSecret(el)) return { value: null, secret: true, length_class: lengthClass(secretIn(el).length) };
  if (isInput(el) && (el.type === "checkbox" || el.type === "radio")) return { value: truncate(el.value, MAX_VALUE), checked: el.checked };
  if (isInput(el) && el.type === "file") return text([...(el.files ?? [])].map((file) => file.name).join(", "));
  if (isInput(el) || isTextArea(el)) return text(el.value);
  if (isSelect(el)) return { value: truncate(el.value, MAX_VALUE), selected: listed([...el.selectedOptions].map((option) => option.label)) };
  const checked = el.getAttribute("aria-checked");
  if (checked !== null || ["checkbox", "switch", "radio"].includes(roleOf(el))) return { value: null, checked: checked === "true" };
  const number = el.getAttribute("aria-valuetext") ?? el.getAttribute("aria-valuenow");
  if (number !== null) return text(number);
  if (roleOf(el) === "listbox") return { value: null, selected: listed(queryAll(el, "[role=option][aria-selected=true]").map(textOf)) };
  return text(normalize(isEditor(el) ? (el as HTMLElement).innerText : textOf(el)));
}

const text = (value: string): object => ({ value: truncate(value, MAX_VALUE), ...(value.length > MAX_VALUE && { value_length: value.length }) });

const listed = (options: string[]): string[] => options.slice(0, MAX_SELECTED).map((option) => truncate(normalize(option), MAX_OPTION));

function isValid(el: Element): boolean {
  const invalid = el.getAttribute("aria-invalid");
  return (!isControl(el) || el.validity.valid) && (invalid === null || invalid === "" || invalid === "false");
}

/** What the browser says, or what the page says beside the field. */
function messageOf(el: Element): string {
  if (isValid(el)) return "";
  const ids = (el.getAttribute("aria-errormessage") ?? "").split(/\s+/).filter(Boolean);
  const own = ids.map((id) => documentAround(el).getElementById(id)).map((error) => (error && isRendered(error) ? textOf(error) : "")).join(" ");
  const message = normalize(own) || (isControl(el) && normalize(el.validationMessage)) || descriptionOf(el);
  const secret = isSecret(el) ? secretIn(el) : "";
  return truncate(secret ? message.replaceAll(secret, "…") : message, 200);
}
