// Rule: the content script answers the extension's own worker and nobody else,
// once: it may be injected again into a document that has it already. It keeps
// no state but the calls that run, so the worker may die and come back.

import { type PageError, asPageError } from "./base/errors";
import { closeLifeline, isLifelineOpen, openLifeline } from "./base/lifeline";
import type { Point } from "./dom/geometry";
import { watchSecrets } from "./dom/secrets";
import { type Place, setOwnPlace } from "./dom/viewport";
import { type ParentFrame, followPlace, setParentFrame } from "./frames/ancestors";
import { EnterFrame, type FrameEntry } from "./frames/enter-frame";
import { setEntry } from "./frames/path";
import { enterAnswer, frameKeys, describeFrame } from "./frames/queries";
import { watchEscape } from "./input/escape";
import { isFocusInside } from "./input/focus-hold";
import { type Hold, checkInput, holdInput, liftAll, liftInput, markWay, restyleFrames } from "./input/hold";
import { nameFrame } from "./locator/naming";
import { tokenExcept } from "./locator/refs";
import { type Answered, type Asked, isFromWorker, type LeavingMessage } from "./base/worker-messages";
import { beginHighlight } from "./overlay/highlight";
import { removeOverlays, serveOverlays } from "./overlay/overlays";
import { type Context, isPagePrimitive, run } from "./run";
import { watchEdits } from "./state/unsaved";

interface ActionMessage {
  kind: "action";
  call_id: string;
  name: string;
  arguments: Record<string, unknown>;
  timeout_ms: number;
  /** The answer says what the target was. */
  met?: boolean;
  /** The name that the highlight shows for it. */
  shown?: string;
  /** What the action is about. */
  shown_argument?: string;
  /** The place of this document, if it is a frame's. */
  frame?: Frame;
}

interface Frame {
  place: Place;
  holder: ParentFrame;
  way?: FrameEntry;
}

type Message =
  | ActionMessage
  | { kind: "cancel"; call_id: string }
  | { kind: "hello"; taken?: string[] }
  | { kind: "frame_keys" | "post_keys" }
  | { kind: "check_input"; id: string; after?: "key" | "move" }
  | { kind: "has_focus" | "restyle_frames" | "lift_input"; id: string }
  | { kind: "hold_input"; hold: Hold; device: "pointer" | "keys"; frames: boolean }
  | { kind: "name_frame"; key: string }
  | { kind: "mark_frame"; key: string; mark: string; on: boolean }
  /** With the frame (null in the tab's own document) this script need not query its own place. */
  | { kind: "see_frame"; key: string; points: Point[]; drawn?: boolean; frame?: Frame | null };

/** How long after the worker's end the page starts it again; longer each time a port does not last. */
const RECONNECT_DELAY_MS = 20;
const MAX_RECONNECT_DELAY_MS = 10_000;

const INJECTED = Symbol.for("actions-host.page");

function start(): void {
  const world = globalThis as { [INJECTED]?: true };
  if (world[INJECTED]) return;
  world[INJECTED] = true;
  chrome.runtime.onMessage.addListener((message: unknown, sender, respond: (answer: unknown) => void) => {
    if (!isFromWorker(sender) || !isMessage(message)) return false;
    switch (message.kind) {
      case "hello":
        respond({ ok: true, url: location.href, title: document.title, token: tokenExcept(message.taken ?? []) });
        return false;
      case "cancel":
        respond(cancel(message.call_id));
        return false;
      case "frame_keys":
      case "post_keys":
        respond(frameKeys(message.kind === "post_keys"));
        return false;
      case "see_frame":
        if (message.frame) setFrame(message.frame);
        void describeFrame(message.key, message.points, { knowsPlace: message.frame !== undefined, drawn: message.drawn === true }).then(respond, () => respond(null));
        return true;
      case "name_frame":
        respond(nameFrame(message.key));
        return false;
      case "has_focus":
        respond(isFocusInside(message.id));
        return false;
      case "check_input":
        void checkInput(message.id, message.after).then(respond, () => respond({ code: "target_moved", message: "the target cannot be checked", evidence: {} }));
        return true;
      case "hold_input":
        respond({ shadow: holdInput(message.hold, message.device, message.frames) });
        return false;
      case "restyle_frames":
        restyleFrames(message.id);
        respond({ ok: true });
        return false;
      case "lift_input":
        liftInput(message.id);
        respond({ ok: true });
        return false;
      case "mark_frame":
        respond({ shadow: markWay(message.key, message.mark, message.on) });
        return false;
      case "action":
        void answer(message).then(respond);
        return true; // the answer comes later
    }
  });
  watchEscape();
  watchEdits();
  watchSecrets();
  // Overlays are in the tab's own document.
  if (window.top === window) serveOverlays();
  keepLifeline();
  // A document in the back/forward cache lost its port without an event.
  window.addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    closeLifeline();
    liftAll();
    keepLifeline();
  });
}

function isMessage(message: unknown): message is Message {
  const kind = (message as { kind?: unknown } | null)?.kind;
  return typeof kind === "string" && ["action", "cancel", "hello", "frame_keys", "post_keys", "see_frame", "name_frame", "has_focus", "check_input", "hold_input", "restyle_frames", "lift_input", "mark_frame"].includes(kind);
}

/** Time reserved for the answer of a wait to reach the host before the host's own timeout. */
const ANSWER_DELAY_MS = 200;

function setFrame(frame: Frame | undefined): void {
  setOwnPlace(frame?.place);
  setParentFrame(frame?.holder);
}

/** The calls that run, over the port or by a message. */
const running = new Map<string, AbortController>();

function cancel(callId: string): object {
  running.get(callId)?.abort();
  return { ok: true };
}

async function answer(message: ActionMessage): Promise<unknown> {
  const abort = new AbortController();
  running.set(message.call_id, abort);
  try {
    const { name } = message;
    if (!isPagePrimitive(name)) return { ok: false, error: { code: "unknown_primitive", message: `no page primitive is called ${name}`, dispatched: "no" } };
    const ctx: Context = { signal: abort.signal, followPlace, asksMet: message.met === true, deadline: performance.now() + message.timeout_ms - Math.min(ANSWER_DELAY_MS, message.timeout_ms / 10) };
    ctx.leaving = (output) => sendLeaving({ kind: "leaving", call_id: message.call_id, answer: { ok: true, output, ...(ctx.met && { target: ctx.met }) } });
    setFrame(message.frame);
    setEntry(message.frame?.way);
    beginHighlight(message.shown, message.shown_argument);
    const output = await run(name, message.arguments, ctx);
    return { ok: true, output, ...(ctx.met && { target: ctx.met }) };
  } catch (thrown) {
    if (thrown instanceof EnterFrame && thrown.dispatched === "no") return { ok: false, enter: enterAnswer(thrown), error: errorOf(thrown) };
    return { ok: false, error: errorOf(asPageError(thrown)) };
  } finally {
    running.delete(message.call_id);
  }
}

const errorOf = ({ code, message, dispatched, evidence }: PageError): object => ({ code, message, dispatched, evidence });

async function answerOver(port: chrome.runtime.Port, { ask, message }: Asked<Message>): Promise<void> {
  const answered: Answered = { ask, answer: message.kind === "action" ? await answer(message) : message.kind === "cancel" ? cancel(message.call_id) : null };
  try {
    port.postMessage(answered);
  } catch {
    // The worker ended meanwhile; a new one knows that it has lost the call.
  }
}

function sendLeaving(message: LeavingMessage): void {
  chrome.runtime.sendMessage(message).catch(() => {}); // nobody answers, and the document goes
}

// A port to the worker that is opened again whenever it closes: opening it
// starts a worker that died, and most calls come over it. After an update of the extension this script is an
// orphan, its id is gone, and it stops.
function keepLifeline(delay = RECONNECT_DELAY_MS): void {
  if (!chrome.runtime?.id) return removeOverlays();
  if (isLifelineOpen()) return; // a document that came back from the cache has opened it already
  try {
    const port = chrome.runtime.connect({ name: "page" });
    const opened = performance.now();
    openLifeline(port);
    port.onMessage.addListener((asked: Asked<Message>) => void answerOver(port, asked));
    port.onDisconnect.addListener(() => {
      void chrome.runtime?.lastError; // read, or Chrome logs it as unchecked
      if (!closeLifeline(port)) return;
      liftAll();
      const stable = performance.now() - opened > 1000;
      setTimeout(() => keepLifeline(stable ? RECONNECT_DELAY_MS : Math.min(delay * 2, MAX_RECONNECT_DELAY_MS)), delay);
    });
  } catch {
    // The context was invalidated between the test and the call.
  }
}

start();
