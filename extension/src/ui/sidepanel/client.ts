// Rule of this file: the side panel's connection, and its commands for what the parts that it
// shares with the pane ask for.

import type { AgentMethod, AgentParams } from "../shared/agent-messages";
import { PANEL_PORT, type PanelChange, type PanelCommand, type PanelCommands, type PanelView } from "../shared/panel-messages";
import { PortClient, type PortListener } from "../shared/port-client";

/** The connection of the side panel with the chat of its tab. */
export class PanelClient extends PortClient<PanelView, PanelChange> {
  constructor(tabId: number, listener: PortListener<PanelView, PanelChange>) {
    super(PANEL_PORT, { kind: "hello", tab_id: tabId }, listener);
  }

  /** Sends a command; resolves when the host has accepted it. */
  request<C extends PanelCommand>(command: C, params: PanelCommands[C]): Promise<void> {
    return this.send(command, params);
  }
}

/** Sends as a command what the composer or a card asks for. */
export function requestOf<M extends AgentMethod>(client: PanelClient, method: M, params: AgentParams<M>): Promise<void> {
  switch (method) {
    case "agent_send":
      return client.request("say", params as AgentParams<"agent_send">);
    case "agent_interrupt":
      return client.request("stop", {});
    case "agent_approve":
      return client.request("approve", params as AgentParams<"agent_approve">);
    case "agent_answer":
      return client.request("answer", params as AgentParams<"agent_answer">);
    default:
      return Promise.reject(new Error(`the side panel has no ${method}`));
  }
}
