// Rule of this file: while real input is being sent, the frames that it was not
// allowed for get neither the pointer nor the focus. They are held before the
// input is sent, in three places: by a user style sheet in the documents
// around them, which no page can override; by a shield in their own documents;
// and by one in every document that comes meanwhile. A hold always ends: with
// its input, after a timeout, or when the worker restarts.

import type { InputSend } from "../../protocol";
import type { DebuggerOwner } from "../debugger/debugger";
import type { Frames } from "../frames/frames";
import { FrameTree, isInside, type Doc } from "../frames/tree";
import { FRAMES, insertSheet, removeSheet, run, type Target } from "../page/scripting";
import { withTimeout } from "../shared/async";
import { Fault } from "../shared/fault";
import { originOf } from "../shared/urls";
import type { Claims } from "../tabs/claims";
import { demandOrigin, type Documents } from "../tabs/documents";
import { waitUntilDrawn } from "./drawn";
import { liftEvent, lowerShield, raiseShield, shieldSource } from "./shield";

/** A live frame answers in a few milliseconds, on a busy machine much later. One that does not is held by its ancestors all the same. */
const ANSWER_TIMEOUT_MS = 1_000;
/** A shield that is not lifted ends by itself; longer than any input between two renewals. */
const SHIELD_TTL_MS = 10_000;
/** For documents that come while the input lasts. */
const NEW_DOCUMENT_SHIELD_TTL_MS = 2_000;
/** A document that the browser has begun to show is committed by then. */
const ARRIVAL_TIMEOUT_MS = 500;
/** A document that began to load during the input may come this much later. */
const LATE_DOCUMENT_TTL_MS = 3_000;
const MAX_ORIGINS = 1_000;

/**
 * Frames marked p take pointer and focus, those marked f the focus only. A transition would
 * keep the old value: it comes before all sheets.
 */
function sheetOf(device: InputSend["device"], mark: string): string {
  return device === "pointer"
    ? `${FRAMES}:not([${mark}="p"]) { pointer-events: none !important; transition-property: none !important; }`
    : `${FRAMES}:not([${mark}="p"], [${mark}="f"]) { interactivity: inert !important; transition-property: none !important; }`;
}

/** For a held document itself: nothing in it can take the focus. */
const INERT = "* { interactivity: inert !important; }";

/** A hold as stored for the next run of the worker. */
export interface SavedHold {
  id: string;
  sheet: string;
}

/** Holds the frames of claimed tabs, one hold per tab. */
export class Holds {
  private readonly ended = new Map<number, { id: string; at: number }>();
  private readonly ending = new Map<number, Promise<void>>();
  private readonly active = new Map<number, Hold>();

  constructor(
    private readonly claims: Claims,
    private readonly owner: DebuggerOwner,
    private readonly frames: Frames,
    private readonly documents: Documents,
  ) {}

  /** Holds all frames of the tab that the input was not allowed for. */
  async begin(call: InputSend): Promise<Hold> {
    await this.ending.get(call.tab_id);
    const hold = new Hold(call, this.frames, (saved) => this.claims.update(call.tab_id, { hold: saved }));
    this.active.set(call.tab_id, hold);
    hold.script = this.owner
      .command({
        tab_id: call.tab_id, method: "Page.addScriptToEvaluateOnNewDocument",
        params: { source: shieldSource(liftEvent(hold.id), NEW_DOCUMENT_SHIELD_TTL_MS), worldName: "actions-host.shield" },
      })
      .then(({ result }) => String(result["identifier"]));
    try {
      await Promise.all([hold.script, hold.install()]);
      // A document whose load began before the script was registered comes without it.
      await this.documents.waitForPending(hold.tabId, ARRIVAL_TIMEOUT_MS);
      return hold;
    } catch (error) {
      await this.end(hold);
      throw error;
    }
  }

  /** Ends the hold. Documents that cannot be reached any more are skipped. */
  end(hold: Hold): Promise<void> {
    const ending = this.remove(hold).finally(() => {
      if (this.ending.get(hold.tabId) === ending) this.ending.delete(hold.tabId);
    });
    this.ending.set(hold.tabId, ending);
    return ending;
  }

  private async remove(hold: Hold): Promise<void> {
    const { tabId, id } = hold;
    this.active.delete(tabId);
    this.ended.set(tabId, { id, at: Date.now() });
    const remove = (identifier: string): Promise<unknown> =>
      this.owner.command({ tab_id: tabId, method: "Page.removeScriptToEvaluateOnNewDocument", params: { identifier } });
    // If the debugger is detached the script is gone, too.
    await Promise.all([hold.script?.then(remove).catch(() => {}), hold.lift()]);
  }

  /** Handles a new document in the tab, perhaps with the shield of a hold that has ended since. */
  onDocument(tabId: number, documentId: string | undefined): void {
    if (documentId === undefined) return;
    this.active.get(tabId)?.onDocumentAdded();
    const last = this.ended.get(tabId);
    if (!last) return;
    if (Date.now() - last.at > LATE_DOCUMENT_TTL_MS) this.ended.delete(tabId);
    else void run({ tabId, documentIds: [documentId] }, lowerShield, [liftEvent(last.id)]).catch(() => {}); // gone again
  }

  /** Ends the holds of an earlier run of this worker. */
  async cleanUp(): Promise<void> {
    for (const tabId of this.claims.ids()) {
      const saved = this.claims.stateOf(tabId).hold;
      if (!saved) continue;
      await release(tabId, saved);
      this.claims.update(tabId, { hold: undefined });
    }
  }
}

/** Runs in a document: a script overtakes the messages of other windows that wait there, another message does not. */
const handleMessages = (): Promise<void> =>
  new Promise((handled) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => handled();
    port2.postMessage(null);
  });

/** The origins that documents without an address of their own report; they never change. */
const origins = new Map<string, string>();

/** One run of real input and what is held meanwhile. */
export class Hold {
  readonly id: string;
  readonly tabId: number;
  /** The browser's identifier of the script for new documents. */
  script?: Promise<string>;
  /** The documents that the input is for. */
  targets: readonly string[] = [];
  /** Whether the tab has documents that the input was not allowed for. */
  hasOtherDocuments = false;
  private readonly sheet: string;
  private readonly allowedOrigins: readonly string[];
  private others: readonly Doc[] = [];
  /** The documents that hang or are gone. They do nothing, so no key waits for them again. */
  private readonly silent = new Set<string>();
  private restyled: readonly string[] = [];
  private readonly marked: { document_id: string; key: string }[] = [];

  constructor(
    private readonly call: InputSend,
    private readonly frames: Frames,
    private readonly save: (hold: SavedHold | undefined) => void,
  ) {
    this.id = call.hold.id;
    this.tabId = call.tab_id;
    this.sheet = sheetOf(call.device, call.hold.mark);
    this.allowedOrigins = [...(call.origin === undefined ? [] : [call.origin]), ...(call.frame_origins ?? [])];
  }

  /** Installs the sheet, the marks and the shields, where there is anything to hold. */
  install(): Promise<void> {
    const installed = this.holdDocuments();
    this.newDocumentsHeld = installed.catch(() => {}); // whoever waits for it has checks of their own
    return installed;
  }

  private async holdDocuments(): Promise<void> {
    const tree = await FrameTree.of(this.tabId, Infinity);
    const [mainDoc] = tree.docs;
    if (!mainDoc) throw Fault.new("runtime_not_ready", "the tab shows no document yet", { dispatched: "no" });
    demandOrigin(mainDoc.url, this.call.origin);
    this.targets = (this.call.documents ?? [""]).map((id) => id || mainDoc.id);
    const others = await this.otherDocuments(tree.docs);
    this.others = others;
    this.hasOtherDocuments ||= others.length > 0 || tree.hasInaccessible; // one that has come meanwhile has the shield
    if (!this.hasOtherDocuments) return;
    this.save({ id: this.id, sheet: this.sheet });
    const targets = tree.docs.filter((doc) => this.targets.includes(doc.id));
    // Where the tab's own document is the only one that takes the input nothing in it is marked:
    // what is in its frames is out of reach. A target in a frame of its origin is its own, too.
    const sealed = this.call.device === "pointer" && targets.every((doc) => doc === mainDoc) && tree.docs.every((doc) => doc === mainDoc || others.includes(doc));
    const shields = Promise.all(others.map((doc) => this.unlessSilent(doc, () => this.shield(doc))));
    const marks = Promise.all(targets.map((doc) => this.mark(doc, tree.docs)));
    // A frame that the input is for must not lose it even for a moment.
    if (!sealed) await marks;
    // A document that hangs gets no input either; those in it are held by its ancestors.
    const targetsAndAncestors = tree.docs.filter((doc) => targets.some((target) => target === doc || isInside(target, doc.id)));
    const unrelated = sealed ? [] : tree.docs.filter((doc) => !targetsAndAncestors.includes(doc));
    const unrelatedHeld = withTimeout(ANSWER_TIMEOUT_MS, "a frame", Promise.all(unrelated.map((doc) => this.cover(doc)))).catch(() => {});
    await Promise.all(targetsAndAncestors.map((doc) => this.cover(doc)));
    await Promise.all([unrelatedHeld, shields, marks.then((withShadows) => this.restyle(withShadows.flat()))]);
    if (this.call.device !== "pointer") return;
    const showsOthers = (doc: Doc): boolean => others.some((other) => other.parent === doc && other.processId !== doc.processId);
    const drawing = targetsAndAncestors.filter((doc) => showsOthers(doc) || (doc === mainDoc && tree.hasInaccessible));
    if (drawing.length > 0) await waitUntilDrawn(this.tabId, drawing);
  }

  /** Holds a new document, too. Keys that are still to be sent wait for it. */
  onDocumentAdded(): void {
    const before = this.hasOtherDocuments;
    this.hasOtherDocuments = true;
    if (this.call.device !== "keys") return;
    this.newDocumentsHeld = this.newDocumentsHeld.then(() => (before ? this.holdNewDocuments() : this.holdDocuments())).catch(() => {}); // the check before the next key reports what is wrong
  }

  private async holdNewDocuments(): Promise<void> {
    const { docs } = await FrameTree.of(this.tabId, Infinity);
    const added = (await this.otherDocuments(docs)).filter(({ id }) => !this.others.some((known) => known.id === id));
    this.others = [...this.others, ...added];
    await Promise.all(added.map((doc) => this.unlessSilent(doc, () => Promise.all([this.shield(doc), this.cover(doc)]))));
  }

  /** Resolves when all documents that came meanwhile are held. */
  newDocumentsHeld: Promise<void> = Promise.resolve();

  /** Waits until the other documents have handled the messages that they got, such as by taking the focus. */
  async waitForOthers(): Promise<void> {
    await Promise.all(this.others.map((doc) => this.unlessSilent(doc, () => run({ tabId: this.tabId, documentIds: [doc.id] }, handleMessages, []))));
  }

  /** Waits for what a document does, a second at most. */
  private async unlessSilent(doc: Doc, work: () => Promise<unknown>): Promise<void> {
    if (this.silent.has(doc.id)) return;
    await withTimeout(ANSWER_TIMEOUT_MS, "a frame", work()).catch(() => this.silent.add(doc.id));
  }

  /** Returns the documents that the input was not allowed for. */
  private async otherDocuments(docs: readonly Doc[]): Promise<Doc[]> {
    const others = docs.filter((doc) => !this.targets.includes(doc.id));
    const known = await Promise.all(others.map((doc) => this.originOf(doc)));
    return others.filter((_, i) => !this.allowedOrigins.includes(known[i] ?? ""));
  }

  private async originOf(doc: Doc): Promise<string> {
    const origin = originOf(doc.url);
    if (origin !== "null") return origin;
    const known = origins.get(doc.id);
    if (known !== undefined) return known;
    const reported = await withTimeout(ANSWER_TIMEOUT_MS, "a frame", run({ tabId: this.tabId, documentIds: [doc.id] }, () => self.origin, [])).catch(() => undefined);
    if (typeof reported !== "string") return "null";
    if (origins.size >= MAX_ORIGINS) origins.clear();
    origins.set(doc.id, reported);
    return reported;
  }

  /**
   * Has the target's document and those around it mark the frames on the way.
   * Returns the ids of those that have frames in shadow trees.
   */
  private async mark(doc: Doc, docs: readonly Doc[]): Promise<string[]> {
    const frames = docs.some((each) => isInside(each, doc.id));
    const answers = new Map([[doc.id, await this.ask(doc.id, { kind: "hold_input", hold: this.call.hold, device: this.call.device, frames })]]);
    for (let at: Doc | undefined = doc; at?.parent; ) {
      const holder = this.frames.keys.holderOf(this.tabId, at.frameId);
      if (!holder) break; // its frame is in the document that has just been asked
      this.marked.push(holder);
      answers.set(holder.document_id, await this.ask(holder.document_id, { kind: "mark_frame", key: holder.key, mark: this.call.hold.mark, on: true }));
      at = docs.find((each) => each.id === holder.document_id);
    }
    return [...answers].flatMap(([id, answer]) => ((answer as { shadow?: unknown } | undefined)?.shadow === true ? [id] : []));
  }

  /** The documents around targets whose marks let the pointer through. */
  get holders(): readonly string[] {
    return this.call.device === "pointer" ? [...new Set(this.marked.map(({ document_id }) => document_id))] : [];
  }

  /** Makes the inserted sheet apply in shadow trees, which takes another style change there. */
  private async restyle(documentIds: readonly string[]): Promise<void> {
    this.restyled = [...new Set(documentIds)];
    await Promise.all(this.restyled.map((id) => this.ask(id, { kind: "restyle_frames", id: this.id })));
  }

  private async shield(doc: Doc): Promise<void> {
    const target: Target = { tabId: this.tabId, documentIds: [doc.id] };
    const keys = this.call.device === "keys";
    await Promise.all([run(target, raiseShield, [liftEvent(this.id), SHIELD_TTL_MS, keys]), keys && insertSheet(target, INERT)]);
  }

  private cover(doc: Doc): Promise<void> {
    return insertSheet({ tabId: this.tabId, documentIds: [doc.id] }, this.sheet);
  }

  /** Removes the sheet, the marks and the shields. */
  async lift(): Promise<void> {
    await this.newDocumentsHeld;
    if (!this.hasOtherDocuments) return;
    await release(this.tabId, { id: this.id, sheet: this.sheet });
    const unmark = { kind: "mark_frame", mark: this.call.hold.mark, on: false };
    await Promise.all([
      ...[...new Set([...this.targets, ...this.restyled])].map((id) => this.ask(id, { kind: "lift_input", id: this.id }).catch(() => {})),
      ...this.marked.map(({ document_id, key }) => this.ask(document_id, { ...unmark, key }).catch(() => {})),
    ]);
    this.save(undefined);
  }

  private ask(documentId: string, message: object): Promise<unknown> {
    return this.frames.scripts.ask(this.tabId, documentId, message);
  }
}

/**
 * Removes a hold from all documents of the tab. One that is gone took its sheets along;
 * one that hangs gets the messages in order.
 */
async function release(tabId: number, { id, sheet }: SavedHold): Promise<void> {
  const all: Target = { tabId, allFrames: true };
  const sent = [removeSheet(all, sheet), removeSheet(all, INERT), run(all, lowerShield, [liftEvent(id)])];
  await withTimeout(ANSWER_TIMEOUT_MS, "a frame", Promise.allSettled(sent)).catch(() => {});
}
