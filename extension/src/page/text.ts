// Rule: what was inserted is read back. A field that took nothing is an error;
// a field that made something else of the text says verified:false. Nothing is
// replaced that the caller did not name, except in a focused input or textarea.

import { type Args, needText, text } from "./args";
import { deepActive, isFrame, isHTML, isInput, isTextArea } from "./dom";
import { type TextField, editingHost, isTextField } from "./editable";
import { EnterFrame } from "./enter-frame";
import { PageError } from "./errors";
import { insertIntoField } from "./field";
import { focusOn } from "./focus";
import type { Mode } from "./insertion";
import { labelOf } from "./labels";
import { locate, locatorOf, noTarget } from "./locate";
import { insertIntoRichText } from "./rich-text";
import { isSecret } from "./secrets";
import type { Context } from "./settle";
import { showTarget } from "./shown";
import { isVisible } from "./visibility";

/** A field with a shorter side is not for a person, in CSS pixels. */
const MIN_SIDE = 8;

/** text.insert */
export async function insert(args: Args, ctx: Context): Promise<unknown> {
  const content = needText(args, "text");
  const mode: Mode = text(args, "mode") === "replace" ? "replace" : "append";
  const active = deepActive();
  const el = args.target === undefined ? ambient(active, mode) : named(args);
  showTarget(el);
  // The caret counts only where the person left it: in the focused element.
  const atCaret = active !== null && (active === el || editingHost(active) === el);
  if (isHTML(el)) focusOn(el);
  const inserted = isTextField(el) ? await insertIntoField(el, content, mode, atCaret) : await insertIntoRichText(el, content, mode, atCaret, ctx);
  return { inserted: true, inserted_length: content.length, ...inserted, tag_name: el.localName, sensitive: isSecret(el) };
}

function named(args: Args): TextField | HTMLElement {
  const locator = locatorOf(args, "target");
  const found = locate(locator);
  const el = found.find(isVisible) ?? found[0];
  if (!el) throw noTarget(locator);
  return editable(el);
}

/** The focused place that takes text; a replace needs an input or a textarea. */
export function ambient(active: Element | null, mode: Mode): TextField | HTMLElement {
  if (isFrame(active)) throw EnterFrame.byFocus(active);
  if (mode === "replace" && !isPlainField(active)) {
    const what = active ? labelOf(active) : "nothing";
    throw new PageError("ambient_replace_refused", `replace without a target: ${what} has the focus`, { focused: what });
  }
  if (!active) throw new PageError("target_not_editable", "nothing that takes text has the focus", { focused: null });
  return editable(active);
}

// Editors of whole documents catch their keys in a field that nobody can see.
function isPlainField(el: Element | null): boolean {
  if (!isInput(el) && !isTextArea(el)) return false;
  const { width, height } = el.getBoundingClientRect();
  return width >= MIN_SIDE && height >= MIN_SIDE && isVisible(el);
}

function editable(el: Element): TextField | HTMLElement {
  if (isTextField(el)) return el;
  const host = editingHost(el);
  if (host) return host;
  const type = isInput(el) ? el.type : undefined;
  throw new PageError("target_not_editable", `${labelOf(el)} takes no text`, { label: labelOf(el), tag_name: el.localName, type });
}
