// Rule: the content script answers the extension's own worker and nobody else,
// once: it may be injected again into a document that has it already. It keeps
// no state but the calls that run, so the worker may die and come back.

import { type Holder, heldBy } from "./above";
import { EnterFrame, type Way } from "./enter-frame";
import { type PageError, asPageError } from "./errors";
import { enterAnswer, postKeys, seeFrame } from "./frame-desk";
import { cameBy } from "./frame-path";
import { type Place, placeSelf } from "./frames";
import type { Point } from "./geometry";
import { removeOverlays, serveOverlays } from "./overlay";
import { tokenBeside } from "./refs";
import { isPagePrimitive, run } from "./run";
import { showAs } from "./shown";
import { watchEdits } from "./unsaved";

interface ActionMessage {
  kind: "action";
  call_id: string;
  name: string;
  arguments: Record<string, unknown>;
  timeout_ms: number;
  /** What the page shows of it. */
  shown?: string;
  /** Where this document lies, if it is a frame's. */
  frame?: Frame;
}

interface Frame {
  place: Place;
  holder: Holder;
  way?: Way;
}

type Message =
  | ActionMessage
  | { kind: "cancel"; call_id: string }
  | { kind: "hello"; taken?: string[] }
  | { kind: "post_keys" }
  /** With the frame (null in the tab's own document) this script need not ask where it lies itself. */
  | { kind: "see_frame"; key: string; points: Point[]; drawn?: boolean; frame?: Frame | null };

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
        respond({ ok: true, url: location.href, title: document.title, token: tokenBeside(message.taken ?? []) });
        return false;
      case "cancel":
        running.get(message.call_id)?.abort();
        respond({ ok: true });
        return false;
      case "post_keys":
        respond(postKeys());
        return false;
      case "see_frame":
        if (message.frame) lieIn(message.frame);
        void seeFrame(message.key, message.points, { knowsPlace: message.frame !== undefined, drawn: message.drawn === true }).then(respond, () => respond(null));
        return true;
      case "action":
        void answer(message, running).then(respond);
        return true; // the answer comes later
    }
  });
  watchEdits();
  // What is put over the page stands in the tab's own document.
  if (window.top === window) serveOverlays();
  keepLifeline();
}

function isMessage(message: unknown): message is Message {
  const kind = (message as { kind?: unknown } | null)?.kind;
  return typeof kind === "string" && ["action", "cancel", "hello", "post_keys", "see_frame"].includes(kind);
}

/** What a wait came to must reach the host before the host's own limit does. */
const ANSWER_MS = 200;

function lieIn(frame: Frame | undefined): void {
  placeSelf(frame?.place);
  heldBy(frame?.holder);
}

async function answer(message: ActionMessage, running: Map<string, AbortController>): Promise<unknown> {
  const abort = new AbortController();
  running.set(message.call_id, abort);
  try {
    const { name } = message;
    if (!isPagePrimitive(name)) return { ok: false, error: { code: "unknown_primitive", message: `no page primitive is called ${name}`, dispatched: "no" } };
    const ctx = { signal: abort.signal, deadline: performance.now() + message.timeout_ms - Math.min(ANSWER_MS, message.timeout_ms / 10) };
    lieIn(message.frame);
    cameBy(message.frame?.way);
    showAs(message.shown);
    return { ok: true, output: await run(name, message.arguments, ctx) };
  } catch (thrown) {
    if (thrown instanceof EnterFrame && thrown.dispatched === "no") return { ok: false, enter: enterAnswer(thrown), error: errorOf(thrown) };
    return { ok: false, error: errorOf(asPageError(thrown)) };
  } finally {
    running.delete(message.call_id);
  }
}

const errorOf = ({ code, message, dispatched, evidence }: PageError): object => ({ code, message, dispatched, evidence });

// A port to the worker that is opened again whenever it closes: opening it
// starts a worker that died. After an update of the extension this script is an
// orphan, its id is gone, and it stops.
function keepLifeline(wait = RECONNECT_MS): void {
  if (!chrome.runtime?.id) return removeOverlays();
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
