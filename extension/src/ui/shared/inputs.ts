// Rule of this file: the inputs of an action as fields, by its schema. Names and
// descriptions come from pages: they are text only. What a field holds goes to the
// host with a run, and nowhere else; the field of a secret shows nothing.

import { t } from "./text";

/** What of an input's schema decides its field. */
interface InputSchema {
  type?: string | string[];
  description?: string;
  writeOnly?: boolean;
  enum?: unknown[];
  examples?: unknown[];
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

interface Field {
  name: string;
  schema: InputSchema;
  required: boolean;
  control: Control;
  wrong: HTMLElement;
}

/** The fields of an action. */
export class Inputs {
  private fields: Field[] = [];

  constructor(private readonly place: HTMLElement) {}

  /** Draws the fields of the schema anew. */
  show(schema: Record<string, unknown>): void {
    const required = (schema["required"] ?? []) as string[];
    // They are used in this order; the names of an object have none.
    const place = ([name]: [string, unknown]): number => (required.includes(name) ? required.indexOf(name) : required.length);
    const properties = Object.entries((schema["properties"] ?? {}) as Record<string, InputSchema>).sort((a, b) => place(a) - place(b));
    this.fields = [];
    this.place.replaceChildren(...properties.map(([name, of], i) => this.field(name, of, required.includes(name), `input-${i}`)));
  }

  /** Returns what the fields hold, or nothing where one is wrong, which gets the focus. */
  read(): Record<string, unknown> | undefined {
    const values: [string, unknown][] = [];
    let first: Control | undefined;
    for (const field of this.fields) {
      const { value, wrong } = readField(field);
      field.wrong.textContent = wrong;
      field.control.ariaInvalid = wrong === "" ? null : "true";
      if (wrong !== "") first ??= field.control;
      else if (value !== undefined) values.push([field.name, value]);
    }
    first?.focus();
    return first ? undefined : Object.fromEntries(values);
  }

  private field(name: string, schema: InputSchema, required: boolean, id: string): HTMLElement {
    const control = controlFor(schema);
    control.id = id;
    control.dataset["input"] = name;
    control.setAttribute("aria-describedby", `${id}-hint ${id}-wrong`);
    if (required && control.type !== "checkbox") control.ariaRequired = "true";
    const label = document.createElement("label");
    label.htmlFor = id;
    label.textContent = name;
    const field = document.createElement("div");
    field.className = "field";
    if (control.type === "checkbox") {
      label.className = "check";
      label.prepend(control, " ");
      field.append(label);
    } else field.append(label, control);
    const wrong = line(`${id}-wrong`, "wrong", "");
    field.append(line(`${id}-hint`, "quiet", hintOf(schema)), wrong);
    this.fields.push({ name, schema, required, control, wrong });
    return field;
  }
}

function line(id: string, className: string, text: string): HTMLElement {
  const made = document.createElement("p");
  made.id = id;
  made.className = className;
  made.textContent = text;
  if (className === "wrong") made.setAttribute("role", "alert");
  return made;
}

function hintOf({ description = "", examples, writeOnly }: InputSchema): string {
  const example = examples?.[0] === undefined || writeOnly ? "" : t("save_example", [textOf(examples[0])]);
  return [writeOnly ? t("save_secret") : "", description, example].filter((text) => text !== "").join(" · ");
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const typeOf = ({ type }: InputSchema): string => (Array.isArray(type) ? (type[0] ?? "") : (type ?? ""));

function controlFor(schema: InputSchema): Control {
  if (Array.isArray(schema.enum)) {
    const made = document.createElement("select");
    made.append(...schema.enum.map((option) => new Option(textOf(option), JSON.stringify(option))));
    return made;
  }
  const type = typeOf(schema);
  if (type === "array" || type === "object") {
    const made = document.createElement("textarea");
    made.spellcheck = false;
    made.value = type === "array" ? "[]" : "{}";
    return made;
  }
  const made = document.createElement("input");
  made.type = schema.writeOnly ? "password" : type === "boolean" ? "checkbox" : type === "number" || type === "integer" ? "number" : "text";
  made.autocomplete = schema.writeOnly ? "new-password" : "off";
  if (type === "number") made.step = "any";
  return made;
}

/** Returns what a field holds, undefined for one that is left out, and what is wrong with it. */
function readField({ control, schema, required }: Field): { value?: unknown; wrong: string } {
  if (control instanceof HTMLInputElement && control.type === "checkbox") return { value: control.checked, wrong: "" };
  if (control.validity.badInput) return { wrong: t("save_no_number") };
  const text = control.value;
  if (text === "") return { wrong: required ? t("save_needed") : "" };
  const type = typeOf(schema);
  if (!Array.isArray(schema.enum) && (type === "string" || type === "")) return { value: text, wrong: "" };
  try {
    return { value: JSON.parse(text) as unknown, wrong: "" };
  } catch {
    return { wrong: t(type === "array" || type === "object" ? "save_no_json" : "save_no_number") };
  }
}
