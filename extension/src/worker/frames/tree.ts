// Rule of this file: which documents a tab has, and which is in which, is asked of
// the browser each time: frames come and go.

import { withApiTimeout } from "../shared/async";
import { originOf } from "../shared/urls";

/** One document of a tab. */
export interface Doc {
  frameId: number;
  id: string;
  url: string;
  /** The process that draws it. */
  processId: number;
  /** The document that holds its frame; absent for the tab's own. */
  parent?: Doc;
}

/** More documents than this are left out, the deepest ones first. */
const MAX_DOCUMENTS = 64;

/** Schemes of documents in which a content script may run. */
const OPERABLE = /^(https?|file|about|blob|data):/;

export class FrameTree {
  private constructor(
    /** The tab's own document first, a parent before its children. */
    readonly docs: readonly Doc[],
    readonly truncated: boolean,
    /** Whether it has foreign frames into which no script can be injected. */
    readonly hasInaccessible: boolean,
  ) {}

  static async of(tabId: number, maxDocuments = MAX_DOCUMENTS): Promise<FrameTree> {
    const all = (await withApiTimeout("chrome.webNavigation.getAllFrames", chrome.webNavigation.getAllFrames({ tabId }))) ?? [];
    const shown = all.filter((frame) => frame.documentId && frame.documentLifecycle === "active" && (frame.frameId === 0 || OPERABLE.test(frame.url)));
    const docs: Doc[] = [];
    let level = shown.filter((frame) => frame.frameId === 0);
    while (level.length > 0) {
      for (const { frameId, documentId, url, processId, parentFrameId } of level) {
        const parent = frameId === 0 ? undefined : docs.find((doc) => doc.frameId === parentFrameId);
        docs.push({ frameId, id: documentId, url, processId, ...(parent && { parent }) });
      }
      const above = new Set(level.map((frame) => frame.frameId));
      level = shown.filter((frame) => frame.frameId !== 0 && above.has(frame.parentFrameId));
    }
    const hasInaccessible = all.some((frame) => frame.frameId !== 0 && !OPERABLE.test(frame.url) && !frame.url.startsWith(chrome.runtime.getURL("")));
    const truncated = docs.length > maxDocuments;
    return new FrameTree(docs.slice(0, maxDocuments), truncated, hasInaccessible || truncated);
  }

  byId(documentId: string): Doc | undefined {
    return this.docs.find((doc) => doc.id === documentId);
  }

  byFrame(frameId: number): Doc | undefined {
    return this.docs.find((doc) => doc.frameId === frameId);
  }

  /** Returns the documents in frames of the document, near ones first. */
  below(documentId: string): Doc[] {
    return this.docs.filter((doc) => isInside(doc, documentId));
  }
}

/** Reports whether the document is in a frame of the other, at any depth. */
export function isInside(doc: Doc, documentId: string): boolean {
  for (let at = doc.parent; at; at = at.parent) if (at.id === documentId) return true;
  return false;
}

/**
 * Reports whether the document is in a frame that the other's script reaches by itself: those
 * between them are of its own origin.
 */
export function isHeldBy(doc: Doc, documentId: string, reported: ReadonlyMap<string, string>): boolean {
  const between: Doc[] = [];
  for (let at = doc.parent; at; at = at.parent) {
    const holder = at;
    if (holder.id === documentId) return between.every((each) => each.url === "about:blank" || originIn(each, reported) === originIn(holder, reported));
    between.push(at);
  }
  return false;
}

/**
 * Returns the origin that policy decides by. A document in a sandbox, which reports none, has
 * none, whatever its address. One without an address of its own has the origin that its
 * script reports; a srcdoc that is sandboxed has none, and as its text is in the page around
 * it, it counts as that page's.
 */
export function originIn(doc: Doc, reported: ReadonlyMap<string, string>): string {
  const own = originOf(doc.url);
  const origin = reported.get(doc.id);
  if (own !== "null") return origin === "null" && /^https?:/.test(doc.url) ? origin : own;
  if (origin !== undefined && origin !== "null") return origin;
  return doc.url === "about:srcdoc" && doc.parent ? originIn(doc.parent, reported) : "null";
}
