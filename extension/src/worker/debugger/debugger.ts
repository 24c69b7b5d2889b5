// Rule of this file: it is the only user of chrome.debugger. It attaches at the
// first command, stays attached because attaching costs time and moves the
// page, and detaches only what it attached itself.

import type { DebuggerCommand, DebuggerResult } from "../../protocol";
import type { Link } from "../connection/link";
import type { InputTracker } from "../input/inputs";
import { API_TIMEOUT_MS, pause, withApiTimeout, withTimeout } from "../shared/async";
import { Fault, report, textOf } from "../shared/fault";
import type { Spent } from "../shared/spent";
import type { Claims } from "../tabs/claims";
import type { Documents } from "../tabs/documents";
import { noSuchTab } from "../tabs/tabs";
import type { Dialogs } from "./dialogs";
import { FLOODED, FloodLimiter } from "./flood";
import { HeldFrames } from "./held-frames";

const VERSION = "1.3";
/** Longer than any call may take; the host's own limits cancel earlier. */
const COMMAND_TIMEOUT_MS = 180_000;

/** A live page enables its Page domain in a millisecond; a crashed one never does. */
const ENABLE_TIMEOUT_MS = 1_000;

/** CDP's error code for a method that does not exist or is closed to extensions. */
const NO_SUCH_METHOD = -32601;

/** Chrome's error message for a tab that is not being debugged. */
const NOT_ATTACHED = /debugger is not attached/i;

/** Its error message for a command during which debugging ended, as it does when the tab shows what no extension may debug. */
const DETACHED = /^detached\b/i;

/** Either of them: who ended debugging, its event says. */
const ENDED = /debugger is not attached|^detached\b/i;

/** The event comes about as soon as the command's error, before or after it. */
const DETACH_EVENT_DELAY_MS = 100;

/** Ends what code of browserjs() waits for in its world. */
export const END_SCRIPT = `globalThis[Symbol.for("actions-host.browserjs")]?.end(); ""`;

/** How the names of the worlds begin that the host makes for such code. */
const SCRIPT_WORLD = "actions-host.browserjs ";

/** Each run has a world of its own, and few runs of a tab are under way at once. */
const MAX_SCRIPT_WORLDS = 16;

/** Chrome's reason when the user ends debugging from the browser's bar. */
const BY_USER = "canceled_by_user";

/** Owns the debugger. */
export class DebuggerOwner {
  private readonly attached = new Map<number, Promise<void>>();
  /** Attachments that the browser has not answered yet, also those that nobody needs any more. */
  private readonly attaching = new Map<number, Promise<void>>();
  /** The latest worlds of code in each tab. */
  private readonly scriptWorlds = new Map<number, number[]>();
  private readonly limiter = new FloodLimiter(
    (source, method) => chrome.debugger.sendCommand(source, method),
    (source, flood) => this.notify(source, FLOODED, { ...flood }),
  );
  private readonly heldFrames = new HeldFrames(
    (tabId, sessionId, method) => chrome.debugger.sendCommand({ tabId, sessionId }, method),
    () => this.link.state.state === "connected",
  );

  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
    private readonly dialogs: Dialogs,
    private readonly link: Link,
    private readonly inputs: InputTracker,
    private readonly spent: Spent,
  ) {}

  /** Runs a command of the host. Real input must use input_send, which holds other documents first. */
  async relay(call: DebuggerCommand): Promise<DebuggerResult> {
    if (/^Input\./.test(call.method) && call.method !== "Input.setInterceptDrags") {
      throw Fault.new("invalid_message", `${call.method} is sent by input_send only`, { dispatched: "no" });
    }
    return this.command(call);
  }

  /** Runs one command. Commands that come together are sent together and in order. */
  async command(call: DebuggerCommand): Promise<DebuggerResult> {
    const { tab_id: tabId, method } = call;
    this.claims.demand(tabId);
    const attachment = this.attach(tabId);
    await untilAttached(attachment);
    if (call.origin !== undefined) await this.documents.demandOrigin(tabId, call.origin);
    this.claims.demand(tabId); // attaching takes time in which the user may have released the tab
    const target: chrome.debugger.DebuggerSession = { tabId };
    if (call.session_id !== undefined) target.sessionId = call.session_id;
    this.limiter.onCommand(target, method);
    this.heldFrames.onCommandSent(call.session_id, method);
    this.inputs.notePresses(tabId, method, call.params);
    try {
      const sent = this.inputs.track(tabId, method, () => this.spent.on("browser", chrome.debugger.sendCommand(target, method, call.params)));
      const result = await withTimeout(COMMAND_TIMEOUT_MS, method, sent, "handler_timeout");
      if (method === "Page.createIsolatedWorld") this.noteWorld(tabId, call.params, result);
      return { result: (result ?? {}) as Record<string, unknown> };
    } catch (error) {
      // The host must know of the user's stop before it hears that a command failed.
      if (ENDED.test(textOf(error))) await pause(DETACH_EVENT_DELAY_MS);
      if (this.claims.stateOf(tabId).debugger_refused) throw refusedByUser("unknown");
      if (NOT_ATTACHED.test(textOf(error))) this.onAttachmentLost(tabId, attachment);
      throw commandFault(method, error, call.session_id === undefined);
    }
  }

  /** The attachment ended without an event: the next command attaches anew, and the host is notified that nothing is switched on any more. */
  private onAttachmentLost(tabId: number, attachment: Promise<void>): void {
    if (this.attached.get(tabId) !== attachment) return; // noticed before, and there may be a new one already
    this.forget(tabId);
    this.link.notify("debugger_detached", { tab_id: tabId, reason: "not_attached" });
  }

  /**
   * Attaches ahead of a call that acts, so that a dialog which the page answers
   * with is announced and waits. Without a debugger the call goes on without.
   */
  async attachIfPossible(tabId: number): Promise<void> {
    try {
      await untilAttached(this.attach(tabId));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
  }

  /** The host no longer needs the debugger, or the claim has ended. */
  async detach(tabId: number): Promise<void> {
    const attachment = this.attached.get(tabId);
    if (!attachment) return;
    this.forget(tabId);
    if (this.attaching.has(tabId)) {
      // It detaches itself when it comes, unless it is needed again by then. Its error is reported to its caller.
      return untilAttached(attachment).catch(() => {});
    }
    this.endScripts(tabId);
    await this.detachDebugger(tabId);
  }

  /**
   * Detaches what an earlier run of this worker attached: its host is gone, and
   * what that one had switched on, such as paused requests, would stay on.
   */
  async cleanUp(): Promise<void> {
    for (const tabId of this.claims.ids()) {
      if (!this.claims.stateOf(tabId).debugger_attached || this.attached.has(tabId)) continue;
      if (this.dialogs.isOpen(tabId)) {
        // Without the debugger the dialog could not be answered: this attachment is taken over.
        this.attached.set(tabId, Promise.resolve());
        continue;
      }
      this.claims.update(tabId, { debugger_attached: false });
      await this.detachDebugger(tabId);
    }
  }

  /** A CDP event of an attached tab. */
  onEvent(source: chrome.debugger.DebuggerSession, method: string, params: object | undefined): void {
    const tabId = source.tabId;
    if (tabId === undefined || !this.attached.has(tabId) || !this.claims.has(tabId)) return;
    if (!this.limiter.allows(source, method)) return;
    const known = (params ?? {}) as Record<string, unknown>;
    if (source.sessionId === undefined) this.dialogs.onEvent(tabId, method, known);
    this.heldFrames.onEvent(tabId, method, known);
    this.notify(source, method, known);
  }

  private notify(source: chrome.debugger.DebuggerSession, method: string, params: Record<string, unknown>): void {
    if (source.tabId === undefined) return;
    const event = { tab_id: source.tabId, method, params };
    this.link.notify("debugger_event", source.sessionId === undefined ? event : { ...event, session_id: source.sessionId });
  }

  /** The browser or the user ended it. */
  onDetached(source: chrome.debugger.Debuggee, reason: string): void {
    const tabId = source.tabId;
    if (tabId === undefined || !this.claims.has(tabId)) return;
    this.forget(tabId);
    if (reason === BY_USER) this.claims.update(tabId, { debugger_refused: true });
    this.link.notify("debugger_detached", { tab_id: tabId, reason });
  }

  /** Returns the attachment of the tab, which may take for ever. */
  private attach(tabId: number): Promise<void> {
    // The browser refuses a second attachment while one is under way: that one is taken.
    const attachment = this.attached.get(tabId) ?? this.attaching.get(tabId) ?? this.attachAnew(tabId);
    this.attached.set(tabId, attachment);
    return attachment;
  }

  private attachAnew(tabId: number): Promise<void> {
    const attachment = this.attachDebugger(tabId).catch((error: unknown) => {
      if (this.attaching.get(tabId) === attachment) this.attaching.delete(tabId);
      if (this.attached.get(tabId) === attachment) this.attached.delete(tabId);
      throw error;
    });
    this.attaching.set(tabId, attachment);
    return attachment;
  }

  private async attachDebugger(tabId: number): Promise<void> {
    if (this.claims.stateOf(tabId).debugger_refused) {
      throw refusedByUser("no");
    }
    try {
      await chrome.debugger.attach({ tabId }, VERSION);
    } catch (error) {
      const message = textOf(error);
      if (/^cannot (access|attach)/i.test(message)) throw Fault.new("restricted_page", message, { dispatched: "no" });
      if (noSuchTab(error)) throw Fault.new("runtime_not_found", message, { dispatched: "no" });
      throw unavailable(message);
    }
    this.attaching.delete(tabId);
    // The claim may have ended meanwhile, or the host's need, and nothing else would detach then.
    if (!this.attached.has(tabId)) return this.detachDebugger(tabId);
    this.claims.update(tabId, { debugger_attached: true });
    await this.announceDialogs(tabId);
  }

  /** Only while the Page domain is on does a dialog wait for an answer and make an event. */
  private async announceDialogs(tabId: number): Promise<void> {
    try {
      await withTimeout(ENABLE_TIMEOUT_MS, "Page.enable", chrome.debugger.sendCommand({ tabId }, "Page.enable"));
    } catch (error) {
      report(`The dialogs of tab ${tabId} are not announced`, error);
    }
  }

  private noteWorld(tabId: number, params: DebuggerCommand["params"], result: object | undefined): void {
    const id = (result as { executionContextId?: unknown } | undefined)?.executionContextId;
    if (typeof id !== "number" || !String(params?.["worldName"]).startsWith(SCRIPT_WORLD)) return;
    this.scriptWorlds.set(tabId, [...(this.scriptWorlds.get(tabId) ?? []), id].slice(-MAX_SCRIPT_WORLDS));
  }

  /** Ends code that goes on in the page, which nobody reaches without the debugger. */
  private endScripts(tabId: number): void {
    for (const contextId of this.scriptWorlds.get(tabId) ?? []) {
      // A world that is gone has no code. A busy page takes the command later.
      chrome.debugger.sendCommand({ tabId }, "Runtime.evaluate", { expression: END_SCRIPT, contextId, silent: true }).catch(() => {});
    }
    this.scriptWorlds.delete(tabId);
  }

  private async detachDebugger(tabId: number): Promise<void> {
    try {
      await withApiTimeout("chrome.debugger.detach", chrome.debugger.detach({ tabId }));
    } catch (error) {
      // A closed tab or an ended session needs no detaching.
      if (!noSuchTab(error) && !/not attached/i.test(textOf(error))) throw error;
    }
  }

  private forget(tabId: number): void {
    this.attached.delete(tabId);
    this.limiter.forget(tabId);
    this.dialogs.forget(tabId);
    this.claims.update(tabId, { debugger_attached: false });
  }
}

/** Waits for the attachment as long as one may take. What comes of it later is there for the next command. */
function untilAttached(attachment: Promise<void>): Promise<void> {
  return withTimeout(API_TIMEOUT_MS, "chrome.debugger.attach", attachment).catch((error: unknown) => {
    throw error instanceof Fault && error.data.code === "runtime_not_ready" ? unavailable(error.data.message) : error;
  });
}

function refusedByUser(dispatched: "no" | "unknown"): Fault {
  return Fault.new("debugger_unavailable", "the user ended debugging in the browser and has not let agents go on", { dispatched });
}

function unavailable(message: string): Fault {
  return Fault.new("debugger_unavailable", message, { dispatched: "no" });
}

/** Converts a command's error, which Chrome puts as JSON into the exception's message. */
function commandFault(method: string, error: unknown, ofTab: boolean): Fault {
  if (error instanceof Fault) return Fault.pass({ ...error.data, dispatched: "unknown" });
  const text = textOf(error);
  if (NOT_ATTACHED.test(text)) return unavailable(text);
  const { code, message } = cdpError(text);
  if (code === NO_SUCH_METHOD) return Fault.new("capability_unavailable", message, { dispatched: "no", evidence: { method } });
  if (ofTab && DETACHED.test(message)) {
    return Fault.new("debugger_unavailable", `the browser ended debugging during ${method}: the tab may show a PDF or another part that no extension may debug`, {
      dispatched: "unknown",
      evidence: { method },
      next_step: "Go on without real input and pictures on this page, or open another one.",
    });
  }
  return Fault.new("handler_failed", `${method}: ${message}`, {
    dispatched: "unknown",
    evidence: code === undefined ? { method } : { method, cdp_code: code },
  });
}

function cdpError(text: string): { code?: number; message: string } {
  try {
    const { code, message } = JSON.parse(text) as { code?: unknown; message?: unknown };
    if (typeof code === "number" && typeof message === "string") return { code, message };
  } catch {
    // Not JSON: the text is the message.
  }
  return { message: text };
}
