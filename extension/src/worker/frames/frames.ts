// Rule of this file: a call goes into a document only by the frame element that
// shows it, or by its id, and it goes with the document's true place in the top
// viewport. Every question to a document has a timeout.

import { hostMatches } from "../../hosts";
import type { Place } from "../../page/dom/viewport";
import type { FrameEntry } from "../../page/frames/enter-frame";
import type { EnterAnswer } from "../../page/frames/queries";
import type { Frame, TabFramesResult } from "../../protocol";
import { withTimeout } from "../shared/async";
import type { Dropped } from "../shared/dropped";
import { Fault } from "../shared/fault";
import type { Claims } from "../tabs/claims";
import { FrameKeys, listenForKeys } from "./keys";
import { FrameMemory, type Holder } from "./memory";
import { FrameScripts } from "./scripts";
import { FrameTree, isHeldBy, isInside, originIn, type Doc } from "./tree";

/** A document in which a call runs. */
export interface CallTarget {
  document_id: string;
  url: string;
  /** The origin that policy decides by. */
  origin: string;
  /** What the document itself cannot know; absent for the tab's own. */
  frame?: { place: Place; holder: Holder; way?: FrameEntry };
}

/** Throws unless the call may go into documents of the origin. */
export type Permit = (origin: string) => void;

const LISTEN_TIMEOUT_MS = 500;
const SURVEY_TIMEOUT_MS = 5_000;
const MAX_POINTS = 5_000;

type Sender = chrome.runtime.MessageSender;

/** The documents of claimed tabs. */
export class Frames {
  readonly keys: FrameKeys;
  readonly scripts: FrameScripts;
  private readonly memory = new FrameMemory();

  constructor(
    private readonly claims: Claims,
    private readonly dropped: Dropped,
  ) {
    this.keys = new FrameKeys(claims, this.memory);
    this.scripts = new FrameScripts(this.memory);
  }

  /** Lists the documents of the tab, each with its content script. */
  async list(tabId: number): Promise<TabFramesResult> {
    this.claims.demand(tabId);
    await this.survey(tabId);
    const tree = await this.tree(tabId);
    const hasScript = await Promise.all(tree.docs.map((doc) => this.scripts.ensure(tabId, doc.id).then(() => true, () => false)));
    const frames = tree.docs.filter((_, i) => hasScript[i]).map((doc): Frame => {
      const key = this.keys.holderOf(tabId, doc.frameId)?.key;
      return {
        document_id: doc.id,
        ...(doc.parent && { parent_document_id: doc.parent.id }),
        url: doc.url,
        origin: originIn(doc, this.keys.originsOf(tabId)),
        ...(key !== undefined && { key }),
      };
    });
    return { frames, truncated: tree.truncated };
  }

  /** Returns the document in which a call continues that reached a frame in the document `from`. */
  async enter(tabId: number, from: CallTarget, answer: EnterAnswer, permit: Permit): Promise<CallTarget> {
    const { way, host } = answer;
    if (way.by === "ref") return this.targetOf(tabId, this.scripts.byToken((await this.tree(tabId)).docs, way.token, way.ref), permit, way);
    await this.learn(tabId, from.document_id, answer);
    const tree = await this.tree(tabId);
    for (const { key, place } of answer.frames) {
      const frameId = this.keys.frameOf(tabId, key);
      const doc = frameId === undefined ? undefined : tree.byFrame(frameId);
      if (!doc || !isHeldBy(doc, from.document_id, this.keys.originsOf(tabId))) continue;
      if (host !== undefined && !hostMatches(hostnameOf(doc.url), host)) continue;
      const origin = originIn(doc, this.keys.originsOf(tabId));
      permit(origin);
      await this.scripts.ensure(tabId, doc.id);
      const frame = { place, holder: { key, document_id: from.document_id }, way };
      return { document_id: doc.id, url: doc.url, origin, frame };
    }
    if (host !== undefined) throw Fault.new("frame_not_found", `no frame shows a document of ${host}`, { dispatched: "no", evidence: { host } });
    throw Fault.new("runtime_not_ready", "the document in the frame does not answer", { dispatched: "no" });
  }

  /** Returns the document as a call's target, with its place in the top viewport. */
  async targetOf(tabId: number, documentId: string, permit: Permit, way?: FrameEntry): Promise<CallTarget> {
    const doc = (await this.tree(tabId)).byId(documentId);
    if (!doc) throw documentReplaced(documentId);
    const origin = originIn(doc, this.keys.originsOf(tabId));
    permit(origin);
    if (!doc.parent) return { document_id: documentId, url: doc.url, origin };
    const holder = this.keys.holderOf(tabId, doc.frameId) ?? (await this.find(tabId, doc));
    if (!holder || !isHeldBy(doc, holder.document_id, this.keys.originsOf(tabId))) throw Fault.new("runtime_not_ready", "the document in the frame does not answer", { dispatched: "no" });
    // Its ancestors are asked for the frame's place only.
    const parentTarget = await this.targetOf(tabId, holder.document_id, () => {});
    await this.scripts.ensure(tabId, parentTarget.document_id);
    const reply = await this.scripts.ask(tabId, parentTarget.document_id, { kind: "see_frame", key: holder.key, points: [], frame: parentTarget.frame ?? null });
    if (!reply) throw documentReplaced(documentId);
    await this.scripts.ensure(tabId, documentId);
    return { document_id: documentId, url: doc.url, origin, frame: { place: (reply as { place: Place }).place, holder, ...(way && { way }) } };
  }

  /** Returns the steps from the tab's own document to this one, by selectors that find each frame alone. */
  async pathTo(tabId: number, documentId: string): Promise<{ selector: string }[]> {
    const doc = (await this.tree(tabId)).byId(documentId);
    if (!doc) throw documentReplaced(documentId);
    if (!doc.parent) return [];
    const holder = this.keys.holderOf(tabId, doc.frameId) ?? (await this.find(tabId, doc));
    if (!holder || !isHeldBy(doc, holder.document_id, this.keys.originsOf(tabId))) throw Fault.new("runtime_not_ready", "the document in the frame does not answer", { dispatched: "no" });
    const above = await this.pathTo(tabId, holder.document_id);
    await this.scripts.ensure(tabId, holder.document_id);
    const inside = (await this.scripts.ask(tabId, holder.document_id, { kind: "name_frame", key: holder.key })) as string[] | null;
    if (!inside) throw Fault.new("frame_not_found", "nothing names the frame alone", { dispatched: "no" });
    return [...above, ...inside.map((selector) => ({ selector }))];
  }

  handles(message: unknown, sender: Sender): boolean {
    return this.keys.handles(message, sender) || isQuestion(message, sender);
  }

  /** Handles a message of a content script; returns true where the answer comes later. */
  receive(message: unknown, sender: Sender, respond: (answer: unknown) => void): boolean {
    if (this.keys.handles(message, sender)) {
      this.keys.receive(message, sender);
      return false;
    }
    if (!isQuestion(message, sender)) return false;
    this.askParent(message, sender).then(respond, () => respond(null));
    return true;
  }

  /** Asks the document that holds the sender's frame; only an ancestor of it. */
  private async askParent({ key, document_id, points, drawn }: Question, sender: Sender): Promise<unknown> {
    const { tab, documentId } = sender;
    await this.claims.restored();
    if (tab?.id === undefined || !documentId || !this.claims.has(tab.id)) return null;
    const tree = await this.tree(tab.id);
    const doc = tree.byId(documentId);
    if (!doc) return null;
    if (!isInside(doc, document_id)) {
      if (tree.byId(document_id)) this.dropped.add("frames", sender); // else that one has gone
      return null;
    }
    return this.scripts.ask(tab.id, document_id, { kind: "see_frame", key, points, drawn });
  }

  /** Finds out which document holds the frame of this one, by asking its ancestors, the nearest first. */
  private async find(tabId: number, doc: Doc): Promise<Holder | undefined> {
    await this.listen(tabId, [doc]);
    for (let ancestor = doc.parent; ancestor; ancestor = ancestor.parent) {
      const { id } = ancestor;
      const keys = await this.scripts.ensure(tabId, id).then(() => this.post(tabId, id)).catch(() => undefined);
      const known = (): boolean => this.keys.holderOf(tabId, doc.frameId) !== undefined;
      if (keys) await this.keys.learn(tabId, id, keys.keys.map((each) => each.key), known, () => this.post(tabId, id));
      const holder = this.keys.holderOf(tabId, doc.frameId);
      if (holder) return holder;
    }
    return undefined;
  }

  /** Finds out which document is in which frame, from the tab's own document down. */
  private async survey(tabId: number): Promise<void> {
    let level = (await this.tree(tabId)).docs.slice(0, 1);
    const surveyed = new Set<string>();
    const end = Date.now() + SURVEY_TIMEOUT_MS;
    while (level.length > 0 && Date.now() < end) {
      for (const doc of level) surveyed.add(doc.id);
      const posted = await Promise.all(level.map((doc) => this.learnAll(tabId, doc).catch(() => [])));
      const notEntered = posted.flat().filter((each) => !each.entered);
      const tree = await this.tree(tabId);
      // Documents that their holder enters itself were surveyed with it.
      level = notEntered.flatMap(({ key }) => {
        const frameId = this.keys.frameOf(tabId, key);
        const doc = frameId === undefined ? undefined : tree.byFrame(frameId);
        return doc && !surveyed.has(doc.id) ? [doc] : [];
      });
    }
  }

  private async learnAll(tabId: number, doc: Doc): Promise<FrameKey[]> {
    const descendants = (await this.tree(tabId)).below(doc.id);
    if (descendants.length === 0) return [];
    await this.scripts.ensure(tabId, doc.id);
    const held = (await this.keysIn(tabId, doc.id, "frame_keys"))?.keys ?? [];
    // What each has reported holds until it shows another document.
    if (descendants.every(({ id, frameId }) => this.keys.originsOf(tabId).has(id) && this.keys.holderOf(tabId, frameId))) return held;
    const keys = held.map((each) => each.key);
    // A frame that has loaded nothing yet has no document to report.
    const all = Math.min(keys.length, descendants.length);
    await this.keys.learn(tabId, doc.id, keys, (reported) => reported.size >= all, this.poster(tabId, doc.id));
    return held;
  }

  /** Learns which document is in which of the frames, as far as needed: a frame of another host than the wanted one may hang. */
  private async learn(tabId: number, documentId: string, { frames, host }: EnterAnswer): Promise<void> {
    const keys = frames.map((frame) => frame.key);
    const wantedChildren = (docs: readonly Doc[]): Doc[] => {
      const wanted = docs.filter((doc) => host !== undefined && hostMatches(hostnameOf(doc.url), host));
      return wanted.every((doc) => doc.parent?.id === documentId) ? wanted : [];
    };
    const wanted = wantedChildren((await this.tree(tabId)).below(documentId));
    const enough = (reported: ReadonlySet<string>): boolean =>
      keys.every((key) => reported.has(key) || this.keys.frameOf(tabId, key) !== undefined) ||
      (wanted.length > 0 && wanted.every((doc) => keys.includes(this.keys.holderOf(tabId, doc.frameId)?.key ?? "")));
    if (enough(new Set())) return;
    const listeners = (docs: readonly Doc[]): readonly Doc[] => {
      const children = wantedChildren(docs);
      return children.length > 0 ? children : docs;
    };
    await this.keys.learn(tabId, documentId, keys, enough, this.poster(tabId, documentId, listeners));
  }

  /**
   * Returns what posts the keys to the frames of the document. A frame that has loaded another
   * document since the last time has no listener any more, and gets it first.
   */
  private poster(tabId: number, documentId: string, listeners = (docs: readonly Doc[]): readonly Doc[] => docs): () => Promise<void> {
    const listening = new Set<string>();
    return async () => {
      const docs = listeners((await this.tree(tabId)).below(documentId)).filter((doc) => !listening.has(doc.id));
      for (const doc of docs) listening.add(doc.id);
      if (docs.length > 0) await this.listen(tabId, docs);
      await this.post(tabId, documentId);
    };
  }

  private post(tabId: number, documentId: string): Promise<{ keys: FrameKey[] } | undefined> {
    return this.keysIn(tabId, documentId, "post_keys");
  }

  private async keysIn(tabId: number, documentId: string, kind: "frame_keys" | "post_keys"): Promise<{ keys: FrameKey[] } | undefined> {
    return (await this.scripts.ask(tabId, documentId, { kind })) as { keys: FrameKey[] } | undefined;
  }

  /** Installs the key listener. A document that is slow to take it receives the key when it is posted again. */
  private async listen(tabId: number, docs: readonly Doc[]): Promise<void> {
    const each = docs.map((doc) =>
      chrome.scripting.executeScript({ target: { tabId, documentIds: [doc.id] }, func: listenForKeys, injectImmediately: true }).catch(() => {}),
    );
    await withTimeout(LISTEN_TIMEOUT_MS, "chrome.scripting.executeScript", Promise.all(each)).catch(() => {});
  }

  private async tree(tabId: number): Promise<FrameTree> {
    await this.memory.restored();
    const tree = await FrameTree.of(tabId);
    this.keys.prune(tabId, tree.docs);
    return tree;
  }
}

interface FrameKey {
  key: string;
  entered: boolean;
}

interface Question {
  kind: "above";
  key: string;
  document_id: string;
  points: { x: number; y: number }[];
  drawn: boolean;
}

function isQuestion(message: unknown, sender: Sender): message is Question {
  const { kind, key, document_id, points } = (message ?? {}) as Record<string, unknown>;
  const texts = typeof key === "string" && typeof document_id === "string";
  return kind === "above" && texts && Array.isArray(points) && points.length <= MAX_POINTS && sender.id === chrome.runtime.id && sender.tab !== undefined;
}

function documentReplaced(documentId: string): Fault {
  return Fault.new("runtime_not_found", "the frame shows another document now", { dispatched: "no", evidence: { document_id: documentId } });
}

function hostnameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}
