// Rule of this file: what a field is called is read where a person reads it: in its
// attributes and labels, else in the legend, the description and the text before it.
// What somebody has entered is no name.

import { attributeOf, childElementsOf, isElement, localNameOf } from "./dom";
import { labelsOf } from "./label-index";

/** What takes or shows a value, as a selector. */
export const FIELDS = "input, textarea, select, output, [contenteditable]:not([contenteditable=false i]), [role=textbox i]";

const NATIVE_FIELDS = new Set(["input", "textarea", "select", "output"]);
const NAMING = ["name", "id", "data-testid", "placeholder", "aria-placeholder", "data-placeholder", "aria-label", "title"];
const LABELLING = ["placeholder", "aria-placeholder", "data-placeholder", "aria-label", "title"];

/** What stands before a field and is none of its label. */
const NO_LABEL = /^(h[1-6]|a|button|nav|header|legend|summary)$/;
const NO_TEXT = /^(script|style|template|noscript|svg)$/;
const ROW_ENDS = /^(form|fieldset|body|html|main|section|article|dialog|table|tbody|tr|ul|ol|dl)$/;
const MAX_LEVELS = 3;

/** A text that is longer is no name. */
const MAX_NAME = 200;
/** Around a field a longer one is prose. */
const MAX_AROUND = 60;

/** Reports whether the element takes or shows a value. */
export function isField(el: Element): boolean {
  if (NATIVE_FIELDS.has(localNameOf(el))) return true;
  if (!Element.prototype.hasAttributes.call(el)) return false;
  const editable = attributeOf(el, "contenteditable");
  if (editable !== null && editable.toLowerCase() !== "false") return true;
  return attributeOf(el, "role")?.toLowerCase() === "textbox";
}

/** The names of the field, each on a line of its own. */
export function namesOf(field: Element): string {
  const labels = [...labelsOf(field), ...referred(field, "aria-labelledby")].map((label) => wordsIn(label, MAX_NAME));
  const names = [...NAMING.map((name) => attributeOf(field, name) ?? ""), ...labels];
  const labelled = labels.some(Boolean) || LABELLING.some((name) => attributeOf(field, name)?.trim());
  if (!labelled || takesDigits(field)) names.push(...namesAround(field));
  if (!labelled) names.push(textBefore(field));
  return names.map((name) => name.slice(0, MAX_NAME).replaceAll("\n", " ")).filter(Boolean).join("\n");
}

// One of several boxes for digits has a name of its own, such as "Digit 2".
function takesDigits(field: Element): boolean {
  return attributeOf(field, "inputmode")?.toLowerCase() === "numeric" || /^[12]$/.test(attributeOf(field, "maxlength") ?? "");
}

function namesAround(field: Element): string[] {
  const group = Element.prototype.closest.call(field, "fieldset, [role=group i]");
  const legend = group && childElementsOf(group).find((child) => localNameOf(child) === "legend");
  const titles = group ? [legend, ...referred(group, "aria-labelledby")] : [];
  const texts = [...titles, ...referred(field, "aria-describedby")].map((el) => (el ? wordsIn(el, MAX_AROUND + 1) : ""));
  return [...texts, (group && attributeOf(group, "aria-label")) ?? ""].filter(isShort);
}

const isShort = (text: string): boolean => text.length <= MAX_AROUND;

function referred(el: Element, attribute: string): Element[] {
  const ids = attributeOf(el, attribute);
  if (!ids) return [];
  const root = Node.prototype.getRootNode.call(el) as Document;
  return ids.split(/\s+/).flatMap((id) => (id && root.getElementById?.(id)) || []);
}

/** The text before the field in its row, which stands for a label. */
function textBefore(field: Element): string {
  let at: Element | null = field;
  for (let level = 0; at && level < MAX_LEVELS; level++) {
    for (let node = at.previousSibling; node; node = node.previousSibling) {
      const text = labelBefore(node);
      if (text === undefined) return "";
      if (text) return isShort(text) ? text : "";
    }
    at = at.parentElement;
    if (at && ROW_ENDS.test(localNameOf(at))) return "";
  }
  return "";
}

// Undefined for what ends the search.
function labelBefore(node: Node): string | undefined {
  if (!isElement(node)) return node.nodeType === Node.TEXT_NODE ? (node.nodeValue ?? "").trim() : "";
  const tag = localNameOf(node);
  if (NO_TEXT.test(tag)) return "";
  if (NO_LABEL.test(tag) || isField(node) || (node as HTMLLabelElement).control || node.querySelector(`${FIELDS}, button`)) return undefined;
  return wordsIn(node, MAX_AROUND + 1);
}

/** The text of the element, so long at most, without what stands in fields. */
function wordsIn(el: Element, max: number): string {
  let text = "";
  const visit = (parent: Node): void => {
    for (let node = parent.firstChild; node && text.length <= max; node = node.nextSibling) {
      if (node.nodeType === Node.TEXT_NODE) text += node.nodeValue ?? "";
      else if (isElement(node) && !isField(node) && !NO_TEXT.test(localNameOf(node))) visit(node);
    }
  };
  visit(el);
  return text.trim().slice(0, max);
}
