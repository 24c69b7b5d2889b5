// Rule of this file: what is known of frames outlives this worker, like the claims.
// A frame that hangs cannot be asked again: one that had answered before is known, and
// one that never answered has issued nothing.

import { once, withApiTimeout } from "../shared/async";
import { report } from "../shared/fault";

/** The key of a frame and the document whose script created it. */
export interface Holder {
  key: string;
  document_id: string;
}

/** The known frames of one tab. */
export interface TabFrames {
  /** By the browser's frame id. */
  holders: Map<number, Holder>;
  /** The origins that documents report of themselves, by document id. */
  origins: Map<string, string>;
}

interface Stored {
  tokens: [string, string][];
  tabs: [number, { holders: [number, Holder][]; origins: [string, string][] }][];
}

const KEY = "frames";
const MAX_KNOWN = 1_000;

export class FrameMemory {
  /** The tokens of the content scripts, by document id. */
  readonly tokens = new Map<string, string>();
  readonly tabs = new Map<number, TabFrames>();
  private saving: Promise<void> | undefined;

  /** Reads what an earlier run of the worker saved, once. */
  readonly restored = once(() => this.load());

  /** Writes what is known by now; settles when it is stored. */
  save(): Promise<void> {
    // What comes in the same turn is written at once.
    this.saving ??= Promise.resolve().then(() => {
      this.saving = undefined;
      return this.write();
    });
    return this.saving;
  }

  of(tabId: number): TabFrames {
    const known = this.tabs.get(tabId) ?? { holders: new Map(), origins: new Map() };
    this.tabs.set(tabId, known);
    return known;
  }

  private async load(): Promise<void> {
    const stored = await withApiTimeout("chrome.storage.session.get", chrome.storage.session.get(KEY));
    const { tokens = [], tabs = [] } = (stored[KEY] ?? {}) as Partial<Stored>;
    for (const [id, token] of tokens) if (!this.tokens.has(id)) this.tokens.set(id, token);
    for (const [tabId, { holders, origins }] of tabs) {
      if (!this.tabs.has(tabId)) this.tabs.set(tabId, { holders: new Map(holders), origins: new Map(origins) });
    }
  }

  private async write(): Promise<void> {
    for (const [id] of this.tokens) if (this.tokens.size > MAX_KNOWN) this.tokens.delete(id); // the oldest
    const tabs = [...this.tabs].map(([tabId, { holders, origins }]) => [tabId, { holders: [...holders], origins: [...origins] }]);
    const stored = { tokens: [...this.tokens], tabs } as Stored;
    try {
      await withApiTimeout("chrome.storage.session.set", chrome.storage.session.set({ [KEY]: stored }));
    } catch (error) {
      report("What is known of frames was not saved", error);
    }
  }
}
