// Rule of this file: only this extension's own pages may ask for anything, the
// claim of a tab above all. Who asks is judged by what the browser says of the
// sender, never by what the message says.

import { isUiRequest, type UiAnswer, type UiRequest, type UiState, type UiTab } from "../ui/messages";
import type { Tab } from "../protocol";
import { asked } from "./bounded";
import type { Claims } from "./claims";
import type { Documents } from "./documents";
import { Fault } from "./fault";
import type { Handover } from "./handover";
import { browserName, nameProfile, profile } from "./handshake";
import { fromOwnPage } from "./own-pages";
import type { Pages } from "./page";
import type { Link } from "./port";
import { repairCommand, words } from "./states";
import { describe, tabsOf } from "./tabs";
import { hostOf, restricted } from "./urls";

/** For a page that is slow to show the pane. */
const SHOW_MS = 8_000;

/** Answers the popup and the options page. */
export class UiDesk {
  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
    private readonly handover: Handover,
    private readonly pages: Pages,
    private readonly link: Link,
  ) {}

  /** Takes the message, or says that it is nobody's here. */
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
      case "ui_desk": {
        const { answer } = await this.link.request("desk_command", { command: request.command, arguments: request.arguments });
        return { ok: true, answer };
      }
    }
  }

  private claim(tabId: number): Promise<Tab> {
    if (this.link.state.state === "connected") return this.handover.claim(tabId);
    throw Fault.new("transport_failed", words(this.link.state, chrome.i18n.getMessage), { dispatched: "no" });
  }

  /** The user wants the pane himself, which needs no host. */
  private async showPane(tabId: number): Promise<void> {
    const call = { call_id: crypto.randomUUID(), name: "overlay.menu.show", arguments: {}, tab_id: tabId, timeout_ms: SHOW_MS };
    await this.pages.call(call, new AbortController().signal);
  }

  private async state(): Promise<UiState> {
    const [{ profile_label }, claimed, [active]] = await Promise.all([
      profile(),
      tabsOf(this.claims, this.documents),
      asked("chrome.tabs.query", chrome.tabs.query({ active: true, lastFocusedWindow: true })),
    ]);
    const { state } = this.link.state;
    const repair = repairCommand(this.link.state, browserName());
    const message = words(this.link.state, chrome.i18n.getMessage);
    const shown: UiState = {
      connection: repair === undefined ? { state, message } : { state, message, repair },
      tab: active?.id === undefined ? null : this.show(describe(active, this.documents)),
      claimed: claimed.map((tab) => this.show(tab)),
      profile_label,
      extension_version: chrome.runtime.getManifest().version,
    };
    if (this.link.state.state === "connected") shown.host_version = this.link.state.host_version;
    return shown;
  }

  private show(tab: Tab): UiTab {
    const { tab_id, title, url } = tab;
    return { tab_id, title, url, host: hostOf(url), claimed: this.claims.has(tab_id), operable: !restricted(url) };
  }
}
