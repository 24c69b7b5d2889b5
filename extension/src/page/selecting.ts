// Rule of this file: text is selected as a person's mouse would select it, in a
// field by its characters, elsewhere by those of the text nodes; what holds no
// text is an error, not an empty selection.

import { type Args, number } from "./args";
import { setCaret } from "./caret";
import { deepActive, isElement, isHTML, isInput, isTextArea } from "./dom";
import { editingHost } from "./editable";
import { type Evidence, PageError } from "./errors";
import { focusOn } from "./focus";
import { labelOf } from "./labels";
import { locate, locatorOf, noTarget } from "./locate";
import { isSecret } from "./secrets";
import { isVisible } from "./visibility";

/** The element that a selecting or a pasting call is about: the named one, else the focused one. */
export function namedOrFocused(args: Args): { el: Element | null; kind: "resolved-locator" | "activeElement" } {
  if (args.target === undefined) return { el: deepActive(), kind: "activeElement" };
  const locator = locatorOf(args, "target");
  const found = locate(locator);
  const el = found.find(isVisible) ?? found[0];
  if (!el) throw noTarget(locator);
  return { el, kind: "resolved-locator" };
}

/** text.select */
export function selectText(args: Args): unknown {
  const { el, kind } = namedOrFocused(args);
  if (!el) throw new PageError("no_select_target", "nothing has the focus, and no target is named");
  const start = Math.trunc(number(args, "start", 0, 0, Number.MAX_SAFE_INTEGER));
  const end = Math.trunc(number(args, "end", Number.MAX_SAFE_INTEGER, 0, Number.MAX_SAFE_INTEGER));
  if (end < start) throw new PageError("invalid_arguments", "end must not be before start", { argument: "end" });
  const selected = isInput(el) || isTextArea(el) ? inField(el, start, end) : inText(el, start, end);
  return { selected: true, selected_length: selected, target_kind: kind, tag_name: el.localName, sensitive: isSecret(el) };
}

function inField(field: HTMLInputElement | HTMLTextAreaElement, start: number, end: number): number {
  const { length } = field.value;
  if (length === 0) throw nothing(field, "is empty");
  focusOn(field);
  if (start === 0 && end >= length) {
    field.select();
    return length;
  }
  // A number or an email has no positions that a script may set.
  if (!setCaret(field, Math.min(start, length), Math.min(end, length))) throw nothing(field, `is of type ${field.type}: only all of it can be selected`);
  if (start >= length) throw nothing(field, `has ${length} characters`, { length });
  return Math.min(end, length) - start;
}

function inText(el: Element, start: number, end: number): number {
  const host = editingHost(el);
  if (host) focusOn(host);
  const doc = el.ownerDocument;
  const range = doc.createRange();
  const walker = doc.createTreeWalker(el, NodeFilter.SHOW_TEXT, readable);
  let passed = 0;
  let begun = false;
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    const last = passed + node.length;
    if (!begun && start < last) {
      range.setStart(node, start - passed);
      begun = true;
    }
    if (begun) range.setEnd(node, Math.min(end, last) - passed);
    if (end <= last) break;
    passed = last;
  }
  const selection = doc.getSelection();
  if (!begun || range.collapsed || !selection) throw nothing(el, "holds no text there", { start });
  selection.removeAllRanges();
  selection.addRange(range);
  // Text that CSS forbids to select is in the range and in no selection.
  const { length } = selection.toString();
  if (length === 0) throw nothing(el, "shows no text that can be selected");
  return length;
}

const SILENT = new Set(["script", "style", "noscript", "template"]);

function readable(node: Node): number {
  const parent = node.parentNode;
  return isElement(parent) && isHTML(parent) && SILENT.has(parent.localName) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
}

function nothing(el: Element, why: string, more?: Evidence): PageError {
  return new PageError("no_select_target", `${labelOf(el)} ${why}`, { label: labelOf(el), ...more });
}
