// Rule: messages to the worker about the pane and the launchers, and messages that
// the worker passes on from their frames. Without a worker (the page code alone)
// nothing is remembered, and nothing fails.

import type { FrameAnswer, PaneMessage, PaneState } from "../../ui/shared/frame-messages";
import { isFrameMessage, isPaneState } from "../../ui/shared/frame-messages";
import { isFromWorker } from "../base/worker-messages";
import { answerFrame } from "./frame";

const hasWorker = (): boolean => typeof chrome !== "undefined" && chrome.runtime?.id !== undefined;

/** Sends a message to the worker without waiting for an answer. */
export function sendToWorker(message: PaneMessage): void {
  // If the worker is gone, the next document starts with the state sent before.
  if (hasWorker()) chrome.runtime.sendMessage(message).catch(() => {});
}

/** Returns the remembered state of the tab's pane; undefined where there is none. */
export async function loadPaneState(): Promise<PaneState | undefined> {
  if (!hasWorker()) return undefined;
  const message: PaneMessage = { kind: "pane_restore" };
  const state: unknown = await chrome.runtime.sendMessage(message).catch(() => undefined);
  return isPaneState(state) ? state : undefined;
}

/** Answers the worker's messages; `onReleased` is called when the tab is no longer claimed. */
export function serveFrames(onReleased: () => void): void {
  chrome.runtime.onMessage.addListener((message: unknown, sender, respond: (answer: FrameAnswer) => void) => {
    if (!isFromWorker(sender)) return false;
    if ((message as { kind?: unknown } | null)?.kind === "released") onReleased();
    else if (isFrameMessage(message)) respond(answerFrame(message.key, message));
    return false;
  });
}
