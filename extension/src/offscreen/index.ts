// Rule of this file: the offscreen document does what the worker cannot, which
// has no document, and what a page may not do while it is hidden. It answers
// the extension's own worker only.

import { readClipboard, writeClipboard } from "./clipboard";
import { isOffscreenRequest, type OffscreenAnswer, type OffscreenRequest } from "./messages";
import { refused } from "./refusal";
import { accept, hangUp, mute, offer } from "./calls";

chrome.runtime.onMessage.addListener((message: unknown, sender, respond: (answer: OffscreenAnswer) => void) => {
  // A content script's message carries its tab; the worker's has none.
  if (sender.id !== chrome.runtime.id || sender.tab || !isOffscreenRequest(message)) return false;
  answer(message).then(respond, (error: unknown) => respond(refused(error)));
  return true;
});

async function answer(request: OffscreenRequest): Promise<OffscreenAnswer> {
  switch (request.kind) {
    case "clipboard_read":
      return readClipboard();
    case "clipboard_write":
      return writeClipboard(request.text, request.html);
    case "pdf_text": {
      // A script of its own: it is ten times as large as all the rest.
      const { readText } = (await import(chrome.runtime.getURL("pdf.js"))) as typeof import("./pdf");
      return readText(request);
    }
    case "repl_open": {
      const { openRun } = (await import(chrome.runtime.getURL("repl.js"))) as typeof import("./repl/run");
      openRun(request.run_id);
      return { ok: true };
    }
    case "call_offer":
      return { ok: true, ...(await offer()) };
    case "call_answer":
      await accept(request.sdp);
      return { ok: true };
    case "call_mute":
      mute(request.input, request.output);
      return { ok: true };
    case "call_close":
      hangUp();
      return { ok: true };
  }
}
