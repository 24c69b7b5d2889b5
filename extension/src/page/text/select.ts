// Rule of this file: text is selected as a person's mouse would select it, in a
// field by its characters, elsewhere by those of the text nodes; an element without
// text is an error, not an empty selection.

import { type Args, number } from "../base/args";
import { type Evidence, PageError } from "../base/errors";
import { deepActive, isElement, isHTML, isInput, isTextArea, localNameOf } from "../dom/dom";
import { editingHost } from "../dom/editable";
import { focusOn } from "../dom/focus";
import { labelOf } from "../dom/labels";
import { isSecret } from "../dom/secrets";
import { targetOf } from "../locator/locate";
import { setCaret } from "./caret";

/** The element that a call selects or pastes in: the named one, else the focused one. */
export function targetOrFocused(args: Args): { el: Element | null; kind: "resolved-locator" | "activeElement" } {
  if (args.target === undefined) return { el: deepActive(), kind: "activeElement" };
  return { el: targetOf(args), kind: "resolved-locator" };
}

/** Selects the text of the target that the arguments name. */
export function selectText(args: Args): unknown {
  const { el, kind } = targetOrFocused(args);
  if (!el) throw new PageError("no_select_target", "nothing has the focus, and no target is named");
  const start = Math.trunc(number(args, "start", 0, 0, Number.MAX_SAFE_INTEGER));
  const end = Math.trunc(number(args, "end", Number.MAX_SAFE_INTEGER, 0, Number.MAX_SAFE_INTEGER));
  if (end < start) throw new PageError("invalid_arguments", "end must not be before start", { argument: "end" });
  const selected = isInput(el) || isTextArea(el) ? selectInField(el, start, end) : selectInText(el, start, end);
  return { selected: true, selected_length: selected, target_kind: kind, tag_name: localNameOf(el), sensitive: isSecret(el) };
}

function selectInField(field: HTMLInputElement | HTMLTextAreaElement, start: number, end: number): number {
  const { length } = field.value;
  if (length === 0) throw noSelection(field, "is empty");
  focusOn(field);
  if (start === 0 && end >= length) {
    field.select();
    return length;
  }
  // A number or an email has no positions that a script may set.
  if (!setCaret(field, Math.min(start, length), Math.min(end, length))) throw noSelection(field, `is of type ${field.type}: only all of it can be selected`);
  if (start >= length) throw noSelection(field, `has ${length} characters`, { length });
  return Math.min(end, length) - start;
}

function selectInText(el: Element, start: number, end: number): number {
  const host = editingHost(el);
  if (host) focusOn(host);
  const doc = el.ownerDocument;
  const range = doc.createRange();
  const walker = doc.createTreeWalker(el, NodeFilter.SHOW_TEXT, filterText);
  let offset = 0;
  let started = false;
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    const last = offset + node.length;
    if (!started && start < last) {
      range.setStart(node, start - offset);
      started = true;
    }
    if (started) range.setEnd(node, Math.min(end, last) - offset);
    if (end <= last) break;
    offset = last;
  }
  const selection = doc.getSelection();
  if (!started || range.collapsed || !selection) throw noSelection(el, "holds no text there", { start });
  selection.removeAllRanges();
  selection.addRange(range);
  // Text with user-select:none is in the range, but not in the selection.
  const { length } = selection.toString();
  if (length === 0) throw noSelection(el, "shows no text that can be selected");
  return length;
}

const SKIPPED_TAGS = new Set(["script", "style", "noscript", "template"]);

function filterText(node: Node): number {
  const parent = node.parentNode;
  return isElement(parent) && isHTML(parent) && SKIPPED_TAGS.has(parent.localName) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
}

function noSelection(el: Element, why: string, more?: Evidence): PageError {
  return new PageError("no_select_target", `${labelOf(el)} ${why}`, { label: labelOf(el), ...more });
}
