// Rule of this file: it is the only user of chrome.debugger. It attaches at the
// first command, stays attached because attaching costs time and moves the
// page, and detaches only what it attached itself.

import type { DebuggerCommand, DebuggerResult } from "../protocol";
import { asked, within } from "./bounded";
import type { Claims } from "./claims";
import type { Dialogs } from "./dialogs";
import type { Documents } from "./documents";
import { Fault, report, textOf } from "./fault";
import type { Inputs } from "./inputs";
import type { Link } from "./port";
import { noSuchTab } from "./tabs";
import { originOf } from "./urls";

const VERSION = "1.3";
/** Longer than any call may take; the host's own limits cancel earlier. */
const COMMAND_LIMIT_MS = 180_000;

/** A page that is alive switches its Page domain on in a millisecond; a crashed one never does. */
const ENABLE_LIMIT_MS = 1_000;

/** CDP's number for a method that does not exist or is closed to extensions. */
const NO_SUCH_METHOD = -32601;

/** Chrome's words for a tab that it does not debug. */
const NOT_ATTACHED = /debugger is not attached/i;

/** Chrome's reason when the user ends debugging from the browser's bar. */
const BY_USER = "canceled_by_user";

/** The one owner of the debugger. */
export class DebuggerOwner {
  private readonly attached = new Map<number, Promise<void>>();

  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
    private readonly dialogs: Dialogs,
    private readonly link: Link,
    private readonly inputs: Inputs,
  ) {}

  /** Runs one command. Commands that come together are sent together and in order. */
  async command(call: DebuggerCommand): Promise<DebuggerResult> {
    const { tab_id: tabId, method } = call;
    this.claims.demand(tabId);
    const attachment = this.attach(tabId);
    await attachment;
    if (call.origin !== undefined) await this.demandOrigin(tabId, call.origin);
    this.claims.demand(tabId); // attaching takes time in which the user may have released the tab
    const target: chrome.debugger.DebuggerSession = { tabId };
    if (call.session_id !== undefined) target.sessionId = call.session_id;
    try {
      const sent = this.inputs.during(tabId, method, () => chrome.debugger.sendCommand(target, method, call.params));
      const result = await within(COMMAND_LIMIT_MS, method, sent, "handler_timeout");
      return { result: (result ?? {}) as Record<string, unknown> };
    } catch (error) {
      if (NOT_ATTACHED.test(textOf(error))) this.lost(tabId, attachment);
      throw commandFault(method, error);
    }
  }

  /** It ended without a word: the next command attaches anew, and the host hears that nothing is switched on any more. */
  private lost(tabId: number, attachment: Promise<void>): void {
    if (this.attached.get(tabId) !== attachment) return; // it was noticed, and another may be there already
    this.forget(tabId);
    this.link.notify("debugger_detached", { tab_id: tabId, reason: "not_attached" });
  }

  /**
   * Attaches ahead of a call that acts, so that a dialog which the page answers
   * with is announced and waits. Without a debugger the call goes on without.
   */
  async watch(tabId: number): Promise<void> {
    try {
      await this.attach(tabId);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
  }

  /** The host no longer needs the debugger, or the claim has ended. */
  async detach(tabId: number): Promise<void> {
    const attaching = this.attached.get(tabId);
    if (!attaching) return;
    this.forget(tabId);
    await attaching.catch(() => {}); // its caller was told
    await this.drop(tabId);
  }

  /**
   * Ends what an earlier life of this worker attached: its host is gone, and
   * what that one had switched on, such as paused requests, would stay on.
   */
  async cleanUp(): Promise<void> {
    for (const tabId of this.claims.ids()) {
      if (!this.claims.notesOf(tabId).debugger_attached || this.attached.has(tabId)) continue;
      if (this.dialogs.open(tabId)) {
        // Nobody could answer the dialog any more: this one attachment is taken over.
        this.attached.set(tabId, Promise.resolve());
        continue;
      }
      this.claims.note(tabId, { debugger_attached: false });
      await this.drop(tabId);
    }
  }

  /** A CDP event of an attached tab. */
  event(source: chrome.debugger.DebuggerSession, method: string, params: object | undefined): void {
    const tabId = source.tabId;
    if (tabId === undefined || !this.attached.has(tabId) || !this.claims.has(tabId)) return;
    const event = { tab_id: tabId, method, params: (params ?? {}) as Record<string, unknown> };
    if (source.sessionId === undefined) this.dialogs.see(tabId, method, event.params);
    this.link.notify("debugger_event", source.sessionId === undefined ? event : { ...event, session_id: source.sessionId });
  }

  /** The browser or the user ended it. */
  detached(source: chrome.debugger.Debuggee, reason: string): void {
    const tabId = source.tabId;
    if (tabId === undefined || !this.claims.has(tabId)) return;
    this.forget(tabId);
    if (reason === BY_USER) this.claims.note(tabId, { debugger_refused: true });
    this.link.notify("debugger_detached", { tab_id: tabId, reason });
  }

  /** Refuses a command for a page that has gone to another origin meanwhile. */
  private async demandOrigin(tabId: number, origin: string): Promise<void> {
    const runtime = this.documents.current(tabId) ?? (await this.documents.refresh(tabId));
    if (runtime && originOf(runtime.url) === origin) return;
    throw Fault.new("state_mismatch", "the tab shows a page of another origin now", {
      dispatched: "no",
      evidence: { origin, current_origin: originOf(runtime?.url ?? "") },
    });
  }

  private attach(tabId: number): Promise<void> {
    const under = this.attached.get(tabId);
    if (under) return under;
    const attaching = this.open(tabId).catch((error: unknown) => {
      if (this.attached.get(tabId) === attaching) this.attached.delete(tabId);
      throw error;
    });
    this.attached.set(tabId, attaching);
    return attaching;
  }

  private async open(tabId: number): Promise<void> {
    if (this.claims.notesOf(tabId).debugger_refused) {
      throw unavailable("the user ended debugging of this tab; a new claim of the tab allows it again");
    }
    try {
      await asked("chrome.debugger.attach", chrome.debugger.attach({ tabId }, VERSION));
    } catch (error) {
      const message = textOf(error);
      if (/^cannot (access|attach)/i.test(message)) throw Fault.new("restricted_page", message, { dispatched: "no" });
      if (noSuchTab(error)) throw Fault.new("runtime_not_found", message, { dispatched: "no" });
      throw unavailable(message);
    }
    this.claims.note(tabId, { debugger_attached: true });
    // The claim may have ended meanwhile, and then nobody else would detach.
    if (!this.claims.has(tabId)) return this.drop(tabId);
    await this.announceDialogs(tabId);
  }

  /** Only while the Page domain is on does a dialog wait for an answer and make an event. */
  private async announceDialogs(tabId: number): Promise<void> {
    try {
      await within(ENABLE_LIMIT_MS, "Page.enable", chrome.debugger.sendCommand({ tabId }, "Page.enable"));
    } catch (error) {
      report(`The dialogs of tab ${tabId} are not announced`, error);
    }
  }

  private async drop(tabId: number): Promise<void> {
    try {
      await asked("chrome.debugger.detach", chrome.debugger.detach({ tabId }));
    } catch (error) {
      // A closed tab or an ended session needs no detaching.
      if (!noSuchTab(error) && !/not attached/i.test(textOf(error))) throw error;
    }
  }

  private forget(tabId: number): void {
    this.attached.delete(tabId);
    this.dialogs.forget(tabId);
    this.claims.note(tabId, { debugger_attached: false });
  }
}

function unavailable(message: string): Fault {
  return Fault.new("debugger_unavailable", message, { dispatched: "no" });
}

/** Chrome gives a command's error as JSON in the text of the exception. */
function commandFault(method: string, error: unknown): Fault {
  if (error instanceof Fault) return Fault.pass({ ...error.data, dispatched: "unknown" });
  const text = textOf(error);
  if (NOT_ATTACHED.test(text)) return unavailable(text);
  const { code, message } = cdpError(text);
  if (code === NO_SUCH_METHOD) return Fault.new("capability_unavailable", message, { dispatched: "no", evidence: { method } });
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
