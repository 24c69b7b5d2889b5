// Rule of this file: copying and pasting in the page. It sends the events that
// pages and editors handle, and reports what came of them; the system's clipboard
// itself is out of a page's reach. A secret is never copied.

import { type Args, text } from "../base/args";
import { PageError } from "../base/errors";
import { isInput, isTextArea, localNameOf } from "../dom/dom";
import { editingHost, isTextField } from "../dom/editable";
import { focusOn } from "../dom/focus";
import { labelOf } from "../dom/labels";
import { isSecret, secretFieldsIn } from "../dom/secrets";
import { type Context, nextTask } from "../wait/schedule";
import { until } from "../wait/until";
import { edit } from "./editing";
import { insertIntoField } from "./field";
import { textOfHTML } from "./html-text";
import { PASTE_TIMEOUT_MS, pasteData, placeSelection } from "./rich-text";
import { targetOrFocused, selectText } from "./select";

/** clipboard.selection: the page's part of clipboard.copy */
export function copySelection(args: Args): unknown {
  if (args.target !== undefined) selectText({ target: args.target });
  const { el } = targetOrFocused(args);
  const source = el ?? document.body;
  const field = isInput(source) || isTextArea(source) ? source : undefined;
  const selection = source.ownerDocument.getSelection();
  // As in a browser: nothing is copied from a password field.
  const secret = isSecret(source) ? source : field ? undefined : secretSelected(source.ownerDocument, selection);
  if (secret) throw new PageError("nothing_copied", `${labelOf(secret)} holds a secret, which is not copied`, { label: labelOf(secret) });
  const selected = field ? field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0) : (selection?.toString() ?? "");
  const data = new DataTransfer();
  const from = field ?? selection?.focusNode ?? source;
  const handled = !from.dispatchEvent(new ClipboardEvent("copy", { bubbles: true, cancelable: true, composed: true, clipboardData: data }));
  // A page that prevents the copy sets the copied data itself.
  const copied = handled ? data.getData("text/plain") : selected;
  const html = handled ? data.getData("text/html") : "";
  if (copied === "" && html === "") throw new PageError("nothing_copied", handled ? "the page copied nothing" : "nothing is selected", { default_prevented: handled });
  return { text: copied, ...(html && { html }), default_prevented: handled };
}

// A field that shows its value as text: what stands in the others is in no selection.
function secretSelected(doc: Document, selection: Selection | null): Element | undefined {
  if (!selection || selection.isCollapsed) return undefined;
  const around = selection.anchorNode?.parentElement;
  if (around && isSecret(around)) return around;
  return secretFieldsIn(doc).find((el) => !isInput(el) && !isTextArea(el) && selection.containsNode(el, true));
}

/** clipboard.paste, once it is known what is pasted */
export async function paste(args: Args, ctx: Context): Promise<unknown> {
  const html = text(args, "html") ?? "";
  const content = text(args, "text") || textOfHTML(html);
  const { el, kind } = targetOrFocused(args);
  if (!el) throw new PageError("no_paste_target", "nothing has the focus, and no target is named");
  const active = targetOrFocused({}).el;
  const host = editingHost(el);
  const field = isTextField(el) ? el : undefined;
  const atCaret = active === el || (host !== null && editingHost(active) === host);
  const selection = el.ownerDocument.getSelection();
  if (field ?? host) focusOn((field ?? host) as HTMLElement);
  if (host && selection) placeSelection(host, selection, "append", atCaret);
  const state = (): string => field?.value ?? host?.innerHTML ?? el.textContent ?? "";
  const before = state();
  const changed = (): boolean => state() !== before;
  const data = pasteData(content, html);
  const prevented = !el.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, composed: true, clipboardData: data }));
  if (prevented) await until(changed, Math.min(performance.now() + PASTE_TIMEOUT_MS, ctx.deadline), ctx);
  else await nextTask();
  let method: "synthetic-paste" | "native-setter" | "exec-command" = "synthetic-paste";
  if (!prevented && !changed()) {
    // Without text, as of a picture, the selection would only be deleted.
    if (field && content !== "") await insertIntoField(field, content, "append", atCaret).catch(ignorePageError);
    else if (host && content !== "") edit(host, "insertText", content);
    method = field ? "native-setter" : "exec-command";
    await nextTask();
    if (!changed()) {
      throw new PageError("nothing_pasted", `${labelOf(el)} took nothing of the paste`, { label: labelOf(el) }, "yes");
    }
  }
  return {
    pasted: true,
    inserted_length: content.length,
    input_method: method,
    default_prevented: prevented,
    changed: changed(),
    html_provided: html !== "",
    target_kind: kind,
    tag_name: localNameOf(el),
    sensitive: isSecret(el),
  };
}

// A field that refuses the text is reported as a paste that changed nothing.
function ignorePageError(thrown: unknown): void {
  if (!(thrown instanceof PageError)) throw thrown;
}
