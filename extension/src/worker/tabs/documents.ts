// Rule of this file: it knows the current document of each claimed tab, from
// the browser's events, and asks the browser where it does not. A document's
// id is the runtime id: a new document is a new runtime.

import { coalesced, withApiTimeout, withTimeout } from "../shared/async";
import { Fault } from "../shared/fault";
import { originOf } from "../shared/urls";
import type { Claims } from "./claims";

/** The document that a claimed tab shows. */
export interface Runtime {
  readonly id: string;
  /** Follows changes within the document. */
  url: string;
  /** It was found as the browser's own page about a failed load. */
  readonly failed?: boolean;
  /** Settles when the content script runs in it; absent before the first try. */
  script?: Promise<void>;
  /** It has resolved: the next call need not wait. */
  ready?: boolean;
}

/** What happened to the main frame of a claimed tab. */
export type DocumentEvent =
  | { kind: "begun" }
  | { kind: "replaced"; runtime: Runtime; previous: Runtime | undefined }
  | { kind: "moved"; url: string }
  | { kind: "parsed"; runtimeId: string }
  | { kind: "failed"; error: string }
  | { kind: "released" };

type Watcher = (tabId: number, event: DocumentEvent) => void;

/** The fields that all events of chrome.webNavigation share. */
interface Details {
  tabId: number;
  frameId: number;
  url: string;
  documentId?: string;
  documentLifecycle?: string;
}

/** The documents of the claimed tabs. */
export class Documents {
  private readonly runtimes = new Map<number, Runtime>();
  private readonly watchers = new Set<Watcher>();
  /** Tabs to which a document is on its way. */
  private readonly pending = new Set<number>();

  constructor(private readonly claims: Claims) {}

  current(tabId: number): Runtime | undefined {
    return this.runtimes.get(tabId);
  }

  /** Calls the watcher for every event until the returned function is called. */
  watch(watcher: Watcher): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /**
   * Asks the browser which document the tab shows now. This also finds documents that no
   * commit announces, such as error pages and prerendered documents.
   */
  readonly refresh = coalesced(async (tabId: number): Promise<Runtime | undefined> => {
    const frame = await withApiTimeout("chrome.webNavigation.getFrame", chrome.webNavigation.getFrame({ tabId, frameId: 0 }));
    if (!frame?.documentId) return undefined;
    return this.set(tabId, frame.documentId, frame.url, frame.errorOccurred);
  });

  /** Throws state_mismatch where the tab shows a page of another origin by now. */
  async demandOrigin(tabId: number, origin: string): Promise<void> {
    const runtime = this.current(tabId) ?? (await this.refresh(tabId));
    demandOrigin(runtime?.url ?? "", origin);
  }

  /** Forgets a tab that is no longer claimed, and returns its last document. */
  forget(tabId: number): Runtime | undefined {
    const runtime = this.runtimes.get(tabId);
    this.runtimes.delete(tabId);
    this.pending.delete(tabId);
    this.emit(tabId, { kind: "released" });
    return runtime;
  }

  onBeforeNavigate(details: Details): void {
    if (!this.handles(details)) return;
    this.pending.add(details.tabId);
    this.emit(details.tabId, { kind: "begun" });
  }

  onCommitted(details: Details): void {
    if (!this.handles(details)) return;
    this.pending.delete(details.tabId);
    if (details.documentId) this.set(details.tabId, details.documentId, details.url);
  }

  /** Waits for the document that is on its way to the tab, if one is. A server may keep it waiting for ever. */
  async waitForPending(tabId: number, limitMs: number): Promise<void> {
    if (!this.pending.has(tabId)) return;
    let stop = (): void => {};
    const over = new Promise<void>((settle) => {
      stop = this.watch((id, { kind }) => {
        if (id === tabId && (kind === "replaced" || kind === "failed" || kind === "released")) settle();
      });
    });
    await withTimeout(limitMs, "the document", over)
      .catch(() => {}) // the wait is over either way
      .finally(stop);
  }

  /** The address changed and the document stayed. */
  onMoved(details: Details): void {
    if (!this.handles(details)) return;
    const runtime = this.runtimes.get(details.tabId);
    if (runtime && runtime.id === details.documentId) runtime.url = details.url;
    this.emit(details.tabId, { kind: "moved", url: details.url });
  }

  onParsed(details: Details): void {
    if (!this.handles(details) || !details.documentId) return;
    this.set(details.tabId, details.documentId, details.url);
    this.emit(details.tabId, { kind: "parsed", runtimeId: details.documentId });
  }

  /** A navigation failed; the tab may now show the browser's error page. */
  async onFailed(details: Details & { error: string }): Promise<void> {
    if (!this.handles(details)) return;
    this.pending.delete(details.tabId);
    this.emit(details.tabId, { kind: "failed", error: details.error });
    await this.refresh(details.tabId);
  }

  /** Only the main frame of a claimed tab counts, and no prerendered one. */
  private handles(details: Details): boolean {
    return details.frameId === 0 && details.documentLifecycle !== "prerender" && this.claims.has(details.tabId);
  }

  private set(tabId: number, id: string, url: string, failed = false): Runtime {
    const previous = this.runtimes.get(tabId);
    if (previous?.id === id) {
      previous.url = url;
      return previous;
    }
    const runtime: Runtime = { id, url, failed };
    this.runtimes.set(tabId, runtime);
    this.emit(tabId, { kind: "replaced", runtime, previous });
    return runtime;
  }

  private emit(tabId: number, event: DocumentEvent): void {
    for (const watcher of [...this.watchers]) watcher(tabId, event);
  }
}

/** Throws state_mismatch if an origin is given and the address is of another one. */
export function demandOrigin(url: string, origin: string | undefined): void {
  if (origin === undefined || originOf(url) === origin) return;
  throw Fault.new("state_mismatch", "the tab shows a page of another origin now", {
    dispatched: "no",
    evidence: { origin, current_origin: originOf(url) },
  });
}
