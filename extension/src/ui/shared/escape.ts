// Rule of this file: Escape stops the agents in a frame of the extension's own as it does in
// the page around it. The worker counts it for the tab, and knows which an agent has sent.

import type { EscapeMessage } from "../../page/input/escape";

/** Reports each press of Escape to the worker. */
export function watchEscape(): void {
  const message: EscapeMessage = { kind: "escape_pressed" };
  const report = (event: KeyboardEvent): void => {
    if (event.isTrusted && !event.repeat && event.key === "Escape") void chrome.runtime.sendMessage(message).catch(() => {}); // a worker that is just ending has no call to stop
  };
  window.addEventListener("keydown", report, { capture: true, passive: true });
}
