// Rule: what was inserted is read back. A field that took nothing is an error;
// for a field that changed the text the output has verified:false. Nothing is
// replaced that the caller did not name, except in a focused input or textarea.

import { type Args, requiredText, text } from "../base/args";
import { PageError } from "../base/errors";
import { deepActive, isFrame, isHTML, isInput, isTextArea, localNameOf } from "../dom/dom";
import { editingHost, isTextField, type TextField } from "../dom/editable";
import { focusOn } from "../dom/focus";
import { labelOf } from "../dom/labels";
import { isSecret } from "../dom/secrets";
import { isVisible } from "../dom/visibility";
import { EnterFrame } from "../frames/enter-frame";
import { targetOf } from "../locator/locate";
import { noteMet } from "../locator/met";
import { highlightTarget } from "../overlay/highlight";
import type { Context } from "../wait/schedule";
import type { Mode } from "./editing";
import { insertIntoField } from "./field";
import { insertIntoRichText } from "./rich-text";

/** A field with a shorter side, in CSS pixels, is not meant for a person. */
const MIN_SIDE = 8;

/** text.insert */
export async function insert(args: Args, ctx: Context): Promise<unknown> {
  const content = requiredText(args, "text");
  const mode: Mode = text(args, "mode") === "replace" ? "replace" : "append";
  const active = deepActive();
  const el = args.target === undefined ? focusedEditable(active, mode) : targetEditable(args);
  noteMet(ctx, el);
  highlightTarget(el);
  // The caret counts only where the person left it: in the focused element.
  const atCaret = active !== null && (active === el || editingHost(active) === el);
  if (isHTML(el)) focusOn(el);
  const inserted = isTextField(el) ? await insertIntoField(el, content, mode, atCaret) : await insertIntoRichText(el, content, mode, atCaret, ctx);
  return { inserted: true, inserted_length: content.length, ...inserted, tag_name: localNameOf(el), sensitive: isSecret(el) };
}

function targetEditable(args: Args): TextField | HTMLElement {
  return requireEditable(targetOf(args));
}

/** Returns the focused element that takes text; a replace needs an input or a textarea. */
export function focusedEditable(active: Element | null, mode: Mode): TextField | HTMLElement {
  if (isFrame(active)) throw EnterFrame.byFocus(active);
  if (mode === "replace" && !isVisibleField(active)) {
    const what = active ? labelOf(active) : "nothing";
    throw new PageError("ambient_replace_refused", `replace without a target: ${what} has the focus`, { focused: what });
  }
  if (!active) throw new PageError("target_not_editable", "nothing that takes text has the focus", { focused: null });
  return requireEditable(active);
}

// Document editors receive their keys in an invisible field.
function isVisibleField(el: Element | null): boolean {
  if (!isInput(el) && !isTextArea(el)) return false;
  const { width, height } = el.getBoundingClientRect();
  return width >= MIN_SIDE && height >= MIN_SIDE && isVisible(el);
}

function requireEditable(el: Element): TextField | HTMLElement {
  if (isTextField(el)) return el;
  const host = editingHost(el);
  if (host) return host;
  const type = isInput(el) ? el.type : undefined;
  throw new PageError("target_not_editable", `${labelOf(el)} takes no text`, { label: labelOf(el), tag_name: localNameOf(el), type });
}
