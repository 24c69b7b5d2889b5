// Rule of this file: a file field is mostly hidden behind a button. It is the one that the
// button is in the label of or contains, or the only hidden one beside it or in its form, or
// the one that its press opens: whose window is held back.

import { attributeOf, childElementsOf, composedClosest, isElement, isHTML, isInput, localNameOf, parentElementOf, styleOf, viewOf } from "../dom/dom";
import { queryAll } from "../dom/selectors";
import type { Context } from "../wait/schedule";
import { until } from "../wait/until";
import { isDrawn } from "./control";

/** A press opens the window of a file field within this time. */
const CHOOSER_TIMEOUT_MS = 400;

const MAX_NAMED = 6;

const isFileField = (el: Element | undefined): el is HTMLInputElement => isElement(el) && isInput(el) && el.type === "file";

const fieldsIn = (around: Element): HTMLInputElement[] => queryAll(around, "input").filter(isFileField);

const isHidden = (field: HTMLInputElement): boolean => !field.disabled && !isDrawn(field);

/** Returns the file field that the element is, labels or contains, or that a button has beside it. */
export function fieldOf(el: Element): HTMLInputElement | null {
  if (isFileField(el)) return el;
  const control = (composedClosest(el, "label") as HTMLLabelElement | null)?.control ?? undefined;
  if (isFileField(control)) return control;
  return only(fieldsIn(el)) ?? (isPressable(el) ? fieldBeside(el) : null);
}

/** Returns the only hidden file field of the element's parent, or else of its form. */
export function fieldBeside(el: Element): HTMLInputElement | null {
  const around = [el.parentElement, composedClosest(el, "form")].filter((each) => each !== null && each !== el.ownerDocument.body);
  for (const each of around) {
    const fields = each ? fieldsIn(each).filter(isHidden) : [];
    if (fields.length > 0) return only(fields);
  }
  return null;
}

const only = <T>(all: T[]): T | null => (all.length === 1 ? (all[0] ?? null) : null);

function isPressable(el: Element): boolean {
  return el.matches(":is(button, summary, a, [role=button], input[type=button])") || styleOf(el).cursor === "pointer";
}

/** Presses a button that sends no form and leads nowhere, and returns the file field that this opens. */
export async function fieldOfChooser(el: Element, ctx: Context): Promise<HTMLInputElement | null> {
  if (!isHTML(el) || !isPressable(el) || leavesPage(el) || fieldsOfPage(el).length === 0) return null;
  const opened: HTMLInputElement[] = [];
  const stop = new AbortController();
  const holdBack = (event: Event): void => {
    const [field] = event.composedPath();
    if (!isElement(field) || !isFileField(field)) return;
    event.preventDefault();
    opened.push(field);
  };
  viewOf(el).addEventListener("click", holdBack, { capture: true, signal: stop.signal });
  try {
    el.click();
    await until(() => opened.length > 0, Math.min(performance.now() + CHOOSER_TIMEOUT_MS, ctx.deadline), ctx);
    return opened[0] ?? null;
  } finally {
    stop.abort();
  }
}

function leavesPage(el: HTMLElement): boolean {
  const button = composedClosest(el, ":is(button, input)") as HTMLButtonElement | null;
  const link = composedClosest(el, "a[href]");
  return (button?.type === "submit" && button.form !== null) || (link !== null && !/^(#|javascript:)/i.test(attributeOf(link, "href") ?? ""));
}

const fieldsOfPage = (el: Element): HTMLInputElement[] => fieldsIn(el.ownerDocument.documentElement);

/** Returns selectors of the page's hidden file fields. */
export const hiddenFields = (el: Element): string[] => fieldsOfPage(el).filter(isHidden).slice(0, MAX_NAMED).map(selectorOf);

function selectorOf(field: HTMLInputElement): string {
  const name = attributeOf(field, "name");
  const candidates = [...(field.id ? [`#${CSS.escape(field.id)}`] : []), ...(name ? [`input[type=file][name=${JSON.stringify(name)}]`] : []), "input[type=file]"];
  return candidates.find((selector) => queryAll(field.ownerDocument, selector).length === 1) ?? pathOf(field);
}

function pathOf(el: Element): string {
  const parent = parentElementOf(el);
  const id = attributeOf(el, "id");
  const tag = localNameOf(el);
  if (id) return `#${CSS.escape(id)}`;
  if (!parent) return tag;
  const same = childElementsOf(parent).filter((other) => localNameOf(other) === tag);
  const step = same.length > 1 ? `${tag}:nth-of-type(${same.indexOf(el) + 1})` : tag;
  return `${pathOf(parent)} > ${step}`;
}
