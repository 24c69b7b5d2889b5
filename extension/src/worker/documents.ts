// Rule of this file: it knows the current document of each claimed tab, from
// the browser's events, and asks the browser where it does not. A document's
// id is the runtime id: a new document is a new runtime.

import { asked } from "./bounded";
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
  /** It has settled well: the next call need not wait for anything. */
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
   * Asks the browser which document the tab shows now. This also finds what no
   * commit announces, such as error pages and prerendered documents.
   */
  async refresh(tabId: number): Promise<Runtime | undefined> {
    const frame = await asked("chrome.webNavigation.getFrame", chrome.webNavigation.getFrame({ tabId, frameId: 0 }));
    if (!frame?.documentId) return undefined;
    return this.set(tabId, frame.documentId, frame.url, frame.errorOccurred);
  }

  /** The tab is no longer claimed. */
  forget(tabId: number): Runtime | undefined {
    const runtime = this.runtimes.get(tabId);
    this.runtimes.delete(tabId);
    this.emit(tabId, { kind: "released" });
    return runtime;
  }

  begun(details: Details): void {
    if (this.concerns(details)) this.emit(details.tabId, { kind: "begun" });
  }

  committed(details: Details): void {
    if (this.concerns(details) && details.documentId) this.set(details.tabId, details.documentId, details.url);
  }

  /** The address changed and the document stayed. */
  moved(details: Details): void {
    if (!this.concerns(details)) return;
    const runtime = this.runtimes.get(details.tabId);
    if (runtime && runtime.id === details.documentId) runtime.url = details.url;
    this.emit(details.tabId, { kind: "moved", url: details.url });
  }

  parsed(details: Details): void {
    if (!this.concerns(details) || !details.documentId) return;
    this.set(details.tabId, details.documentId, details.url);
    this.emit(details.tabId, { kind: "parsed", runtimeId: details.documentId });
  }

  /** A navigation failed; the tab may now show the browser's error page. */
  async failed(details: Details & { error: string }): Promise<void> {
    if (!this.concerns(details)) return;
    this.emit(details.tabId, { kind: "failed", error: details.error });
    await this.refresh(details.tabId);
  }

  /** Only the main frame of a claimed tab counts, and no prerendered one. */
  private concerns(details: Details): boolean {
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
