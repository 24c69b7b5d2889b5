// Rule: an editor keeps a model of its own, so text is offered the way editors
// expect it, from the politest to the bluntest: a paste event, the browser's
// editing command, the text itself. The next way is tried only if the one
// before did nothing, so nothing is inserted twice.

import { until } from "./changes";
import { editingHost } from "./editable";
import { edit } from "./editing";
import { PageError } from "./errors";
import type { Inserted, Mode } from "./insertion";
import { labelOf } from "./labels";
import { type Context, frame, task } from "./settle";

/** How long an editor that took the paste may need to show it. */
export const PASTE_MS = 300;

/** The browser breaks lines one by one, and takes seconds for a thousand: more of them are put in as HTML. */
export const MAX_LINES = 200;

export async function insertIntoRichText(host: HTMLElement, content: string, mode: Mode, atCaret: boolean, ctx: Context): Promise<Inserted> {
  const selection = host.ownerDocument.getSelection();
  if (!selection) throw new PageError("target_not_editable", `${labelOf(host)} has no selection`, { label: labelOf(host) });
  await settleSelection(host, selection, mode, atCaret);
  const selected = selection.toString().length;
  const before = host.innerHTML;
  const changed = (): boolean => host.innerHTML !== before;
  const method = await offer(host, selection, content, changed, ctx);
  if (method !== "exec-command") {
    host.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true, inputType: "insertText", data: content }));
  }
  host.dispatchEvent(new Event("change", { bubbles: true }));
  await task();
  const [now, want] = [bare(host.innerText), bare(content)];
  // What held the same before has not changed.
  const same = mode === "replace" && now === want;
  if (!changed() && !same && method !== "synthetic-paste" && (content !== "" || selected > 0)) {
    throw new PageError("handler_failed", `${labelOf(host)} did not take the text`, { label: labelOf(host) }, "yes");
  }
  return {
    input_method: method,
    selected_text_length: selected,
    selection_sync: editingHost(selection.focusNode?.parentElement ?? null) === host || selection.focusNode === host,
    verified: mode === "replace" ? same : now.includes(want) && (changed() || want === ""),
  };
}

/** Puts the selection where the text goes: the caret, the end, or all of it. */
export function placeSelection(host: HTMLElement, selection: Selection, mode: Mode, atCaret: boolean): void {
  if (mode === "append" && atCaret && selection.rangeCount > 0 && host.contains(selection.focusNode)) return;
  const range = host.ownerDocument.createRange();
  range.selectNodeContents(host);
  if (mode === "append") {
    // Inside the last paragraph, not behind it.
    let last: Node = host;
    while (last.lastChild && (last.lastChild.nodeType === Node.TEXT_NODE || last.lastChild.hasChildNodes())) last = last.lastChild;
    range.selectNodeContents(last);
    range.collapse(false);
  }
  selection.removeAllRanges();
  selection.addRange(range);
}

/** placeSelection, until the page has heard of it: editors take up the selection in that event. */
export async function settleSelection(host: HTMLElement, selection: Selection, mode: Mode, atCaret: boolean): Promise<void> {
  const stop = new AbortController();
  const heard = new Promise<void>((resolve) => {
    host.ownerDocument.addEventListener("selectionchange", () => resolve(), { capture: true, signal: stop.signal });
  });
  placeSelection(host, selection, mode, atCaret);
  // A selection that stood there already is no change.
  await Promise.race([heard, frame()]);
  stop.abort();
  await task();
}

async function offer(host: HTMLElement, selection: Selection, content: string, changed: () => boolean, ctx: Context): Promise<Inserted["input_method"]> {
  if (content === "") {
    edit(host, "delete");
    return "exec-command";
  }
  const data = pasted(content, "");
  const taken = !host.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, composed: true, clipboardData: data }));
  const shown = (): Promise<boolean> => until(changed, Math.min(performance.now() + PASTE_MS, ctx.deadline), ctx);
  if (taken) await shown();
  // Taken but not shown: a canvas editor. To try again would insert twice.
  if (taken || changed()) return "synthetic-paste";
  const long = content.split("\n").length > MAX_LINES;
  const done = long ? edit(host, "insertHTML", toHTML(content).replace(/ (?= |<)|(?<=>) /g, "&nbsp;")) : edit(host, "insertText", content);
  // Prevented: the editor does it in its own way, or refuses it for good.
  if (done === "prevented") await shown();
  if (done !== "failed" || changed()) return "exec-command";
  insertText(host, selection, content);
  return "text-content";
}

// Where editing commands do not work, as in an editor that is not shown.
function insertText(host: HTMLElement, selection: Selection, content: string): void {
  if (!host.contains(selection.anchorNode)) selection.selectAllChildren(host);
  const range = selection.getRangeAt(0);
  range.deleteContents();
  const node = host.ownerDocument.createTextNode(content);
  range.insertNode(node);
  selection.collapse(node, content.length);
}

/** What a paste brings: the text, and the HTML that is given or says the same. */
export function pasted(content: string, html: string): DataTransfer {
  const data = new DataTransfer();
  data.setData("text/plain", content);
  // HTML folds white space: a text that has more of it than single spaces between words is whole only as text.
  if (html || !/^\s|[^\S\n]\s|\s[^\S\n]|\t|\s$/.test(content)) data.setData("text/html", html || toHTML(content));
  return data;
}

function toHTML(content: string): string {
  const escaped = content.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  if (!escaped.includes("\n")) return escaped;
  return escaped
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll("\n", "<br>")}</p>`)
    .join("");
}

// White space and joiners differ between what is given and what editors keep.
const bare = (text: string): string => text.replace(/[\s\u00a0\u200b\ufeff]+/g, "");
