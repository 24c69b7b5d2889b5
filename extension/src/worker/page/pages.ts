// Rule of this file: one call of a page primitive goes to one document, at most
// once. It is sent again only when Chrome reports that no listener got it; once it
// may have arrived, a lost answer is reported as lost.

import type { LeavingMessage } from "../../page/base/worker-messages";
import type { EnterAnswer } from "../../page/frames/queries";
import type { ActionCall, ActionCallOutput, ErrorData, MetTarget } from "../../protocol";
import { definitions } from "../connection/validators";
import type { DebuggerOwner } from "../debugger/debugger";
import type { CallTarget, Frames } from "../frames/frames";
import type { InputTracker } from "../input/inputs";
import { cancelledFault, pause } from "../shared/async";
import { Fault, report, textOf } from "../shared/fault";
import { originOf, restricted } from "../shared/urls";
import type { Claims } from "../tabs/claims";
import type { Documents, Runtime } from "../tabs/documents";
import { browserTab, noSuchTab } from "../tabs/tabs";
import { CHANNEL_CLOSED, hasNoReceiver, inject, restrictedPage, type Injector } from "./inject";
import type { DocumentPorts } from "./ports";

/** A message from the worker to a content script. */
export type PageMessage =
  | { kind: "action"; call_id: string; name: string; arguments: Record<string, unknown>; timeout_ms: number; met?: boolean; frame?: CallTarget["frame"]; shown?: string; shown_argument?: string }
  | { kind: "cancel"; call_id: string }
  | { kind: "hello" };

/** The content script enforces the timeout itself; this is added for one that cannot. */
const GRACE_TIMEOUT_MS = 250;
/** An answer that was under way when the document was replaced arrives within this time. */
const LATE_ANSWER_TIMEOUT_MS = 500;
/** What a document said before it went arrives within this time after its port was closed. */
const LEAVING_TIMEOUT_MS = 100;
/** The scripts that a primitive needs beside the content script, which leaves out what few documents need. */
const MORE_SCRIPTS: Record<string, string> = { "page.read": "reader.js" };
/** No page made for people nests its frames deeper. */
const MAX_DEPTH = 10;

/** Runs primitives in the documents of claimed tabs. */
export class Pages {
  /** The calls under way, by their ids. */
  private readonly underWay = new Map<string, { document_id: string; leaves(answer: unknown): void }>();

  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
    private readonly injector: Injector,
    private readonly owner: DebuggerOwner,
    private readonly frames: Frames,
    private readonly inputs: InputTracker,
    private readonly ports: DocumentPorts,
  ) {}

  async call(call: ActionCall, signal: AbortSignal): Promise<ActionCallOutput> {
    this.claims.demand(call.tab_id);
    const limit = Date.now() + call.timeout_ms;
    if (call.acts) await this.owner.attachIfPossible(call.tab_id);
    for (let attempt = 1; ; attempt++) {
      const runtime = await this.target(call);
      if (!runtime.ready) await this.ensureScript(call, runtime, limit, signal);
      try {
        return await this.run(call, runtime, limit, signal);
      } catch (error) {
        if (!hasNoReceiver(error)) throw lostAnswer(error);
        this.injector.onScriptMissing(runtime);
        if (attempt === 2) {
          throw Fault.new("runtime_not_ready", "the content script does not listen", { dispatched: "no" });
        }
        await this.documents.refresh(call.tab_id);
      }
    }
  }

  /** Runs the call in the document where it starts, and in the frames that it leads into. */
  private async run(call: ActionCall, runtime: Runtime, limit: number, signal: AbortSignal): Promise<ActionCallOutput> {
    const permit = (origin: string): void => demandFrameOrigin(call, origin);
    let target: CallTarget = { document_id: runtime.id, url: runtime.url, origin: originOf(runtime.url) };
    if (call.document_id !== undefined) target = await this.frames.targetOf(call.tab_id, call.document_id, permit);
    const script = MORE_SCRIPTS[call.name];
    if (script) await inject({ tabId: call.tab_id, documentIds: [target.document_id] }, script);
    for (let depth = 0; ; depth++) {
      const answer = await this.send(call, target, limit, signal);
      const enter = enterOf(answer);
      if (!enter || depth === MAX_DEPTH) {
        const output = outputOf(answer);
        const met = metOf(answer);
        return { output, ...(met && { target: met }), runtime_id: runtime.id, url: target.url, origin: target.origin, ...(target.frame && { document_id: target.document_id }) };
      }
      target = await this.frames.enter(call.tab_id, target, enter, permit);
    }
  }

  /** Returns the document that the call is for: the one it names, or the tab's current one. */
  private async target(call: ActionCall): Promise<Runtime> {
    let runtime = this.documents.current(call.tab_id);
    if (!runtime || (call.runtime_id !== undefined && runtime.id !== call.runtime_id)) {
      runtime = await this.documents.refresh(call.tab_id);
    }
    if (!runtime) throw await this.noDocument(call.tab_id);
    if (call.runtime_id !== undefined && runtime.id !== call.runtime_id) {
      throw Fault.new("runtime_not_found", "the tab shows another document now", {
        dispatched: "no",
        evidence: { runtime_id: call.runtime_id, current_runtime_id: runtime.id },
      });
    }
    if (restricted(runtime.url)) throw restrictedPage(runtime.url);
    // A document keeps its origin for life: the check still holds when the message arrives.
    if (call.origin !== undefined && originOf(runtime.url) !== call.origin) {
      throw Fault.new("state_mismatch", "the tab shows a page of another origin now", {
        dispatched: "no",
        evidence: { origin: call.origin, current_origin: originOf(runtime.url) },
      });
    }
    return runtime;
  }

  /** Browser pages have no document that an extension can see. */
  private async noDocument(tabId: number): Promise<Fault> {
    try {
      const { url = "" } = await browserTab(tabId);
      if (restricted(url)) return restrictedPage(url);
      return Fault.new("runtime_not_ready", "the tab shows no document yet", { dispatched: "no" });
    } catch (error) {
      return Fault.of(error);
    }
  }

  /** Waits for the content script, but no longer than the call may take. */
  private async ensureScript(call: ActionCall, runtime: Runtime, limit: number, signal: AbortSignal): Promise<void> {
    const wait = guard(limit - Date.now(), signal);
    try {
      await Promise.race([this.injector.ensure(call.tab_id, runtime), wait.ended]);
    } catch (error) {
      const data = Fault.of(error).data;
      throw Fault.pass({ ...data, dispatched: "no" });
    } finally {
      wait.stop();
    }
  }

  private async send(call: ActionCall, target: CallTarget, limit: number, signal: AbortSignal): Promise<unknown> {
    const { call_id, name, shown, shown_argument } = call;
    this.claims.demandStill(call.tab_id, signal);
    const timeout_ms = Math.max(1, limit - Date.now());
    const wait = guard(timeout_ms + GRACE_TIMEOUT_MS, signal);
    const unwatch = this.documents.watch((tabId, event) => {
      if (tabId !== call.tab_id) return;
      if (event.kind === "replaced") wait.endSoon(LATE_ANSWER_TIMEOUT_MS, replaced());
      if (event.kind === "released") wait.endSoon(0, released()); // the user wants it to end now
    });
    const message: PageMessage = { kind: "action", call_id, name, arguments: call.arguments, timeout_ms, ...(target.frame && { frame: target.frame }), ...(call.met && { met: true }), ...(shown && { shown }), ...(shown_argument && { shown_argument }) };
    let leaving: unknown;
    this.underWay.set(call_id, { document_id: target.document_id, leaves: (answer) => (leaving = answer) });
    try {
      return await this.inputs.track(call.tab_id, name, () => Promise.race([this.post(call.tab_id, target, message), wait.ended]));
    } catch (error) {
      if (lostAnswer(error).data.code === "runtime_replaced") {
        if (leaving === undefined && call.acts) await pause(LEAVING_TIMEOUT_MS);
        if (leaving !== undefined) return leaving;
      }
      if (error instanceof Fault) this.cancel(call, target);
      if (target.frame && hasNoReceiver(error)) this.frames.scripts.onScriptMissing(target.document_id);
      throw error;
    } finally {
      this.underWay.delete(call_id);
      unwatch();
      wait.stop();
    }
  }

  /** Reports whether the message is of a content script that runs a call. */
  handles(message: unknown, { id, documentId }: chrome.runtime.MessageSender): message is LeavingMessage {
    const { kind, call_id } = (message ?? {}) as Partial<LeavingMessage>;
    return kind === "leaving" && id === chrome.runtime.id && call_id !== undefined && documentId !== undefined && this.underWay.get(call_id)?.document_id === documentId;
  }

  /** Takes what the answer to a call is if its document goes away without another one. */
  receive({ call_id, answer }: LeavingMessage): void {
    this.underWay.get(call_id)?.leaves(answer);
  }

  /** Stops a call in the page that has no caller any longer. */
  private cancel(call: ActionCall, target: CallTarget): void {
    this.post(call.tab_id, target, { kind: "cancel", call_id: call.call_id }).catch((error: unknown) => {
      // A document that is gone needs no cancelling.
      if (!hasNoReceiver(error) && !noSuchTab(error) && !CHANNEL_CLOSED.test(textOf(error))) {
        report("A page call was not cancelled", error);
      }
    });
  }

  private post(tabId: number, target: CallTarget, message: PageMessage): Promise<unknown> {
    return this.ports.send(tabId, target.document_id, message);
  }
}

/** Returns a promise that never resolves: it rejects at the timeout, on cancellation, or after endSoon. */
function guard(ms: number, signal: AbortSignal): { ended: Promise<never>; endSoon(ms: number, why: Fault): void; stop(): void } {
  const timers: ReturnType<typeof setTimeout>[] = [];
  let fail: (why: Fault) => void = () => {};
  const ended = new Promise<never>((_, reject) => (fail = reject));
  ended.catch(() => {}); // it may fail after the race is over
  const endSoon = (delay: number, why: Fault): void => void timers.push(setTimeout(() => fail(why), delay));
  const cancel = (): void => fail(cancelledFault("unknown"));
  endSoon(Math.max(0, ms), Fault.new("handler_timeout", "the page did not answer in time", { dispatched: "unknown" }));
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel, { once: true });
  const stop = (): void => {
    timers.forEach(clearTimeout);
    signal.removeEventListener("abort", cancel);
  };
  return { ended, endSoon, stop };
}

function replaced(): Fault {
  return Fault.new("runtime_replaced", "the document went away before it answered", { dispatched: "unknown" });
}

function released(): Fault {
  return Fault.new("tab_not_claimed", "the tab was taken back or closed while the call ran", { dispatched: "unknown" });
}

/** Converts a failure after the message was sent to a Fault. */
function lostAnswer(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const message = textOf(error);
  if (noSuchTab(error)) return Fault.new("runtime_not_found", message, { dispatched: "no" });
  if (CHANNEL_CLOSED.test(message)) return replaced();
  return Fault.new("outcome_unknown", message, { dispatched: "unknown" });
}

/** Throws unless policy has decided for the origin of the frame's document. */
function demandFrameOrigin(call: ActionCall, origin: string): void {
  if (call.origin === undefined || call.origin === origin || call.frame_origins?.includes(origin)) return;
  throw Fault.new("frame_origin_undecided", `the frame belongs to ${origin}, for which nothing was decided`, {
    dispatched: "no",
    evidence: { origin },
  });
}

/** Returns where the call continues when the content script reached a frame that it cannot enter. */
function enterOf(answer: unknown): EnterAnswer | undefined {
  return (answer as { enter?: EnterAnswer } | null | undefined)?.enter;
}

/** Returns what the content script says of the target: no more than its form allows. */
function metOf(answer: unknown): MetTarget | undefined {
  const target = (answer as { target?: unknown } | null | undefined)?.target;
  return definitions["MetTarget"]?.(target) ? (target as MetTarget) : undefined;
}

/** Returns the output in a content script's answer, which is untrusted like the page it runs in. */
function outputOf(answer: unknown): unknown {
  // Chrome answers undefined when the document went away without an answer.
  if (answer === undefined || answer === null) throw replaced();
  const { ok, output, error } = answer as { ok?: unknown; output?: unknown; error?: unknown };
  if (ok === true && output !== undefined) return output;
  if (ok === false && definitions["ErrorData"]?.(error)) throw Fault.pass(error as ErrorData);
  throw Fault.new("invalid_result", "the content script answered in a form it must not", { dispatched: "yes" });
}
