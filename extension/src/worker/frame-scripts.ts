// Rule of this file: a frame's document has the content script once. Who speaks
// for a ref is known by the letters that its script gives; two documents of a
// tab with the same letters are told to differ, or else neither is believed.

import { within } from "./bounded";
import { Fault } from "./fault";
import { FrameTree, type Doc } from "./frame-tree";
import { inject, nobodyListens } from "./inject";

/** A living content script answers in about a millisecond; a busy one late. */
const ANSWER_MS = 1_500;
const MAX_KNOWN = 1_000;

/** The content scripts in the documents of frames. */
export class FrameScripts {
  /** The letters of those that are known to run, by their documents. */
  private readonly tokens = new Map<string, string>();

  /** Brings the content script into the document, unless it runs there. */
  async ensure(tabId: number, documentId: string): Promise<void> {
    if (this.tokens.has(documentId)) return;
    const taken = await this.taken(tabId, documentId);
    let token = await this.greet(tabId, documentId, taken);
    if (token === undefined) {
      await inject({ tabId, documentIds: [documentId] });
      token = await this.greet(tabId, documentId, taken);
    }
    if (token === undefined) throw Fault.new("runtime_not_ready", "the content script does not listen in the frame", { dispatched: "no" });
  }

  /** The document turned out to have no content script. */
  lost(documentId: string): void {
    this.tokens.delete(documentId);
  }

  /** The document whose script gave the ref. */
  async byToken(tabId: number, docs: readonly Doc[], token: string, ref: string): Promise<string> {
    const tokens = await Promise.all(docs.map((doc) => this.tokens.get(doc.id) ?? this.greet(tabId, doc.id).catch(() => undefined)));
    const found = docs.filter((_, i) => tokens[i] === token);
    const [only] = found;
    if (found.length === 1 && only) return only.id;
    throw Fault.new("stale_ref", `the page that gave the ref ${ref} is no longer in the tab`, {
      dispatched: "no",
      evidence: { ref, reason: "documentChanged", nearest: [] },
    });
  }

  ask(tabId: number, documentId: string, message: object): Promise<unknown> {
    return within(ANSWER_MS, "the content script in the frame", chrome.tabs.sendMessage(tabId, message, { documentId }));
  }

  /** The letters of the other documents: those of the tab's own above all, as it looks at every ref first. */
  private async taken(tabId: number, documentId: string): Promise<string[]> {
    const { docs } = await FrameTree.of(tabId);
    const [own] = docs;
    if (own && own.id !== documentId && !this.tokens.has(own.id)) await this.greet(tabId, own.id);
    return docs.filter((doc) => doc.id !== documentId).flatMap((doc) => this.tokens.get(doc.id) ?? []);
  }

  /** Asks for the letters; undefined where no content script listens. */
  private async greet(tabId: number, documentId: string, taken: string[] = []): Promise<string | undefined> {
    try {
      const answer = (await this.ask(tabId, documentId, { kind: "hello", taken })) as { token?: unknown } | null;
      if (typeof answer?.token !== "string") return undefined;
      if (this.tokens.size >= MAX_KNOWN) this.tokens.clear(); // a greeting finds them again
      this.tokens.set(documentId, answer.token);
      return answer.token;
    } catch (error) {
      if (nobodyListens(error)) return undefined;
      throw error;
    }
  }
}
