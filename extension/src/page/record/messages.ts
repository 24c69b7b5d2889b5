// Rule of this file: a report is sent at once, as the page may be gone a moment later, and
// again until the worker confirms that the host has it. The host knows those that come twice.

import { hash } from "../../hash";
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
  /** It was chosen among the page's own words, which stay in names and addresses. */
  chosen?: true;
  /** It is longer than what is sent of it, so that it cannot be kept as it is. */
  cut?: true;
}

/** From a content script: what a field for secrets holds, so that the worker knows it where the page repeats it. */
export interface SecretMessage {
  kind: "recorded_secret";
  /** Stands before the text where it is hashed. */
  salt: string;
  length: number;
  hash: string;
}

/** A longer text is cut to it. */
export const MAX_TEXT = 10_000;
const RETRY_DELAY_MS = 200;
const MAX_TRIES = 50;

/** Sends the report, and the same once more until it is confirmed. */
export function send(report: Omit<RecordedMessage, "kind" | "id">): void {
  void deliver({ kind: "recorded", id: crypto.randomUUID(), ...report });
}

/** Sends what a token stands for. */
export function sendText(report: Omit<TypedMessage, "kind" | "cut">): void {
  void deliver({ kind: "recorded_text", ...report, text: report.text.slice(0, MAX_TEXT), ...(report.text.length > MAX_TEXT && { cut: true }) });
}

/** Sends the hash of a secret: its text stays in the page. */
export function sendSecret(salt: string, text: string): void {
  void deliver({ kind: "recorded_secret", salt, length: text.length, hash: hash(salt + text) });
}

async function deliver(message: RecordedMessage | TypedMessage | SecretMessage): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES && chrome.runtime?.id; tries++) {
    const taken = await chrome.runtime.sendMessage(message).catch(() => false);
    if (taken === true) return;
    await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
  }
}
