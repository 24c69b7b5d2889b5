// Rule of this file: the messages between the side panel and the worker about the chat of
// one tab, over one port per panel. The host owns the chat; the panel shows it and asks for
// changes, and remembers nothing.

import type { ExtensionRequests } from "../../protocol";
import type { AgentApproval, AgentQuestion, AgentRow, AgentSettings, AgentState } from "./agent-messages";

/** The name of the ports. */
export const PANEL_PORT = "panel:agent";

/** The page of the side panel; its query names the tab. */
export const PANEL_PAGE = "sidepanel.html";

export interface PanelView {
  tab_id: number;
  /** The tab is under control; without it there is no chat. */
  claimed: boolean;
  state: AgentState;
  rows: AgentRow[];
  approvals: AgentApproval[];
  questions: AgentQuestion[];
  settings: AgentSettings;
  /** The summary of the page that the user asked for last. */
  summary: string;
  /** The user lets this chat run code. */
  code: boolean;
}

/** The changed members of the view; a row is one of rows. */
export type PanelChange = Partial<Omit<PanelView, "tab_id">> & { row?: AgentRow };

/** What the panel may ask. */
export interface PanelCommands {
  view: Record<string, never>;
  say: { text: string; mode: "queue" | "interrupt"; summary?: boolean };
  stop: Record<string, never>;
  approve: Omit<ExtensionRequests["agent_approve"]["params"], "face">;
  answer: ExtensionRequests["agent_answer"]["params"];
  clear: Record<string, never>;
  settings: { code: boolean };
}

export type PanelCommand = keyof PanelCommands;

/** From the panel to the worker. */
export type PanelRequest = { kind: "hello"; tab_id: number } | { [C in PanelCommand]: { kind: "request"; id: number; method: C; params: PanelCommands[C] } }[PanelCommand];

const COMMANDS: readonly string[] = ["view", "say", "stop", "approve", "answer", "clear", "settings"] satisfies PanelCommand[];

/** Reports whether the message is a request of the panel, with nothing missing. The host checks its parameters. */
export function isPanelRequest(message: unknown): message is PanelRequest {
  if (typeof message !== "object" || message === null) return false;
  const { kind, tab_id, id, method, params } = message as Record<string, unknown>;
  if (kind === "hello") return Number.isInteger(tab_id) && (tab_id as number) > 0;
  return kind === "request" && Number.isInteger(id) && COMMANDS.includes(method as string) && typeof params === "object" && params !== null && !Array.isArray(params);
}
