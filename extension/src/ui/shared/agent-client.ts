// Rule of this file: a page's connection with the hosted agent.

import { AGENT_PORT, type AgentChange, type AgentMethod, type AgentParams, type AgentView } from "./agent-messages";
import { PortClient, type PortListener } from "./port-client";

export { RequestError } from "./port-client";

/** Receives the agent's state. */
export type AgentListener = PortListener<AgentView, AgentChange>;

/** The connection of a page with the agent. */
export class AgentClient extends PortClient<AgentView, AgentChange> {
  /** A frame in a web page passes the key that proves it to be ours. */
  constructor(listener: AgentListener, key?: string) {
    super(AGENT_PORT, key === undefined ? { kind: "hello" } : { kind: "hello", key }, listener);
  }

  /** Sends a request to the host; resolves when it is done. */
  request<M extends AgentMethod>(method: M, params: AgentParams<M>): Promise<void> {
    return this.send(method, params);
  }
}
