// Rule of this file: a focus that did not come about is an error, never a
// success that says so in its output. The selection a person left is told about,
// since focusing a field may change it.

import type { Args } from "./args";
import { composedContains, deepActive, isHTML, isInput, isTextArea } from "./dom";
import { PageError } from "./errors";
import { focusOn } from "./focus";
import { labelOf } from "./labels";
import { locateForReading, locatorOf } from "./locate";
import { frame } from "./settle";
import { shadowRootOf } from "./shadow";

/** dom.focus */
export async function focusElement(args: Args): Promise<unknown> {
  const { el } = locateForReading(locatorOf(args, "locator"));
  const before = selectedLength(el);
  if (isHTML(el) || "focus" in el) focusOn(el as HTMLElement);
  // A page may send the focus elsewhere as an answer to the event.
  await frame();
  const holder = deepActive();
  // A shadow host may hand the focus on to what stands in its tree.
  if (holder !== el && !(holder && shadowRootOf(el) && composedContains(el, holder))) {
    throw new PageError("target_not_focusable", `${labelOf(el)} did not take the focus`, {
      label: labelOf(el),
      focused: holder ? labelOf(holder) : null,
    });
  }
  const after = selectedLength(el);
  return {
    focused: true,
    tag_name: el.localName,
    active_is_target: true,
    selection_preserved: before === after,
    selection_before_length: before,
    selection_after_length: after,
  };
}

/** How many characters are selected in the field, or in the page where the element is none. */
function selectedLength(el: Element): number {
  if (isInput(el) || isTextArea(el)) return (el.selectionEnd ?? 0) - (el.selectionStart ?? 0);
  return el.ownerDocument.getSelection()?.toString().length ?? 0;
}
