// Rule of this file: the system's clipboard by the editing commands, which ask
// for the extension's permission only; navigator.clipboard asks for the focus,
// which an offscreen document never has. Nothing is kept.

import type { OffscreenAnswer } from "./messages";

/** Returns the contents of the clipboard. */
export function readClipboard(): OffscreenAnswer {
  const read = { text: "", html: "" };
  const done = command("paste", "", (data) => {
    read.text = data.getData("text/plain");
    read.html = data.getData("text/html");
  });
  if (!done) return { ok: false, code: "clipboard_read_denied", message: "the browser did not paste the clipboard" };
  return { ok: true, ...read };
}

/** Writes text to the clipboard, with HTML if there is any. */
export function writeClipboard(text: string, html?: string): OffscreenAnswer {
  const done = command("copy", text || " ", (data) => {
    data.setData("text/plain", text);
    if (html) data.setData("text/html", html);
  });
  if (!done) return { ok: false, code: "clipboard_write_denied", message: "the browser did not copy to the clipboard" };
  return { ok: true, text: "", html: "" };
}

/** Runs the command in a field with the text selected; its event carries the clipboard's data. */
function command(name: "copy" | "paste", text: string, use: (data: DataTransfer) => void): boolean {
  const field = document.createElement("textarea");
  let used = false;
  const listener = (event: ClipboardEvent): void => {
    if (!event.clipboardData) return;
    event.preventDefault();
    use(event.clipboardData);
    used = true;
  };
  field.addEventListener(name, listener);
  field.value = text;
  document.body.append(field);
  field.select();
  try {
    document.execCommand(name);
  } finally {
    field.remove();
  }
  return used;
}
