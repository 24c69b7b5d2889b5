// Rule of this file: which document is in which frame element is reported by the
// pages' scripts alone: the one that holds the frame posts a key to its window,
// and the one inside reports it. A key counts only from below the document that
// gave it and through documents that this one enters itself: a frame can hand its key
// on to those in it. Every wait for a key has a limit.

import { pause } from "../shared/async";
import type { Claims } from "../tabs/claims";
import type { FrameMemory, Holder } from "./memory";
import type { Doc } from "./tree";

/** The message of a document in a frame when it has received its key. */
interface KeyMessage {
  kind: "frame_key";
  key: string;
  origin: string;
}

type Sender = chrome.runtime.MessageSender;

const KEY_TIMEOUT_MS = 2_000;
/** A script that came late missed the key. */
const REPEAT_INTERVAL_MS = 250;
/** Reports of a key come until its repetitions are over, long after the first. */
const MAX_GIVEN = 1_000;

export class FrameKeys {
  /** The tabs of the keys given last. */
  private readonly given = new Map<string, number>();
  private readonly expected = new Map<string, { tabId: number; documentId: string; onReported: () => void }>();

  constructor(
    private readonly claims: Claims,
    private readonly memory: FrameMemory,
  ) {}

  holderOf(tabId: number, frameId: number): Holder | undefined {
    return this.memory.tabs.get(tabId)?.holders.get(frameId);
  }

  frameOf(tabId: number, key: string): number | undefined {
    for (const [frameId, holder] of this.memory.tabs.get(tabId)?.holders ?? []) if (holder.key === key) return frameId;
    return undefined;
  }

  originsOf(tabId: number): ReadonlyMap<string, string> {
    return this.memory.of(tabId).origins;
  }

  /** Forgets what is no longer in the tab. */
  prune(tabId: number, docs: readonly Doc[]): void {
    const { holders, origins } = this.memory.of(tabId);
    const ids = new Set(docs.map((doc) => doc.id));
    const frames = new Set(docs.map((doc) => doc.frameId));
    for (const [frameId, holder] of holders) if (!frames.has(frameId) || !ids.has(holder.document_id)) holders.delete(frameId);
    for (const id of origins.keys()) if (!ids.has(id)) origins.delete(id);
  }

  forget(tabId: number): void {
    if (this.memory.tabs.delete(tabId)) void this.memory.save();
  }

  /**
   * Has the keys posted until enough is known or the time is over. What posts them
   * installs the listener before.
   */
  async learn(tabId: number, documentId: string, keys: string[], enough: (reported: ReadonlySet<string>) => boolean, post: () => Promise<unknown>): Promise<void> {
    const reported = new Set<string>();
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const addReported = (key: string): void => {
      reported.add(key);
      if (enough(reported)) finish();
    };
    for (const key of keys) {
      this.given.set(key, tabId);
      this.expected.set(key, { tabId, documentId, onReported: () => addReported(key) });
    }
    for (const [oldest] of this.given) if (this.given.size > MAX_GIVEN) this.given.delete(oldest);
    const end = Date.now() + KEY_TIMEOUT_MS;
    try {
      while (!enough(reported) && Date.now() < end) {
        await post();
        await Promise.race([finished, pause(REPEAT_INTERVAL_MS)]);
      }
    } finally {
      for (const key of keys) this.expected.delete(key);
    }
  }

  /** Reports whether the message is a key that was given in the sender's tab, from the origin that the browser reports. */
  handles(message: unknown, sender: Sender): message is KeyMessage {
    const { kind, key, origin } = (message ?? {}) as Record<string, unknown>;
    const formed = kind === "frame_key" && typeof key === "string" && typeof origin === "string";
    if (!formed || sender.id !== chrome.runtime.id || sender.tab?.id === undefined) return false;
    return this.given.get(key) === sender.tab.id && isOrigin(origin, sender);
  }

  receive(message: KeyMessage, sender: Sender): void {
    const tabId = sender.tab?.id;
    const want = this.expected.get(message.key);
    if (tabId === undefined || sender.frameId === undefined || !sender.documentId || want?.tabId !== tabId || !this.claims.has(tabId)) return;
    const { holders, origins } = this.memory.of(tabId);
    holders.set(sender.frameId, { key: message.key, document_id: want.documentId });
    origins.set(sender.documentId, message.origin);
    void this.memory.save();
    want.onReported();
  }
}

/** Reports whether the sender has the origin. A script calls that of a file "null", the browser "file://". */
function isOrigin(origin: string, sender: Sender): boolean {
  return sender.origin === undefined || sender.origin === origin || (origin === "null" && !/^https?:/.test(sender.origin));
}

/**
 * Runs inside the document of a frame, self-contained: it passes on the keys that the
 * documents around the frame post.
 */
export function listenForKeys(): void {
  const world = globalThis as { [mark: symbol]: true };
  const listens = Symbol.for("actions-host.keys");
  if (world[listens]) return;
  world[listens] = true;
  const listen = (): void => window.addEventListener("message", pass, true);
  const pass = (event: MessageEvent): void => {
    const data: unknown = event.data;
    const key: unknown = typeof data === "object" && data !== null ? (data as Record<string, unknown>)["actions-host.frame"] : undefined;
    if (typeof key !== "string" || key.length > 64) return;
    event.stopImmediatePropagation();
    let above: Window = window;
    let around = false;
    while (above !== above.parent) {
      above = above.parent;
      if (event.source === above) around = true;
    }
    if (around) void chrome.runtime?.sendMessage({ kind: "frame_key", key, origin: self.origin });
  };
  listen();
  // document.open() removes the listener, and leaves this script.
  new MutationObserver(listen).observe(document, { childList: true });
}
