// Rule: an editor keeps a model of its own, so text is inserted in the ways that
// editors expect, the most compatible first: a paste event, the browser's editing
// command, a text node. The next one is tried only if the one before did nothing,
// so nothing is inserted twice.

import { PageError } from "../base/errors";
import { editingHost } from "../dom/editable";
import { labelOf } from "../dom/labels";
import { type Context, nextFrame, nextTask } from "../wait/schedule";
import { until } from "../wait/until";
import { stripSpace, watchAdded } from "./added";
import { edit, type Inserted, type Mode } from "./editing";
import { selectAllInEditor } from "./editor-selection";

/** How long an editor that handled the paste may take to show it. */
export const PASTE_TIMEOUT_MS = 300;

/**
 * The browser inserts line breaks one by one, and takes seconds for a thousand: more lines
 * than this are inserted as HTML.
 */
export const MAX_LINES = 200;

export async function insertIntoRichText(host: HTMLElement, content: string, mode: Mode, atCaret: boolean, ctx: Context): Promise<Inserted> {
  const selection = host.ownerDocument.getSelection();
  if (!selection) throw new PageError("target_not_editable", `${labelOf(host)} has no selection`, { label: labelOf(host) });
  await applySelection(host, selection, mode, atCaret);
  const selected = selection.toString().length;
  const added = watchAdded(host, content);
  const before = host.innerHTML;
  const changed = (): boolean => host.innerHTML !== before;
  const method = await insertContent(host, selection, content, changed, ctx);
  if (method !== "exec-command") {
    host.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true, inputType: "insertText", data: content }));
  }
  host.dispatchEvent(new Event("change", { bubbles: true }));
  await nextTask();
  const [now, want] = [stripSpace(host.innerText), stripSpace(content)];
  // Replacing a text by itself changes nothing.
  const same = mode === "replace" && now === want;
  if (!changed() && !same && method !== "synthetic-paste" && (content !== "" || selected > 0)) {
    throw new PageError("handler_failed", `${labelOf(host)} did not take the text`, { label: labelOf(host) }, "yes");
  }
  return {
    input_method: method,
    selected_text_length: selected,
    selection_sync: editingHost(selection.focusNode?.parentElement ?? null) === host || selection.focusNode === host,
    verified: mode === "replace" ? same : added(),
  };
}

/** Puts the selection where the text goes: the caret, the end, or all of it. */
export function placeSelection(host: HTMLElement, selection: Selection, mode: Mode, atCaret: boolean): void {
  if (mode === "append" && atCaret && selection.rangeCount > 0 && host.contains(selection.focusNode)) return;
  const range = host.ownerDocument.createRange();
  range.selectNodeContents(host);
  if (mode === "append") {
    // Inside the last paragraph, not after it.
    let last: Node = host;
    while (last.lastChild && (last.lastChild.nodeType === Node.TEXT_NODE || last.lastChild.hasChildNodes())) last = last.lastChild;
    range.selectNodeContents(last);
    range.collapse(false);
  }
  selection.removeAllRanges();
  selection.addRange(range);
}

/** Like placeSelection, and waits for selectionchange: editors read the selection in that event. */
export async function applySelection(host: HTMLElement, selection: Selection, mode: Mode, atCaret: boolean): Promise<void> {
  const stop = new AbortController();
  const selectionChanged = new Promise<void>((resolve) => {
    host.ownerDocument.addEventListener("selectionchange", () => resolve(), { capture: true, signal: stop.signal });
  });
  // An editor that does not draw all of its text has to select it by itself.
  if (mode !== "replace" || !selectAllInEditor(host)) placeSelection(host, selection, mode, atCaret);
  // Setting the same selection again sends no event.
  await Promise.race([selectionChanged, nextFrame()]);
  stop.abort();
  await nextTask();
}

async function insertContent(host: HTMLElement, selection: Selection, content: string, changed: () => boolean, ctx: Context): Promise<Inserted["input_method"]> {
  if (content === "") {
    edit(host, "delete");
    return "exec-command";
  }
  const data = pasteData(content, "");
  const handled = !host.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, composed: true, clipboardData: data }));
  const shown = (): Promise<boolean> => until(changed, Math.min(performance.now() + PASTE_TIMEOUT_MS, ctx.deadline), ctx);
  if (handled) await shown();
  // Handled but not shown: a canvas editor. To try again would insert twice.
  if (handled || changed()) return "synthetic-paste";
  const long = content.split("\n").length > MAX_LINES;
  const result = long ? edit(host, "insertHTML", toHTML(content).replace(/ (?= |<)|(?<=>) /g, "&nbsp;")) : edit(host, "insertText", content);
  // Prevented: the editor inserts the text itself, or refuses it for good.
  if (result === "prevented") await shown();
  if (result !== "failed" || changed()) return "exec-command";
  insertText(host, selection, content);
  return "text-content";
}

// For editors where editing commands do not work, such as hidden ones.
function insertText(host: HTMLElement, selection: Selection, content: string): void {
  if (!host.contains(selection.anchorNode)) selection.selectAllChildren(host);
  const range = selection.getRangeAt(0);
  range.deleteContents();
  const node = host.ownerDocument.createTextNode(content);
  range.insertNode(node);
  selection.collapse(node, content.length);
}

/** The data of a paste: the text, and the given HTML or its equivalent. */
export function pasteData(content: string, html: string): DataTransfer {
  const data = new DataTransfer();
  data.setData("text/plain", content);
  // HTML collapses white space: a text with more than single spaces between words is complete only as text.
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
