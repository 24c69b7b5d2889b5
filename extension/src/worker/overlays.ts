// Rule of this file: it passes on between the extension's frames in claimed tabs
// and the content script that owns them, and remembers the pane of each tab.
// Who speaks is the browser's word; a page of the extension in any other tab,
// or one that a web page embeds itself, gets no answer.

import { FIRST_PANE, isFrameMessage, isPaneMessage, isPaneState, type FrameAnswer, type FrameMessage, type PaneMessage, type PaneState } from "../ui/frame-messages";
import { asked } from "./bounded";
import type { Claims } from "./claims";
import type { Documents } from "./documents";
import { report } from "./fault";
import { isOwnFrame } from "./own-pages";
import type { Link } from "./port";

type Sender = chrome.runtime.MessageSender;

/** Where a pane that was never moved in its tab begins: as the user left the last one. */
const DEFAULT_KEY = "pane_default";
const keyOf = (tabId: number): string => `pane:${tabId}`;

/** The pane, the report and the launchers, as far as the worker has to do with them. */
export class Overlays {
  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
    private readonly link: Link,
  ) {}

  /** Takes the message, or says that it is nobody's here; true says that an answer follows. */
  receive(message: unknown, sender: Sender, respond: (answer: unknown) => void): boolean | undefined {
    if (sender.id !== chrome.runtime.id || sender.tab?.id === undefined) return undefined;
    const tabId = sender.tab.id;
    if (isFrameMessage(message)) {
      if (!isOwnFrame(sender)) return undefined;
      this.forward(message, tabId).then(respond, () => respond({ ok: false }));
      return true;
    }
    if (!isPaneMessage(message) || sender.frameId !== 0) return undefined;
    this.hear(message, tabId, sender).then(respond, (error: unknown) => {
      report("A message about the pane was not handled", error);
      respond(null);
    });
    return true;
  }

  /** Whether the sender is the pane that the content script of a claimed tab put there. */
  async owns(sender: Sender, key: string): Promise<boolean> {
    const tabId = sender.tab?.id;
    if (sender.id !== chrome.runtime.id || tabId === undefined || !isOwnFrame(sender)) return false;
    const question: FrameMessage = { kind: "own_frame", key, ask: "hello" };
    return this.forward(question, tabId).then(({ ok }) => ok, () => false);
  }

  /** The tab is no longer claimed: nothing of it is remembered, and nothing stays in its page. */
  async released(tabId: number): Promise<void> {
    await asked("chrome.storage.session.remove", chrome.storage.session.remove(keyOf(tabId)));
    // A tab that was closed, or whose page has no content script, has nothing to take away.
    await chrome.tabs.sendMessage(tabId, { kind: "released" }, { frameId: 0 }).catch(() => {});
  }

  private async forward(message: FrameMessage, tabId: number): Promise<FrameAnswer> {
    await this.claims.restored();
    if (!this.claims.has(tabId)) return { ok: false };
    const answer = await asked("the content script", chrome.tabs.sendMessage<FrameMessage, FrameAnswer>(tabId, message, { frameId: 0 }));
    if (!answer?.ok) return { ok: false };
    if (message.ask !== "drag" || message.phase !== "start") return answer;
    return { ...answer, zoom: await asked("chrome.tabs.getZoom", chrome.tabs.getZoom(tabId)) };
  }

  private async hear(message: PaneMessage, tabId: number, sender: Sender): Promise<PaneState | null> {
    await this.claims.restored();
    if (!this.claims.has(tabId)) return null;
    switch (message.kind) {
      case "pane_restore":
        return this.remembered(tabId);
      case "pane_state":
        await this.remember(tabId, message.state);
        return null;
      case "launcher": {
        const runtime = this.documents.current(tabId) ?? (await this.documents.refresh(tabId));
        if (!runtime || runtime.id !== sender.documentId) return null;
        this.link.notify("launcher_clicked", { tab_id: tabId, runtime_id: runtime.id, id: message.id, url: sender.url ?? runtime.url });
        return null;
      }
    }
  }

  private async remembered(tabId: number): Promise<PaneState> {
    const key = keyOf(tabId);
    const [session, local] = await Promise.all([
      asked("chrome.storage.session.get", chrome.storage.session.get(key)),
      asked("chrome.storage.local.get", chrome.storage.local.get(DEFAULT_KEY)),
    ]);
    if (isPaneState(session[key])) return session[key];
    return isPaneState(local[DEFAULT_KEY]) ? local[DEFAULT_KEY] : FIRST_PANE;
  }

  private async remember(tabId: number, state: PaneState): Promise<void> {
    await Promise.all([
      asked("chrome.storage.session.set", chrome.storage.session.set({ [keyOf(tabId)]: state })),
      // Whether it is open is a matter of each tab.
      asked("chrome.storage.local.set", chrome.storage.local.set({ [DEFAULT_KEY]: { ...state, open: false, hidden: false } })),
    ]);
  }
}
