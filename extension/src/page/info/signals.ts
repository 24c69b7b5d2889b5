// Rule: an event of the page leaves it as data, only by a name that the host
// asked for, and bounded in number and size, whatever the page does.

import { type Args, texts } from "../base/args";
import { PageError } from "../base/errors";
import { keepListening } from "../base/listeners";

/** A message from the content script to the worker. */
export interface SignalMessage {
  kind: "dom_event";
  name: string;
  payload: unknown;
  at: number;
  dropped?: number;
}

const MAX_NAMES = 100;
const MAX_PER_SECOND = 20;
const MAX_BYTES = 16 * 1024;
/** The transport's readers have a depth limit; a deeper payload would lose the whole message. */
const MAX_DEPTH = 32;

const observed = new Set<string>();
let windowStart = -Infinity;
let sent = 0;
let dropped = 0;

/** signal.observe */
export function observeSignals(args: Args): { observing: number } {
  const added = new Set((texts(args, "events") ?? []).filter((name) => !observed.has(name)));
  if (observed.size + added.size > MAX_NAMES) {
    throw new PageError("invalid_arguments", `a document is observed for at most ${MAX_NAMES} events`, { argument: "events" });
  }
  for (const name of added) {
    observed.add(name);
    // On the window in the capture phase: before the listeners of components, which may stop it.
    keepListening(document, window, name, handleEvent, { capture: true, passive: true });
  }
  return { observing: observed.size };
}

function handleEvent(event: Event): void {
  // The browser's own events, keys above all, are not signals.
  if (!(event instanceof CustomEvent)) return;
  const now = performance.now();
  if (now - windowStart >= 1000) [windowStart, sent] = [now, 0];
  // Counted before detail is read: copying it is the expensive part.
  if (sent >= MAX_PER_SECOND) return void dropped++;
  sent++;
  const payload = jsonDetail(event);
  if (payload === undefined) return void dropped++;
  const message: SignalMessage = { kind: "dom_event", name: event.type, payload, at: Date.now() };
  if (dropped > 0) message.dropped = dropped;
  dropped = 0;
  send(message);
}

/** The detail as JSON; undefined where it is not serialisable, too deep or too large. */
function jsonDetail(event: CustomEvent): unknown {
  try {
    const text = JSON.stringify(event.detail ?? null);
    if (text === undefined || new TextEncoder().encode(text).length > MAX_BYTES) return undefined;
    const data: unknown = JSON.parse(text);
    return isDeeperThan(data, MAX_DEPTH) ? undefined : data;
  } catch {
    return undefined; // a cycle, a big integer: the page's own mistake
  }
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeperThan(member, depth - 1));
}

function send(message: SignalMessage): void {
  // After an update of the extension this script is an orphan without an id.
  if (!chrome.runtime?.id) return;
  chrome.runtime.sendMessage(message).catch(() => {}); // no worker: the next handshake starts again
}
