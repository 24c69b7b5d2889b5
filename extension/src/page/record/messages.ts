// Rule of this file: a report is sent at once, as the page may be gone a moment later, and
// again until the worker confirms that the host has it. The host knows those that come twice.

import type { Recorded } from "../../protocol";

/** From a content script: something that the user did. The worker knows in which tab and document. */
export interface RecordedMessage extends Omit<Recorded, "tab_id" | "url"> {
  kind: "recorded";
}

/** From a content script: what the token stands for. It goes no further than the worker. */
export interface TypedMessage {
  kind: "recorded_text";
  token: string;
  text: string;
}

const RETRY_DELAY_MS = 200;
const MAX_TRIES = 50;

/** Sends the report, and the same once more until it is confirmed. */
export function send(report: Omit<RecordedMessage, "kind" | "id">): void {
  void deliver({ kind: "recorded", id: crypto.randomUUID(), ...report });
}

/** Sends what a token stands for. */
export function sendTyped(token: string, text: string): void {
  void deliver({ kind: "recorded_text", token, text: text.slice(0, 2000) });
}

async function deliver(message: RecordedMessage | TypedMessage): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES && chrome.runtime?.id; tries++) {
    const taken = await chrome.runtime.sendMessage(message).catch(() => false);
    if (taken === true) return;
    await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
  }
}
