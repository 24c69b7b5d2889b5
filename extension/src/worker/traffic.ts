// Rule of this file: of the requests of a claimed tab only this is known: how
// many are under way, and how long nothing has happened. Tabs that are not
// claimed are not listened to. Connections that never end by their nature (web
// sockets, event streams) do not count.

import type { TabTraffic } from "../protocol";
import type { Claims } from "./claims";
import { textOf } from "./fault";

type Details = { requestId: string; type: string };

const EVENT_STREAM = /^text\/event-stream\b/i;

/** The traffic of the claimed tabs. */
export class Traffic {
  private readonly watched = new Map<number, Watch>();

  constructor(private readonly claims: Claims) {}

  /** Listens to the claimed tabs, and to no others. */
  follow(): void {
    for (const [tabId, watch] of this.watched) {
      if (this.claims.has(tabId)) continue;
      watch.stop();
      this.watched.delete(tabId);
    }
    for (const tabId of this.claims.ids()) {
      if (!this.watched.has(tabId)) this.watched.set(tabId, new Watch(tabId));
    }
  }

  of(tabId: number): TabTraffic {
    this.claims.demand(tabId);
    this.follow();
    return this.watched.get(tabId)?.state() ?? { pending: 0, quiet_ms: 0, observed: false };
  }
}

/** The requests of one tab. */
class Watch {
  private readonly pending = new Set<string>();
  private last = Date.now();
  private observed = false;

  constructor(tabId: number) {
    const filter = { urls: ["<all_urls>"], tabId };
    const { onBeforeRequest, onResponseStarted, onCompleted, onErrorOccurred } = chrome.webRequest;
    try {
      onBeforeRequest.addListener(this.began, filter);
      onResponseStarted.addListener(this.answered, filter, ["responseHeaders"]);
      onCompleted.addListener(this.ended, filter);
      onErrorOccurred.addListener(this.ended, filter);
    } catch (error) {
      // A tab that has just been closed cannot be listened to.
      console.warn(`The traffic of tab ${tabId} is not seen: ${textOf(error)}`);
    }
  }

  state(): TabTraffic {
    return { pending: this.pending.size, quiet_ms: Math.max(0, Date.now() - this.last), observed: this.observed };
  }

  stop(): void {
    chrome.webRequest.onBeforeRequest.removeListener(this.began);
    chrome.webRequest.onResponseStarted.removeListener(this.answered);
    chrome.webRequest.onCompleted.removeListener(this.ended);
    chrome.webRequest.onErrorOccurred.removeListener(this.ended);
  }

  private readonly began = ({ requestId, type }: Details): undefined => {
    if (type === "websocket") return;
    if (type === "main_frame") {
      // What the document before had under way ended with it.
      this.pending.clear();
      this.observed = true;
    }
    this.pending.add(requestId);
    this.last = Date.now();
  };

  private readonly answered = ({ requestId, responseHeaders }: chrome.webRequest.OnResponseStartedDetails): void => {
    const endless = responseHeaders?.some(({ name, value }) => name.toLowerCase() === "content-type" && EVENT_STREAM.test(value ?? ""));
    if (endless) this.pending.delete(requestId);
  };

  private readonly ended = ({ requestId }: Details): void => {
    if (this.pending.delete(requestId)) this.last = Date.now();
  };
}
