// Rule: the content script answers the extension's own worker and nobody else,
// once: it may be injected again into a document that has it already. It keeps
// no state but the calls that run, so the worker may die and come back.

import { asPageError } from "./errors";
import { isPagePrimitive, run } from "./run";

interface ActionMessage {
  kind: "action";
  call_id: string;
  name: string;
  arguments: Record<string, unknown>;
  timeout_ms: number;
}

type Message = ActionMessage | { kind: "cancel"; call_id: string } | { kind: "hello" };

/** How long after the worker's end the page calls it back to life; longer each time a port does not last. */
const RECONNECT_MS = 20;
const RECONNECT_MAX_MS = 10_000;

const INJECTED = Symbol.for("actions-host.page");

function start(): void {
  const world = globalThis as { [INJECTED]?: true };
  if (world[INJECTED]) return;
  world[INJECTED] = true;
  const running = new Map<string, AbortController>();
  chrome.runtime.onMessage.addListener((message: unknown, sender, respond: (answer: unknown) => void) => {
    // Only the worker: a message of another content script carries its tab.
    if (sender.id !== chrome.runtime.id || sender.tab || !isMessage(message)) return false;
    switch (message.kind) {
      case "hello":
        respond({ ok: true, url: location.href, title: document.title });
        return false;
      case "cancel":
        running.get(message.call_id)?.abort();
        respond({ ok: true });
        return false;
      case "action":
        void answer(message, running).then(respond);
        return true; // the answer comes later
    }
  });
  keepLifeline();
}

function isMessage(message: unknown): message is Message {
  const kind = (message as { kind?: unknown } | null)?.kind;
  return kind === "action" || kind === "cancel" || kind === "hello";
}

async function answer(message: ActionMessage, running: Map<string, AbortController>): Promise<unknown> {
  const abort = new AbortController();
  running.set(message.call_id, abort);
  try {
    const { name } = message;
    if (!isPagePrimitive(name)) return { ok: false, error: { code: "unknown_primitive", message: `no page primitive is called ${name}`, dispatched: "no" } };
    const ctx = { signal: abort.signal, deadline: performance.now() + message.timeout_ms };
    return { ok: true, output: await run(name, message.arguments, ctx) };
  } catch (thrown) {
    const { code, message: text, dispatched, evidence } = asPageError(thrown);
    return { ok: false, error: { code, message: text, dispatched, evidence } };
  } finally {
    running.delete(message.call_id);
  }
}

// A port to the worker that is opened again whenever it closes: opening it
// starts a worker that died. After an update of the extension this script is an
// orphan, its id is gone, and it stops.
function keepLifeline(wait = RECONNECT_MS): void {
  if (!chrome.runtime?.id) return;
  try {
    const port = chrome.runtime.connect({ name: "page" });
    const opened = performance.now();
    port.onDisconnect.addListener(() => {
      void chrome.runtime?.lastError; // read, or Chrome logs it as unchecked
      const lasted = performance.now() - opened > 1000;
      setTimeout(() => keepLifeline(lasted ? RECONNECT_MS : Math.min(wait * 2, RECONNECT_MAX_MS)), wait);
    });
  } catch {
    // The context was invalidated between the test and the call.
  }
}

start();
