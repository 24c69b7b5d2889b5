// Rule: a content script takes the worker's messages only: one from a page of the extension
// in a tab carries that tab, one from another extension its id.

export const isFromWorker = ({ id, tab }: chrome.runtime.MessageSender): boolean => id === chrome.runtime.id && !tab;

/** Serves messages of a kind; what the handler returns, unless undefined, is the answer. */
export function serveWorkerMessages<M extends { kind: string }>(kind: M["kind"], handle: (message: M) => unknown): void {
  chrome.runtime.onMessage.addListener((message: unknown, sender, respond: (answer: unknown) => void) => {
    if (!isFromWorker(sender) || (message as { kind?: unknown } | null)?.kind !== kind) return false;
    const answer = handle(message as M);
    if (answer !== undefined) respond(answer);
    return false;
  });
}

/** A message of the worker over the port that the content script keeps open. */
export interface Asked<M> {
  ask: number;
  message: M;
}

/** The content script's answer, over the same port. */
export interface Answered {
  ask: number;
  answer: unknown;
}

/** What the content script says unasked, over the same port. */
export interface Pushed {
  pushed: object;
}

/** The input that the target's document has received. */
export interface SeenMessage {
  kind: "input_seen";
  hold: string;
  events: readonly string[];
  /** How many keys came, or changes by text. */
  count: number;
}

/** From a document that is being navigated away from: what the answer to the call is if it goes. Its last message may be lost. */
export interface LeavingMessage {
  kind: "leaving";
  call_id: string;
  answer: unknown;
}
