// Rule of this file: while a screenshot is taken for a caller that may not see all of
// a tab, its frames, and where secrets are left out its fields, are not drawn, by a user
// style sheet, which no page can override. It never stays: it is removed at the host's request, after a timeout,
// when the host disconnects, and where an earlier run of this worker left it.

import type { TabCover, TabCoverResult } from "../../protocol";
import { withApiTimeout, withTimeout } from "../shared/async";
import { Fault, textOf } from "../shared/fault";
import { originOf } from "../shared/urls";
import type { Claims } from "../tabs/claims";
import { FIELDS, FRAMES, insertSheet, removeSheet, run } from "./scripting";

/** A live document takes a style in a millisecond or two; all of them together a little longer. */
const STYLE_TIMEOUT_MS = 1_000;
const ALL_STYLES_TIMEOUT_MS = 300;
/** Longer than a screenshot may take. */
const COVER_TTL_MS = 20_000;

/** Frames and fields that a page lets come and go slowly would be missing from the next picture. */
const NO_TRANSITIONS = `:is(${FRAMES}, ${FIELDS}) { transition-duration: 0s !important; transition-delay: 0s !important; }`;

/** The covers of claimed tabs. */
export class Covers {
  private readonly covers = new Map<number, { css: string; timer: ReturnType<typeof setTimeout> }>();

  constructor(private readonly claims: Claims) {}

  async set({ tab_id: tabId, on, except, fields }: TabCover): Promise<TabCoverResult> {
    this.claims.demand(tabId);
    await this.remove(tabId);
    if (!on) return { complete: true, silent: [] };
    const css = cover(fields ? `:is(${FRAMES}, ${FIELDS})` : FRAMES, except);
    this.claims.update(tabId, { cover: css });
    this.covers.set(tabId, { css, timer: setTimeout(() => this.end(tabId), COVER_TTL_MS) });
    return insertCover(tabId, css);
  }

  /** Begins to take the cover off the tab, if there is one. */
  end(tabId: number): void {
    void this.remove(tabId);
  }

  private async remove(tabId: number): Promise<void> {
    const entry = this.covers.get(tabId);
    const css = entry?.css ?? this.claims.stateOf(tabId).cover; // of an earlier run of this worker
    clearTimeout(entry?.timer);
    this.covers.delete(tabId);
    if (css === undefined) return;
    this.claims.update(tabId, { cover: undefined });
    await removeCover(tabId, css);
  }

  /** Takes off all covers, as there is no host to do it. */
  endAll(): void {
    for (const tabId of new Set([...this.claims.ids(), ...this.covers.keys()])) this.end(tabId);
  }
}

/** Not drawn, and still shown: a clip that leaves nothing makes the process of a frame drop what it drew, so that the frame is blank for a while after it. */
const UNDRAWN = "opacity: 0 !important; mask: linear-gradient(transparent, transparent) !important;";

/**
 * Returns the style. A rule that is inserted into a document does not by itself apply in
 * existing shadow roots; it does together with an inherited property of a random name.
 */
function cover(hidden: string, except: string | undefined): string {
  return `:root { --${crypto.randomUUID()}: 1 !important; }
    ${NO_TRANSITIONS}
    ${hidden}${except ? `:not(${except})` : ""} { ${UNDRAWN} }
    ::view-transition-group(*), ::view-transition-old(*), ::view-transition-new(*) { visibility: hidden !important; opacity: 0 !important; transition: none !important; }`;
}

/** Inserts the style into all documents; returns those that did not take it. */
async function insertCover(tabId: number, css: string): Promise<TabCoverResult> {
  const all = insertSheet({ tabId, allFrames: true }, css);
  try {
    await withTimeout(ALL_STYLES_TIMEOUT_MS, "chrome.scripting.insertCSS", all);
    return { complete: true, silent: [] };
  } catch {
    // One of them hangs or refuses: each is tried by itself.
  }
  const docs = (await withApiTimeout("chrome.webNavigation.getAllFrames", chrome.webNavigation.getAllFrames({ tabId }))) ?? [];
  const silent = await Promise.all(docs.map((doc) => insertCoverInto(tabId, doc, css)));
  return { complete: false, silent: [...new Set(silent.flat())] };
}

async function insertCoverInto(tabId: number, { documentId, frameId, url }: { documentId: string; frameId: number; url: string }, css: string): Promise<string[]> {
  try {
    await withTimeout(STYLE_TIMEOUT_MS, "chrome.scripting.insertCSS", insertSheet({ tabId, documentIds: [documentId] }, css));
    return [];
  } catch (error) {
    if (frameId === 0) throw Fault.new("runtime_not_ready", textOf(error), { dispatched: "no" });
    return [originOf(url)];
  }
}

/**
 * Removes the style. Each document does the steps in this order, and shows its frames without
 * transitions before the last. One that hangs does so when it continues; one that is gone took
 * the style along. Where a document hung, others have the style twice: the browser removes one
 * at a time.
 */
async function removeCover(tabId: number, css: string): Promise<void> {
  const target = { tabId, allFrames: true };
  const noTransitions = `:root { --${crypto.randomUUID()}: 1 !important; } ${NO_TRANSITIONS}`;
  const steps = [
    insertSheet(target, noTransitions),
    removeSheet(target, css),
    removeSheet(target, css),
    run(target, applyStyles, []),
    removeSheet(target, noTransitions),
  ];
  await withTimeout(STYLE_TIMEOUT_MS, "chrome.scripting.removeCSS", Promise.allSettled(steps)).catch(() => {});
}

/** Runs in the page: asking for a size makes the document apply its styles. */
function applyStyles(): number {
  return document.documentElement.offsetWidth;
}
