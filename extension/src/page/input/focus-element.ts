// Rule of this file: an element that did not take the focus is an error, never a
// success with a flag in its output. The output has the selection before and after,
// since focusing a field may change it.

import type { Args } from "../base/args";
import { PageError } from "../base/errors";
import { composedContains, deepActive, isHTML, isInput, isTextArea, localNameOf } from "../dom/dom";
import { focusOn } from "../dom/focus";
import { labelOf } from "../dom/labels";
import { shadowRootOf } from "../dom/shadow";
import { locateForReading, locatorOf } from "../locator/locate";
import { noteMet } from "../locator/met";
import { type Context, nextFrame } from "../wait/schedule";

/** dom.focus */
export async function focusElement(args: Args, ctx: Context): Promise<unknown> {
  const { el } = locateForReading(locatorOf(args, "locator"));
  noteMet(ctx, el);
  const before = selectedLength(el);
  if (isHTML(el) || "focus" in el) focusOn(el as HTMLElement);
  // A page may move the focus elsewhere in its event handler.
  await nextFrame();
  const active = deepActive();
  // A shadow host may delegate the focus into its tree.
  if (active !== el && !(active && shadowRootOf(el) && composedContains(el, active))) {
    throw new PageError("target_not_focusable", `${labelOf(el)} did not take the focus`, {
      label: labelOf(el),
      focused: active ? labelOf(active) : null,
    });
  }
  const after = selectedLength(el);
  return {
    focused: true,
    tag_name: localNameOf(el),
    active_is_target: true,
    selection_preserved: before === after,
    selection_before_length: before,
    selection_after_length: after,
  };
}

/** How many characters are selected in the field, or in the page where the element is not a field. */
function selectedLength(el: Element): number {
  if (isInput(el) || isTextArea(el)) return (el.selectionEnd ?? 0) - (el.selectionStart ?? 0);
  return el.ownerDocument.getSelection()?.toString().length ?? 0;
}
