// Rule of this file: which document stands in which frame element is told by the
// pages' scripts alone: the one that holds the frame posts a key to its window,
// and the one inside reports it. A key counts only from below the document that
// gave it, and every wait for one has a limit.

import type { Claims } from "./claims";
import type { Doc } from "./frame-tree";

/** What a document in a frame says when it got its key. */
interface KeyMessage {
  kind: "frame_key";
  key: string;
  origin: string;
}

/** The key of a frame and the document whose script gave it. */
export interface Holder {
  key: string;
  document_id: string;
}

type Sender = chrome.runtime.MessageSender;

const WAIT_MS = 2_000;
/** A script that came late missed the key. */
const REPEAT_MS = 250;

interface Known {
  /** By the browser's number of the frame. */
  holders: Map<number, Holder>;
  /** What documents say of their own origin, by their ids. */
  origins: Map<string, string>;
}

export class FrameKeys {
  /** By tab. */
  private readonly known = new Map<number, Known>();
  private readonly expected = new Map<string, { tabId: number; documentId: string; told: () => void }>();

  constructor(private readonly claims: Claims) {}

  holderOf(tabId: number, frameId: number): Holder | undefined {
    return this.known.get(tabId)?.holders.get(frameId);
  }

  frameOf(tabId: number, key: string): number | undefined {
    for (const [frameId, holder] of this.known.get(tabId)?.holders ?? []) if (holder.key === key) return frameId;
    return undefined;
  }

  originsOf(tabId: number): ReadonlyMap<string, string> {
    return this.of(tabId).origins;
  }

  /** Forgets what is no longer in the tab. */
  prune(tabId: number, docs: readonly Doc[]): void {
    const { holders, origins } = this.of(tabId);
    const ids = new Set(docs.map((doc) => doc.id));
    const frames = new Set(docs.map((doc) => doc.frameId));
    for (const [frameId, holder] of holders) if (!frames.has(frameId) || !ids.has(holder.document_id)) holders.delete(frameId);
    for (const id of origins.keys()) if (!ids.has(id)) origins.delete(id);
  }

  forget(tabId: number): void {
    this.known.delete(tabId);
  }

  private of(tabId: number): Known {
    let known = this.known.get(tabId);
    if (!known) this.known.set(tabId, (known = { holders: new Map(), origins: new Map() }));
    return known;
  }

  /**
   * Has the keys posted until enough of them are reported or the time is over.
   * The listener must stand in the documents before.
   */
  async learn(tabId: number, documentId: string, keys: string[], enough: number, post: () => Promise<unknown>): Promise<void> {
    const told = new Set<string>();
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const tell = (key: string): void => {
      told.add(key);
      if (told.size >= enough) finish();
    };
    for (const key of keys) this.expected.set(key, { tabId, documentId, told: () => tell(key) });
    const end = Date.now() + WAIT_MS;
    try {
      while (told.size < enough && Date.now() < end) {
        await post();
        await Promise.race([finished, pause(REPEAT_MS)]);
      }
    } finally {
      for (const key of keys) this.expected.delete(key);
    }
  }

  concerns(message: unknown, sender: Sender): message is KeyMessage {
    const { kind, key, origin } = (message ?? {}) as Record<string, unknown>;
    return kind === "frame_key" && typeof key === "string" && typeof origin === "string" && sender.id === chrome.runtime.id;
  }

  take(message: KeyMessage, sender: Sender): void {
    const tabId = sender.tab?.id;
    const want = this.expected.get(message.key);
    if (tabId === undefined || sender.frameId === undefined || !sender.documentId || want?.tabId !== tabId || !this.claims.has(tabId)) return;
    const { holders, origins } = this.of(tabId);
    holders.set(sender.frameId, { key: message.key, document_id: want.documentId });
    origins.set(sender.documentId, message.origin);
    want.told();
  }
}

/**
 * Runs in the document of a frame, by itself: it passes on the keys that the
 * documents around the frame post.
 */
export function listenForKeys(): void {
  const world = globalThis as { [mark: symbol]: true };
  const listens = Symbol.for("actions-host.keys");
  if (world[listens]) return;
  world[listens] = true;
  window.addEventListener(
    "message",
    (event) => {
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
    },
    true,
  );
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
