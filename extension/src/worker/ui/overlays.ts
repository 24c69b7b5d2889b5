// Rule of this file: it passes on between the extension's frames in claimed tabs
// and the content script that owns them, and remembers the pane of each tab.
// The sender is known from the browser; a page of the extension in any other tab,
// or one that a web page embeds itself, gets no answer.

import { FIRST_PANE, isFrameMessage, isPaneMessage, isPaneState, type FrameAnswer, type FrameMessage, type PaneMessage, type PaneState } from "../../ui/shared/frame-messages";
import { SAVE_CONVERSATION, savePage } from "../../ui/shared/save-messages";
import type { Link } from "../connection/link";
import type { InputTracker } from "../input/inputs";
import { pause, withApiTimeout } from "../shared/async";
import type { Dropped } from "../shared/dropped";
import { report } from "../shared/fault";
import type { Claims } from "../tabs/claims";
import type { Documents } from "../tabs/documents";
import { isOwnFrame } from "./own-pages";

type Sender = chrome.runtime.MessageSender;

/** Where a pane that was never moved in its tab begins: as the user left the last one. */
const DEFAULT_KEY = "pane_default";
/** What the user decides in a picker. While an agent's own input is under way it may not be the user's. */
const DECISIONS = ["climb", "choose", "cancel"];
/** How long a page may take to say whether it shows the pane. */
const BUSY_PAGE_TIMEOUT_MS = 1_000;

const keyOf = (tabId: number): string => `pane:${tabId}`;

/** Serves the pane, the report and the launchers. */
export class Overlays {
  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
    private readonly link: Link,
    private readonly dropped: Dropped,
    private readonly inputs: InputTracker,
  ) {}

  /** Handles the message; returns undefined if it is not for this class, true if an answer follows. */
  receive(message: unknown, sender: Sender, respond: (answer: unknown) => void): boolean | undefined {
    if (sender.id !== chrome.runtime.id || sender.tab?.id === undefined) return undefined;
    const tabId = sender.tab.id;
    if (isFrameMessage(message)) {
      if (!isOwnFrame(sender)) return undefined;
      this.forward(message, tabId, sender).then(respond, () => respond({ ok: false }));
      return true;
    }
    if (!isPaneMessage(message) || sender.frameId !== 0) return undefined;
    this.handlePaneMessage(message, tabId, sender).then(respond, (error: unknown) => {
      report("A message about the pane was not handled", error);
      respond(null);
    });
    return true;
  }

  /** Reports whether the sender is the pane that the content script of a claimed tab put there; throws where that does not answer. */
  async owns(sender: Sender, key: string): Promise<boolean> {
    const tabId = sender.tab?.id;
    if (sender.id !== chrome.runtime.id || tabId === undefined || !isOwnFrame(sender)) return false;
    const question: FrameMessage = { kind: "own_frame", key, ask: "hello" };
    return (await this.forward(question, tabId, sender)).ok;
  }

  /** Reports whether the tab's pane is shown, and not as a button only. A page that is busy is believed to be as it was left. */
  isShowing(tabId: number, key: string): Promise<boolean> {
    const question: FrameMessage = { kind: "own_frame", key, ask: "showing" };
    const answer = this.forward(question, tabId).then((given) => given.ok && given.showing === true, () => false);
    return Promise.race([answer, pause(BUSY_PAGE_TIMEOUT_MS).then(() => this.wasShown(tabId))]);
  }

  /** Reports whether the tab's pane is to be shown, as far as the worker knows. */
  async wasShown(tabId: number): Promise<boolean> {
    const { open, hidden, collapsed } = await this.loadPane(tabId);
    return open && !hidden && !collapsed;
  }

  /** Forgets a tab that is no longer claimed, and has its page remove everything. */
  async released(tabId: number): Promise<void> {
    await withApiTimeout("chrome.storage.session.remove", chrome.storage.session.remove(keyOf(tabId)));
    // A tab that was closed, or whose page has no content script, has nothing to take away.
    await chrome.tabs.sendMessage(tabId, { kind: "released" }).catch(() => {});
  }

  private async forward(message: FrameMessage, tabId: number, sender?: Sender): Promise<FrameAnswer> {
    await this.claims.restored();
    if (!this.claims.has(tabId)) return { ok: false };
    if (message.ask === "save") return this.openSavePage(message, tabId);
    if (DECISIONS.includes(message.ask) && this.inputs.mayBeEcho(tabId)) return { ok: true };
    const answer = await withApiTimeout("the content script", chrome.tabs.sendMessage<FrameMessage, FrameAnswer>(tabId, message, { frameId: 0 }));
    if (!answer?.ok) {
      // Later a frame's key may be that of one made anew.
      if (answer && sender && message.ask === "hello") this.dropped.add("frames", sender);
      return { ok: false };
    }
    if (message.ask !== "drag" || message.phase !== "start") return answer;
    return { ...answer, zoom: await withApiTimeout("chrome.tabs.getZoom", chrome.tabs.getZoom(tabId)) };
  }

  /** Opens the page in which the user saves what the tab's agent did, unless an agent may have pressed the button. */
  private async openSavePage({ key }: FrameMessage, tabId: number): Promise<FrameAnswer> {
    if (this.inputs.mayBeEcho(tabId)) return { ok: true };
    const owner = await this.forward({ kind: "own_frame", key, ask: "showing" }, tabId);
    if (!owner.ok || owner.showing !== true) return { ok: false };
    const url = chrome.runtime.getURL(savePage(tabId, SAVE_CONVERSATION));
    await withApiTimeout("chrome.tabs.create", chrome.tabs.create({ url, openerTabId: tabId }));
    return { ok: true };
  }

  private async handlePaneMessage(message: PaneMessage, tabId: number, sender: Sender): Promise<PaneState | null> {
    await this.claims.restored();
    if (!this.claims.has(tabId)) {
      // A document that comes back from the cache missed the end of the claim.
      if (message.kind === "pane_restore") await this.released(tabId);
      return null;
    }
    switch (message.kind) {
      case "pane_restore":
        return this.loadPane(tabId);
      case "pane_state":
        await this.savePane(tabId, message.state);
        return null;
      case "launcher": {
        const runtime = this.documents.current(tabId) ?? (await this.documents.refresh(tabId));
        if (!runtime || runtime.id !== sender.documentId) return null;
        this.link.notify("launcher_clicked", { tab_id: tabId, runtime_id: runtime.id, id: message.id, url: sender.url ?? runtime.url });
        return null;
      }
    }
  }

  private async loadPane(tabId: number): Promise<PaneState> {
    const key = keyOf(tabId);
    const [session, local] = await Promise.all([
      withApiTimeout("chrome.storage.session.get", chrome.storage.session.get(key)),
      withApiTimeout("chrome.storage.local.get", chrome.storage.local.get(DEFAULT_KEY)),
    ]);
    if (isPaneState(session[key])) return session[key];
    return isPaneState(local[DEFAULT_KEY]) ? local[DEFAULT_KEY] : FIRST_PANE;
  }

  private async savePane(tabId: number, state: PaneState): Promise<void> {
    await Promise.all([
      withApiTimeout("chrome.storage.session.set", chrome.storage.session.set({ [keyOf(tabId)]: state })),
      // Whether it is open is kept per tab only.
      withApiTimeout("chrome.storage.local.set", chrome.storage.local.set({ [DEFAULT_KEY]: { ...state, open: false, hidden: false } })),
    ]);
  }
}
