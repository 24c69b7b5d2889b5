// Rule of this file: a report is sent at once, as the page may be gone a moment later, and
// again until the worker confirms that the host has it. The host knows those that come twice.
// What was sent in vain holds back what comes after it: the order is that of the steps.

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

type Message = RecordedMessage | TypedMessage | SecretMessage;

/** What was sent in vain and what came after it, with its number in the order. */
const waiting: { message: Message; number: number }[] = [];
let count = 0;
let retrying = false;

async function deliver(message: Message): Promise<void> {
  const number = count++;
  if (waiting.length === 0 && (await isAnswered(message))) return;
  waiting.push({ message, number });
  waiting.sort((a, b) => a.number - b.number);
  if (retrying) return;
  retrying = true;
  await retry();
  retrying = false;
}

async function retry(): Promise<void> {
  for (let tries = 1; waiting.length > 0; tries++) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    for (let first = waiting[0]; first && (tries >= MAX_TRIES || (await isAnswered(first.message))); first = waiting[0]) {
      waiting.splice(waiting.indexOf(first), 1);
      tries = 0;
    }
  }
}

/** Reports whether it is of no use to send the message again: the host has it, the worker refuses it, or this script is an orphan. */
async function isAnswered(message: Message): Promise<boolean> {
  if (!chrome.runtime?.id) return true;
  return (await chrome.runtime.sendMessage(message).catch(() => false)) !== false;
}
