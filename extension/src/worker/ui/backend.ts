// Rule of this file: only this extension's own pages may ask for anything, the
// claim of a tab above all. The sender is judged by what the browser reports of
// it, never by the message.

import type { Tab } from "../../protocol";
import { isUiRequest, type UiAnswer, type UiRequest, type UiState, type UiTab } from "../../ui/shared/messages";
import { browserName, nameProfile, profile } from "../connection/handshake";
import type { Link } from "../connection/link";
import { repairCommand, stateText } from "../connection/states";
import type { Pages } from "../page/pages";
import { withApiTimeout } from "../shared/async";
import { Fault } from "../shared/fault";
import { hostOf, restricted } from "../shared/urls";
import type { Claims } from "../tabs/claims";
import type { Documents } from "../tabs/documents";
import type { Handover } from "../tabs/handover";
import { describe, tabsOf } from "../tabs/tabs";
import { fromOwnPage } from "./own-pages";

/** For a page that is slow to show the pane. */
const SHOW_PANE_TIMEOUT_MS = 8_000;

/** Answers the popup and the options page. */
export class UiBackend {
  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
    private readonly handover: Handover,
    private readonly pages: Pages,
    private readonly link: Link,
  ) {}

  /** Handles the message; returns false if it is not for this class. */
  receive(message: unknown, sender: chrome.runtime.MessageSender, respond: (answer: unknown) => void): boolean {
    if (!isUiRequest(message) || !fromOwnPage(sender)) return false;
    this.answer(message).then(respond, (error: unknown) => respond({ ok: false, error: Fault.of(error).data }));
    return true;
  }

  private async answer(request: UiRequest): Promise<UiState | UiAnswer> {
    await this.claims.restored();
    switch (request.kind) {
      case "ui_state":
        return this.state();
      case "ui_claim":
        return { ok: true, tab: await this.claim(request.tab_id) };
      case "ui_release":
        await this.handover.release(request.tab_id, "user");
        return { ok: true };
      case "ui_show_pane":
        await this.showPane(request.tab_id);
        return { ok: true };
      case "ui_label":
        await nameProfile(request.label);
        return { ok: true };
      case "ui_retry":
        this.link.retry();
        return { ok: true };
      case "ui_host":
        return { ok: true, answer: await this.link.request(request.method, request.params) };
    }
  }

  private claim(tabId: number): Promise<Tab> {
    if (this.link.state.state === "connected") return this.handover.claim(tabId);
    throw Fault.new("transport_failed", stateText(this.link.state, chrome.i18n.getMessage), { dispatched: "no" });
  }

  /** Shows the pane at the user's own request, which needs no host. */
  private async showPane(tabId: number): Promise<void> {
    const call = { call_id: crypto.randomUUID(), name: "overlay.menu.show", arguments: {}, tab_id: tabId, timeout_ms: SHOW_PANE_TIMEOUT_MS };
    await this.pages.call(call, new AbortController().signal);
  }

  private async state(): Promise<UiState> {
    const [{ profile_label }, claimed, [active]] = await Promise.all([
      profile(),
      tabsOf(this.claims, this.documents),
      withApiTimeout("chrome.tabs.query", chrome.tabs.query({ active: true, lastFocusedWindow: true })),
    ]);
    const { state } = this.link.state;
    const repair = repairCommand(this.link.state, browserName());
    const message = stateText(this.link.state, chrome.i18n.getMessage);
    const shown: UiState = {
      connection: repair === undefined ? { state, message } : { state, message, repair },
      tab: active?.id === undefined ? null : this.toUiTab(describe(active, this.documents)),
      claimed: claimed.map((tab) => this.toUiTab(tab)),
      profile_label,
      extension_version: chrome.runtime.getManifest().version,
    };
    if (this.link.state.state === "connected") shown.host_version = this.link.state.host_version;
    return shown;
  }

  private toUiTab(tab: Tab): UiTab {
    const { tab_id, title, url } = tab;
    return { tab_id, title, url, host: hostOf(url), claimed: this.claims.has(tab_id), operable: !restricted(url) };
  }
}
