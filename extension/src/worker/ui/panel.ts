// Rule of this file: it passes on between the host, where the chats live, and the side
// panels that show them. It keeps nothing of a chat. Only the side panel's own page is
// accepted, as a page of the extension that no web page can open.

import type { AgentChange } from "../../ui/shared/agent-messages";
import { PANEL_PORT, isPanelRequest, type PanelChange, type PanelRequest, type PanelView } from "../../ui/shared/panel-messages";
import type { PortMessage } from "../../ui/shared/port-client";
import type { Link } from "../connection/link";
import { stateText } from "../connection/states";
import type { Dropped } from "../shared/dropped";
import { Fault, report } from "../shared/fault";
import type { Claims } from "../tabs/claims";
import type { Asked } from "./asked";
import { fromSidePanel } from "./own-pages";
import { type Viewer, showView } from "./views";

/** The first protocol whose host has chats. */
const PANEL_PROTOCOL = 12;

type Message = PortMessage<PanelView, PanelChange>;
type Command = Extract<PanelRequest, { kind: "request" }>;

/** A side panel that is open. */
interface Panel extends Viewer<PanelChange> {
  port: chrome.runtime.Port;
  tabId: number;
}

/** Connects the side panels with the host. */
export class PanelBridge {
  private readonly panels = new Map<chrome.runtime.Port, Panel>();

  constructor(
    private readonly claims: Claims,
    private readonly link: Link,
    private readonly asked: Asked,
    private readonly dropped: Dropped,
  ) {}

  /** Serves the port; returns false if it is not for this class. */
  acceptPort(port: chrome.runtime.Port): boolean {
    if (port.name !== PANEL_PORT || !port.sender || !fromSidePanel(port.sender)) return false;
    port.onDisconnect.addListener(() => this.panels.delete(port));
    port.onMessage.addListener((message: unknown) => {
      this.handleMessage(port, message).catch((error: unknown) => report("A message of the side panel was not handled", error));
    });
    return true;
  }

  /** Passes on what the host reports, and what all pages show. */
  accept({ chat, stale, approvals, questions, settings }: AgentChange): void {
    const shared: PanelChange = { ...(approvals && { approvals }), ...(questions && { questions }), ...(settings && { settings }) };
    for (const panel of this.panels.values()) {
      if (stale) void this.show(panel);
      else if (Object.keys(shared).length > 0) this.sendChange(panel, shared);
      if (!chat || chat.tab_id !== panel.tabId) continue;
      const { tab_id: _, ...change } = chat;
      this.sendChange(panel, change);
    }
  }

  /** Sends the panels of the tab a new view; without a tab, all panels. */
  async refresh(tabId?: number): Promise<void> {
    const panels = [...this.panels.values()].filter((panel) => tabId === undefined || panel.tabId === tabId);
    await Promise.all(panels.map((panel) => this.show(panel)));
  }

  private async handleMessage(port: chrome.runtime.Port, message: unknown): Promise<void> {
    if (!isPanelRequest(message)) return this.dropped.add("ports", port.sender);
    if (message.kind === "hello") {
      const panel = { port, tabId: message.tab_id };
      this.panels.set(port, panel);
      return this.show(panel);
    }
    const panel = this.panels.get(port);
    if (panel) this.post(panel, await this.run(panel, message));
  }

  private async show(panel: Panel): Promise<void> {
    await this.claims.restored();
    const problem = this.problem();
    if (problem !== "") return this.post(panel, { kind: "offline", message: problem });
    const request = async () => {
      const view = (await this.link.request("chat_view", { tab_id: panel.tabId })) as unknown as PanelView;
      view.claimed &&= this.claims.has(panel.tabId); // the host learns of a release later
      view.approvals = await this.asked.mark(view.approvals);
      return view;
    };
    await showView(panel, request, (message) => this.post(panel, message), (change) => this.sendChange(panel, change));
  }

  private problem(): string {
    if (this.link.state.state !== "connected") return stateText(this.link.state, chrome.i18n.getMessage);
    return this.link.protocol < PANEL_PROTOCOL ? chrome.i18n.getMessage("chat_old_host") : "";
  }

  private async run(panel: Panel, command: Command): Promise<Message> {
    try {
      await this.pass(panel, command);
      return { kind: "answer", id: command.id };
    } catch (error) {
      return { kind: "answer", id: command.id, error: Fault.of(error).data };
    }
  }

  private async pass(panel: Panel, { method, params }: Command): Promise<unknown> {
    const tab_id = panel.tabId;
    switch (method) {
      case "view":
        return this.show(panel);
      case "say":
        return this.link.request("chat_send", { ...params, tab_id });
      case "stop":
        return this.link.request("chat_stop", { tab_id });
      case "clear":
        return this.link.request("chat_clear", { tab_id });
      case "settings":
        return this.link.request("chat_settings", { code: params.code, tab_id });
      case "approve":
        return this.link.request("agent_approve", { id: params.id, verdict: params.verdict, scope: params.scope, face: "panel" });
      case "answer":
        return this.link.request("agent_answer", params);
    }
  }

  private sendChange(panel: Panel, change: PanelChange): void {
    if (panel.pendingChanges) panel.pendingChanges.push(change);
    else this.post(panel, { kind: "change", change });
  }

  private post({ port }: Panel, message: Message): void {
    try {
      port.postMessage(message);
    } catch {
      this.panels.delete(port); // the panel closed just now
    }
  }
}
