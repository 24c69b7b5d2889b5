// Rule of this file: only the browser knows which requests of a page are under way.
// They are watched in claimed tabs only, and nothing of them is kept but that they
// are not answered yet.

import type { Claims } from "../tabs/claims";

type Sender = chrome.runtime.MessageSender;
type Details = Pick<chrome.webRequest.WebRequestDetails, "requestId" | "type">;

/** From a content script: how long the requests of its tab have been over. */
export interface RequestsQuestion {
  kind: "requests";
}

interface Watched {
  pending: Set<string>;
  /** When a request was last begun or ended. */
  lastAt: number;
  stop(): void;
}

/** Watches the requests of claimed tabs. */
export class Requests {
  private readonly tabs = new Map<number, Watched>();

  constructor(private readonly claims: Claims) {}

  /** Watches the requests of the tab from now on. */
  watch(tabId: number): void {
    if (this.tabs.has(tabId)) return;
    const watched: Watched = { pending: new Set(), lastAt: performance.now(), stop: () => {} };
    const begin = ({ requestId, type }: Details): undefined => {
      watched.lastAt = performance.now();
      // A page that left is waited for by its requests no more.
      if (type === "main_frame") watched.pending.clear();
      watched.pending.add(requestId);
    };
    // What a WebSocket brings is not seen: it counts as under way until the page leaves.
    const end = ({ requestId, type }: Details): void => {
      watched.lastAt = performance.now();
      if (type !== "websocket") watched.pending.delete(requestId);
    };
    const filter = { urls: ["<all_urls>"], tabId };
    const { onBeforeRequest, onCompleted, onErrorOccurred } = chrome.webRequest;
    onBeforeRequest.addListener(begin, filter);
    onCompleted.addListener(end, filter);
    onErrorOccurred.addListener(end, filter);
    watched.stop = () => {
      onBeforeRequest.removeListener(begin);
      onCompleted.removeListener(end);
      onErrorOccurred.removeListener(end);
    };
    this.tabs.set(tabId, watched);
  }

  forget(tabId: number): void {
    this.tabs.get(tabId)?.stop();
    this.tabs.delete(tabId);
  }

  handles(message: unknown, sender: Sender): message is RequestsQuestion {
    return (message as { kind?: unknown } | null)?.kind === "requests" && sender.id === chrome.runtime.id && sender.tab?.id !== undefined && this.claims.has(sender.tab.id);
  }

  /** Returns for how many milliseconds no request of the sender's tab has been under way; 0 while one is. */
  quietMs(sender: Sender): number {
    const watched = this.tabs.get(sender.tab?.id ?? -1);
    return !watched || watched.pending.size > 0 ? 0 : performance.now() - watched.lastAt;
  }
}
