// Rule of this file: a frame's document has the content script once. The document
// of a ref is known by the token that its script answered to the greeting, and
// only a document that was greeted has issued refs. Of two documents of a tab with the
// same token one must choose another, or else neither is believed.

import { documentGone, hasNoReceiver, inject } from "../page/inject";
import { withTimeout } from "../shared/async";
import { Fault } from "../shared/fault";
import type { FrameMemory } from "./memory";
import { FrameTree, type Doc } from "./tree";

/** A live content script answers in about a millisecond; a busy one later. */
const ANSWER_TIMEOUT_MS = 1_500;

/** The content scripts in the documents of frames. */
export class FrameScripts {
  constructor(private readonly memory: FrameMemory) {}

  /** The tokens of the scripts that are known to run, by document id. */
  private get tokens(): Map<string, string> {
    return this.memory.tokens;
  }

  /** Injects the content script into the document, unless it runs there. */
  async ensure(tabId: number, documentId: string): Promise<void> {
    if (this.tokens.has(documentId)) return;
    const taken = await this.takenTokens(tabId, documentId);
    let token = await this.greet(tabId, documentId, taken);
    if (token === undefined) {
      await inject({ tabId, documentIds: [documentId] });
      token = await this.greet(tabId, documentId, taken);
    }
    if (token === undefined) throw await this.missing(tabId, documentId);
    await this.memory.save(); // before it can issue a ref
  }

  /** Returns why the script that was injected does not listen: mostly the frame loads another document. */
  private async missing(tabId: number, documentId: string): Promise<Fault> {
    if (!(await FrameTree.of(tabId)).byId(documentId)) return documentGone();
    return Fault.new("runtime_not_ready", "the content script does not listen in the frame", { dispatched: "no" });
  }

  /** Marks the document as having no content script. */
  onScriptMissing(documentId: string): void {
    this.tokens.delete(documentId);
  }

  /** Returns the document whose script issued the ref. No document is asked: one that hangs would not answer. */
  byToken(docs: readonly Doc[], token: string, ref: string): string {
    const [only, another] = docs.filter((doc) => this.tokens.get(doc.id) === token);
    if (only && !another) return only.id;
    throw Fault.new("stale_ref", `the page that gave the ref ${ref} is no longer in the tab`, {
      dispatched: "no",
      evidence: { ref, reason: "documentChanged", nearest: [] },
    });
  }

  ask(tabId: number, documentId: string, message: object): Promise<unknown> {
    return withTimeout(ANSWER_TIMEOUT_MS, "the content script in the frame", chrome.tabs.sendMessage(tabId, message, { documentId }));
  }

  /** Returns the tokens of the other documents, above all of the tab's own, which checks every ref first. */
  private async takenTokens(tabId: number, documentId: string): Promise<string[]> {
    const { docs } = await FrameTree.of(tabId);
    const [mainDoc] = docs;
    if (mainDoc && mainDoc.id !== documentId && !this.tokens.has(mainDoc.id)) await this.greet(tabId, mainDoc.id);
    return docs.filter((doc) => doc.id !== documentId).flatMap((doc) => this.tokens.get(doc.id) ?? []);
  }

  /** Asks for the token; returns undefined where no content script listens. */
  private async greet(tabId: number, documentId: string, taken: string[] = []): Promise<string | undefined> {
    try {
      const answer = (await this.ask(tabId, documentId, { kind: "hello", taken })) as { token?: unknown } | null;
      if (typeof answer?.token !== "string") return undefined;
      this.tokens.set(documentId, answer.token);
      return answer.token;
    } catch (error) {
      if (hasNoReceiver(error)) return undefined;
      throw error;
    }
  }
}
