// Rule: what the content script tells the worker about the pane and the
// launchers, and what the worker passes on from their frames. Without a worker
// (the page code alone) nothing is remembered, and nothing fails.

import type { FrameAnswer, PaneMessage, PaneState } from "../ui/frame-messages";
import { isFrameMessage, isPaneState } from "../ui/frame-messages";
import { answerFrame } from "./own-frame";

const hasWorker = (): boolean => typeof chrome !== "undefined" && chrome.runtime?.id !== undefined;

/** Tells the worker; what becomes of it is not this document's care. */
export function tell(message: PaneMessage): void {
  // Without a worker the next document starts with what was told before.
  if (hasWorker()) chrome.runtime.sendMessage(message).catch(() => {});
}

/** What is remembered of the tab's pane; undefined where nobody knows. */
export async function remembered(): Promise<PaneState | undefined> {
  if (!hasWorker()) return undefined;
  const message: PaneMessage = { kind: "pane_restore" };
  const state: unknown = await chrome.runtime.sendMessage(message).catch(() => undefined);
  return isPaneState(state) ? state : undefined;
}

/** Answers the worker's messages; `released` is called when the tab is no longer claimed. */
export function serveFrames(released: () => void): void {
  chrome.runtime.onMessage.addListener((message: unknown, sender, respond: (answer: FrameAnswer) => void) => {
    // Only the worker: a message of another page of the extension in a tab carries that tab.
    if (sender.id !== chrome.runtime.id || sender.tab) return false;
    if ((message as { kind?: unknown } | null)?.kind === "released") released();
    else if (isFrameMessage(message)) respond(answerFrame(message.key, message));
    return false;
  });
}
