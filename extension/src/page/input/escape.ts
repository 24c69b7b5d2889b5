// Rule of this file: the user's Escape is reported, wherever it goes in the page, and
// taken from nobody. Only the browser's own events count; which of them an agent has
// sent, the worker knows.

import { keepListening } from "../base/listeners";

/** From a content script: a key that the page got by the browser's own event. */
export interface EscapeMessage {
  kind: "escape_pressed";
}

const WATCHED = Symbol.for("actions-host.escape");

/** Reports each press of Escape to the worker, once in a document. */
export function watchEscape(): void {
  const world = globalThis as { [WATCHED]?: true };
  if (world[WATCHED]) return;
  world[WATCHED] = true;
  const onKey = (event: KeyboardEvent): void => void (event.isTrusted && !event.repeat && event.key === "Escape" && reportEscape());
  keepListening(document, window, "keydown", onKey, { capture: true, passive: true });
}

function reportEscape(): void {
  if (!chrome.runtime?.id) return;
  const message: EscapeMessage = { kind: "escape_pressed" };
  chrome.runtime.sendMessage(message).catch(() => {}); // a worker that is just ending has no call to stop
}
