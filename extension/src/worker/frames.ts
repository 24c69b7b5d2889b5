// Rule of this file: a call goes into a document only by the frame element that
// shows it, or by its id, and it goes with the document's true place in the top
// viewport. Every question to a document has a limit.

import type { EnterAnswer } from "../page/frame-desk";
import type { Way } from "../page/enter-frame";
import type { Place } from "../page/frames";
import { hostMatches } from "../hosts";
import type { Frame, TabFramesResult } from "../protocol";
import { within } from "./bounded";
import type { Claims } from "./claims";
import { Fault } from "./fault";
import { FrameKeys, listenForKeys, type Holder } from "./frame-keys";
import { FrameScripts } from "./frame-scripts";
import { FrameTree, liesIn, originIn, type Doc } from "./frame-tree";

/** Where a part of a call runs. */
export interface Spot {
  document_id: string;
  url: string;
  /** What the document itself cannot know; absent for the tab's own. */
  frame?: { place: Place; holder: Holder; way?: Way };
}

/** Throws unless the call may go into documents of the origin. */
export type Permit = (origin: string) => void;

const LISTEN_MS = 500;
const SURVEY_MS = 5_000;
const MAX_POINTS = 5_000;

type Sender = chrome.runtime.MessageSender;

/** The documents of claimed tabs. */
export class Frames {
  readonly keys: FrameKeys;
  readonly scripts = new FrameScripts();

  constructor(private readonly claims: Claims) {
    this.keys = new FrameKeys(claims);
  }

  /** Lists the documents of the tab, each with its content script. */
  async list(tabId: number): Promise<TabFramesResult> {
    this.claims.demand(tabId);
    await this.survey(tabId);
    const tree = await this.tree(tabId);
    const alive = await Promise.all(tree.docs.map((doc) => this.scripts.ensure(tabId, doc.id).then(() => true, () => false)));
    const frames = tree.docs.filter((_, i) => alive[i]).map((doc): Frame => {
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

  /** The document in which a call goes on that came to a frame at the spot. */
  async enter(tabId: number, from: Spot, answer: EnterAnswer, permit: Permit): Promise<Spot> {
    const { way, host } = answer;
    if (way.by === "ref") return this.spot(tabId, await this.scripts.byToken(tabId, (await this.tree(tabId)).docs, way.token, way.ref), permit, way);
    const keys = answer.frames.map((frame) => frame.key);
    if (keys.some((key) => this.keys.frameOf(tabId, key) === undefined)) await this.learn(tabId, from.document_id, keys);
    const tree = await this.tree(tabId);
    for (const { key, place } of answer.frames) {
      const frameId = this.keys.frameOf(tabId, key);
      const doc = frameId === undefined ? undefined : tree.byFrame(frameId);
      if (!doc || !liesIn(doc, from.document_id)) continue;
      if (host !== undefined && !hostMatches(hostnameOf(doc.url), host)) continue;
      permit(originIn(doc, this.keys.originsOf(tabId)));
      await this.scripts.ensure(tabId, doc.id);
      const frame = { place, holder: { key, document_id: from.document_id }, way };
      return { document_id: doc.id, url: doc.url, frame };
    }
    if (host !== undefined) throw Fault.new("frame_not_found", `no frame shows a document of ${host}`, { dispatched: "no", evidence: { host } });
    throw Fault.new("runtime_not_ready", "the document in the frame does not answer", { dispatched: "no" });
  }

  /** The spot of the document, with its place in the top viewport. */
  async spot(tabId: number, documentId: string, permit: Permit, way?: Way): Promise<Spot> {
    const doc = (await this.tree(tabId)).byId(documentId);
    if (!doc) throw gone(documentId);
    permit(originIn(doc, this.keys.originsOf(tabId)));
    if (!doc.parent) return { document_id: documentId, url: doc.url };
    let holder = this.keys.holderOf(tabId, doc.frameId);
    if (!holder) {
      await this.survey(tabId);
      holder = this.keys.holderOf(tabId, doc.frameId);
    }
    if (!holder || !liesIn(doc, holder.document_id)) throw Fault.new("runtime_not_ready", "the document in the frame does not answer", { dispatched: "no" });
    // Of the documents around it only the frame's place is asked.
    const around = await this.spot(tabId, holder.document_id, () => {});
    await this.scripts.ensure(tabId, around.document_id);
    const seen = await this.scripts.ask(tabId, around.document_id, { kind: "see_frame", key: holder.key, points: [], frame: around.frame ?? null });
    if (!seen) throw gone(documentId);
    await this.scripts.ensure(tabId, documentId);
    return { document_id: documentId, url: doc.url, frame: { place: (seen as { place: Place }).place, holder, ...(way && { way }) } };
  }

  concerns(message: unknown, sender: Sender): boolean {
    return this.keys.concerns(message, sender) || isQuestion(message, sender);
  }

  /** Takes a message of a content script; true where the answer comes later. */
  receive(message: unknown, sender: Sender, respond: (answer: unknown) => void): boolean {
    if (this.keys.concerns(message, sender)) {
      this.keys.take(message, sender);
      return false;
    }
    if (!isQuestion(message, sender)) return false;
    this.passUp(message, sender).then(respond, () => respond(null));
    return true;
  }

  /** Asks the document that holds the sender's frame; only one that is above it. */
  private async passUp({ key, document_id, points, drawn }: Question, { tab, documentId }: Sender): Promise<unknown> {
    await this.claims.restored();
    if (tab?.id === undefined || !documentId || !this.claims.has(tab.id)) return null;
    const doc = (await this.tree(tab.id)).byId(documentId);
    if (!doc || !liesIn(doc, document_id)) return null;
    return this.scripts.ask(tab.id, document_id, { kind: "see_frame", key, points, drawn });
  }

  /** Finds out which document stands in which frame, from the tab's own document down. */
  private async survey(tabId: number): Promise<void> {
    let level = (await this.tree(tabId)).docs.slice(0, 1);
    const asked = new Set<string>();
    const end = Date.now() + SURVEY_MS;
    while (level.length > 0 && Date.now() < end) {
      for (const doc of level) asked.add(doc.id);
      const posted = await Promise.all(level.map((doc) => this.learnAll(tabId, doc).catch(() => [])));
      const closed = posted.flat().filter((each) => !each.entered);
      const tree = await this.tree(tabId);
      // Documents that their holder enters itself were surveyed with it.
      level = closed.flatMap(({ key }) => {
        const frameId = this.keys.frameOf(tabId, key);
        const doc = frameId === undefined ? undefined : tree.byFrame(frameId);
        return doc && !asked.has(doc.id) ? [doc] : [];
      });
    }
  }

  private async learnAll(tabId: number, doc: Doc): Promise<Posted[]> {
    const below = (await this.tree(tabId)).below(doc.id);
    if (below.length === 0) return [];
    await this.scripts.ensure(tabId, doc.id);
    const posted = (await this.post(tabId, doc.id))?.keys ?? [];
    const keys = posted.map((each) => each.key);
    await this.listen(tabId, below);
    // A frame that has loaded nothing yet has no document to report.
    await this.keys.learn(tabId, doc.id, keys, Math.min(keys.length, below.length), () => this.post(tabId, doc.id));
    return posted;
  }

  private async learn(tabId: number, documentId: string, keys: string[]): Promise<void> {
    await this.listen(tabId, (await this.tree(tabId)).below(documentId));
    await this.keys.learn(tabId, documentId, keys, keys.length, () => this.post(tabId, documentId));
  }

  private async post(tabId: number, documentId: string): Promise<{ keys: Posted[] } | undefined> {
    return (await this.scripts.ask(tabId, documentId, { kind: "post_keys" })) as { keys: Posted[] } | undefined;
  }

  /** A document that is slow to take the listener hears the key when it is posted again. */
  private async listen(tabId: number, docs: readonly Doc[]): Promise<void> {
    const each = docs.map((doc) =>
      chrome.scripting.executeScript({ target: { tabId, documentIds: [doc.id] }, func: listenForKeys, injectImmediately: true }).catch(() => {}),
    );
    await within(LISTEN_MS, "chrome.scripting.executeScript", Promise.all(each)).catch(() => {});
  }

  private async tree(tabId: number): Promise<FrameTree> {
    const tree = await FrameTree.of(tabId);
    this.keys.prune(tabId, tree.docs);
    return tree;
  }
}

interface Posted {
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

function gone(documentId: string): Fault {
  return Fault.new("runtime_not_found", "the frame shows another document now", { dispatched: "no", evidence: { document_id: documentId } });
}

function hostnameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}
