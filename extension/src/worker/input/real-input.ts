// Rule of this file: real input is sent step by step under one hold,
// and each step only after the documents it is for have confirmed that their target
// is where it was. What is pressed is released however the input ends.

import type { ActionCallOutput, InputCommand, InputEnd, InputSeen, InputSend, InputSent, InputStep } from "../../protocol";
import type { SeenMessage } from "../../page/base/worker-messages";
import type { DebuggerOwner } from "../debugger/debugger";
import { CHANNEL_CLOSED, hasNoReceiver } from "../page/inject";
import { pause, unlessCancelled, withTimeout } from "../shared/async";
import { Fault, textOf } from "../shared/fault";
import type { Claims } from "../tabs/claims";
import type { Documents } from "../tabs/documents";
import type { Hold, Holds } from "./hold";

/** A live document answers in about a millisecond. */
const CHECK_TIMEOUT_MS = 1_500;
/** A run is ended if the host sends nothing more for this long. */
const IDLE_TIMEOUT_MS = 5_000;
/** The report of a document that just went away is on its way this long. */
const SEEN_TIMEOUT_MS = 300;
const MAX_SEEN = 50;
/** A live page takes a release in a millisecond; one that shows a dialog takes it later. */
const RELEASE_TIMEOUT_MS = 1_000;

/** What a document reports before a step if its target is not where it was. */
export interface CheckFailure {
  code: "target_moved" | "focus_moved";
  message: string;
  evidence: Record<string, unknown>;
}

/** A hold that outlives its first request. */
interface Run {
  hold: Hold;
  device: InputSend["device"];
  /** The commands that release all that is pressed now. */
  release: readonly InputCommand[];
  idle?: ReturnType<typeof setTimeout>;
}

/** What is known of a run that is a part of one message with its preparation. */
export interface Expected {
  prepared?: ActionCallOutput;
  /** A step was begun. */
  begun?: true;
  /** The host has given it up: no step begins any more. */
  ended?: true;
}

/** Sends real input to claimed tabs. */
export class RealInput {
  private readonly runs = new Map<string, Run>();
  /** Runs that have ended and whose releases are under way. */
  private readonly finishing = new Map<string, Promise<void>>();
  /** The last holds. Only the documents that one is for report what they received. */
  private readonly known = new Map<string, Hold>();
  private readonly seen = new Map<string, InputSeen>();
  private readonly expected = new Map<string, Expected>();
  /** The last ones whose messages are over: the host may still send their input, and ask for them. */
  private readonly performed = new Map<string, Expected>();
  private readonly waiting = new Map<string, () => void>();

  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
    private readonly owner: DebuggerOwner,
    private readonly holds: Holds,
  ) {}

  /** Does the work that prepares the target of a run and sends it: until it is over the run is known, and for a while after. */
  async expecting<T>(id: string, work: (expected: Expected) => Promise<T>): Promise<T> {
    const expected: Expected = {};
    this.expected.set(id, expected);
    try {
      return await work(expected);
    } finally {
      this.expected.delete(id);
      this.performed.set(id, expected);
      forgetOldest(this.performed);
    }
  }

  private expectedRun(id: string): Expected | undefined {
    return this.expected.get(id) ?? this.performed.get(id);
  }

  async send(call: InputSend, signal: AbortSignal): Promise<InputSent> {
    this.claims.demand(call.tab_id);
    const expected = this.expectedRun(call.hold.id);
    const docWatch = this.watchDocument(call.tab_id);
    let commands = 0;
    const whileCurrent = <T>(work: Promise<T>): Promise<T> => unlessCancelled(signal, Promise.race([work, docWatch.replaced]));
    const beginning = this.begin(call);
    try {
      const run = await whileCurrent(beginning);
      for (const [step, end] of pairSteps(call.steps)) {
        if (step.wait_ms) await unlessCancelled(signal, pause(step.wait_ms));
        // Without other documents none can take the input.
        if (step.settle || (step.check && run.hold.hasOtherDocuments)) {
          await whileCurrent(run.hold.newDocumentsHeld);
          if (run.device === "keys") {
            // What the page does with the last key comes first, its messages to other documents too; then what those do.
            if (commands > 0) await whileCurrent(this.check(run.hold, "key"));
            await whileCurrent(run.hold.waitForOthers());
          }
          await whileCurrent(this.check(run.hold, step.settle ? "move" : undefined));
        }
        if (expected?.ended) throw Fault.new("cancelled", "the caller gave the input up", { dispatched: "no" });
        if (expected) expected.begun = true;
        await unlessCancelled(signal, this.sendStep(call, run, step, end, () => commands++));
      }
      if (call.more) run.idle = setTimeout(() => void this.finish(call.hold.id), IDLE_TIMEOUT_MS);
      else await unlessCancelled(signal, this.finish(call.hold.id));
      return { commands };
    } catch (error) {
      const { data } = faultOf(error);
      void beginning.then(() => this.finish(call.hold.id), () => {});
      // What came before the failure has reached the page.
      throw Fault.pass({ ...data, ...(commands > 0 && { dispatched: "yes" }), evidence: { ...data.evidence, commands } });
    } finally {
      docWatch.stop();
    }
  }

  /** Returns a promise that rejects when the tab shows another document or is released: the old document may never answer. */
  private watchDocument(tabId: number): { replaced: Promise<never>; stop(): void } {
    let fail: (why: Fault) => void = () => {};
    const replaced = new Promise<never>((_, reject) => (fail = reject));
    replaced.catch(() => {}); // it may fail after the last wait
    const stop = this.documents.watch((id, event) => {
      if (id !== tabId) return;
      if (event.kind === "replaced") fail(documentReplaced());
      if (event.kind === "released") fail(Fault.new("tab_not_claimed", "the tab was taken back or closed while input was sent", { dispatched: "no" }));
    });
    return { replaced, stop };
  }

  /** Ends a run that the host gives up, and returns the input that its documents received. */
  async end({ hold_id }: InputEnd): Promise<InputSeen> {
    const expected = this.expectedRun(hold_id);
    if (expected) expected.ended = true;
    const finished = this.finish(hold_id);
    const tabId = this.known.get(hold_id)?.tabId;
    // A page that shows a dialog takes the release after it.
    if (tabId === undefined || this.claims.stateOf(tabId).dialog === undefined) await finished;
    const unsent = expected !== undefined && !expected.begun;
    if (!unsent && !this.seen.has(hold_id)) {
      const reported = new Promise<void>((resolve) => this.waiting.set(hold_id, resolve));
      await Promise.race([reported, pause(SEEN_TIMEOUT_MS)]);
      this.waiting.delete(hold_id);
    }
    return { ...(this.seen.get(hold_id) ?? { events: [], count: 0 }), ...(unsent && { unsent }), ...(expected?.prepared && { prepared: expected.prepared }) };
  }

  /** Reports whether the message is of a document that a hold is for. */
  handles(message: unknown, sender: chrome.runtime.MessageSender): message is SeenMessage {
    const { kind, hold, events, count } = (message ?? {}) as Record<string, unknown>;
    const formed = typeof hold === "string" && Array.isArray(events) && events.every((event) => typeof event === "string") && Number.isInteger(count);
    const known = formed && this.known.get(hold);
    if (kind !== "input_seen" || !known || sender.id !== chrome.runtime.id || sender.tab?.id !== known.tabId) return false;
    return sender.documentId === undefined || known.targets.includes(sender.documentId);
  }

  receive({ hold, events, count }: SeenMessage): void {
    const known = this.seen.get(hold);
    this.seen.set(hold, { events: [...new Set([...(known?.events ?? []), ...events])], count: Math.max(count, known?.count ?? 0) });
    this.waiting.get(hold)?.();
    forgetOldest(this.seen);
  }

  /** Returns the run of the call, and begins it if it is new. */
  private async begin(call: InputSend): Promise<Run> {
    const known = this.runs.get(call.hold.id);
    clearTimeout(known?.idle);
    if (known) return known;
    const run: Run = { hold: await this.holds.begin(call), device: call.device, release: [] };
    this.runs.set(call.hold.id, run);
    this.known.set(call.hold.id, run.hold);
    forgetOldest(this.known);
    return run;
  }

  /** Releases what is pressed; the hold ends after that, without being waited for. */
  private finish(id: string): Promise<void> {
    const run = this.runs.get(id);
    if (run) {
      this.runs.delete(id);
      clearTimeout(run.idle);
      this.finishing.set(id, this.release(run).finally(() => this.finishing.delete(id)));
    }
    return this.finishing.get(id) ?? Promise.resolve();
  }

  private async release(run: Run): Promise<void> {
    // Where another document has the focus, or has taken it before, the release of a key could go there.
    const mayRelease = run.release.length > 0 && (run.device === "pointer" || (await this.hasFocus(run.hold)));
    // A page that shows a dialog gets it after the dialog; a closed tab does not need it.
    const released = (mayRelease ? run.release : []).map(({ method, params }) => this.owner.command({ tab_id: run.hold.tabId, method, params }).catch(() => {}));
    if (released.length > 0) await Promise.race([Promise.all(released), pause(RELEASE_TIMEOUT_MS)]);
    void this.holds.end(run.hold);
  }

  /**
   * Sends the commands of a step, and of the one that ends it, together. The first failure of the step is what it
   * throws: a page that has gone away refuses the end, too. Commands refused before sending have pressed or released nothing.
   */
  private async sendStep(call: InputSend, run: Run, step: InputStep, end: InputStep | undefined, done: () => void): Promise<void> {
    const before = run.release;
    const send = ({ method, params }: InputCommand): Promise<void> => this.owner.command({ tab_id: call.tab_id, origin: call.origin, method, params }).then(done);
    const sent = Promise.allSettled(step.commands.map(send));
    const ended = Promise.allSettled(end?.commands.map(send) ?? []);
    run.release = (end ?? step).release ?? [];
    const [outcomes, ends] = await Promise.all([sent, ended]);
    if (outcomes.every(wasRefused)) run.release = before;
    else if (end && ends.every(wasRefused)) run.release = step.release ?? [];
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }

  private async hasFocus(hold: Hold): Promise<boolean> {
    const [documentId = ""] = hold.targets;
    const answer = chrome.tabs.sendMessage(hold.tabId, { kind: "has_focus", id: hold.id }, { documentId });
    return withTimeout(CHECK_TIMEOUT_MS, "the page", answer as Promise<boolean>).then((has) => has === true, () => false);
  }

  /** Asks the documents whether their targets are where they were, after they have handled the last key or move. */
  private async check(hold: Hold, after?: "key" | "move"): Promise<void> {
    for (const documentId of [...hold.holders, ...hold.targets]) {
      const question = chrome.tabs.sendMessage(hold.tabId, { kind: "check_input", id: hold.id, ...(after && { after }) }, { documentId });
      const failure = await withTimeout(CHECK_TIMEOUT_MS, "the page", question as Promise<CheckFailure | null | undefined>, "handler_timeout");
      if (failure) throw Fault.new(failure.code, failure.message, { dispatched: "no", evidence: failure.evidence });
    }
  }
}

function forgetOldest(all: Map<string, unknown>): void {
  for (const oldest of all.keys()) if (all.size > MAX_SEEN) all.delete(oldest);
}

const wasRefused = (outcome: PromiseSettledResult<void>): boolean =>
  outcome.status === "rejected" && outcome.reason instanceof Fault && outcome.reason.data.dispatched === "no";

/** Yields the steps, each with the optional one after it, which is sent before a page can have answered the first. */
function* pairSteps(steps: readonly InputStep[]): Generator<[InputStep, InputStep | undefined]> {
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as InputStep;
    const end = steps[i + 1]?.optional ? steps[++i] : undefined;
    yield [step, end];
  }
}

const documentReplaced = (): Fault => Fault.new("runtime_replaced", "the document went away before the input was sent", { dispatched: "no" });

/** Converts a failure before the input was sent to a Fault. */
function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return Fault.pass({ dispatched: "no", ...error.data });
  return hasNoReceiver(error) || CHANNEL_CLOSED.test(textOf(error)) ? documentReplaced() : Fault.of(error);
}
