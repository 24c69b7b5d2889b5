// Rule of this file: the messages between the extension's pages and its worker
// about the hosted agent, over one port per page. The host owns the view; a page
// shows it and asks for changes, and remembers nothing.

import type { ErrorData, ExtensionRequests } from "../../protocol";
import type { PortMessage } from "./port-client";

/** The name of the ports. */
export const AGENT_PORT = "agent";

export type AgentStatus = "disconnected" | "connecting" | "listening" | "thinking" | "using_tool" | "speaking" | "error";

export interface AgentCost {
  session_usd: number;
  last_usd: number;
  responses: number;
  cache: "hit" | "partial" | "miss" | "none" | "";
}

/** The state of the session; the host leaves out empty members. */
export interface AgentState {
  status: AgentStatus;
  model?: string;
  text_only?: boolean;
  input_muted?: boolean;
  output_muted?: boolean;
  /** The tool that runs, in status using_tool. */
  tool?: string;
  /** What it is about. */
  tool_argument?: string;
  error?: ErrorData;
  cost?: AgentCost;
}

/** One turn; a row with a known id replaces the former. */
export interface AgentRow {
  id: string;
  role: "user" | "assistant" | "tool" | "note";
  text: string;
  done: boolean;
  /** Of tools: whether the call went well. */
  ok?: boolean;
  /** Of tools: what the call is about. */
  argument?: string;
  /** Of tools in a chat: what came of the call. */
  detail?: string;
  /** Of notes about a failure, and of tools that failed. */
  code?: string;
  next_step?: string;
}

/** An approval that waits for the user. */
export interface AgentApproval {
  id: string;
  /** The kind of session that asks. */
  session: string;
  session_id: string;
  /** The session's name, where its caller gave one. */
  caller?: string;
  name: string;
  summary: string;
  origin: string;
  effects: string[];
  expires_at: string;
  /** What it is about; an older host says nothing. */
  about?: ApprovalAbout;
  /** What an answer in a terminal needs; a host before protocol 11 has none. */
  code?: string;
}

/** What one step of a stored action would do, in parts that are put into words here. */
export interface PlannedStep {
  primitive: string;
  /** What the page calls the target. */
  target?: string;
  /** What the call names, where the page has no name for it. */
  argument?: string;
  /** The length of the text that would be typed. */
  characters?: number;
  /** What would be opened or sent to. */
  address?: string;
  /** Until the steps before have run. */
  unknown?: boolean;
}

/** What an approval is about, in parts that are put into words here. */
export interface ApprovalAbout {
  /** What the call names its target with. */
  argument?: string;
  /** What the page calls the target. */
  target?: string;
  /** The length of the text that would be typed. */
  characters?: number;
  /** The origin that the call would go to. */
  destination?: string;
  /** A stored action of the site, as a whole. */
  action?: boolean;
  /** Only an answer for this call counts. */
  once_only?: boolean;
  /** What a stored action would do, as far as it is known. */
  plan?: PlannedStep[];
  tab_id?: number;
  locator?: Record<string, unknown>;
}

/** A question of a model that waits for the user: its words and options are the model's. */
export interface AgentQuestion {
  id: string;
  /** The kind of session that asks. */
  session: string;
  session_id: string;
  /** The session's name, where its caller gave one. */
  caller?: string;
  question: string;
  /** None: the user types. */
  options: string[];
  expires_at: string;
}

/** How the provider notices that the user has spoken; the host leaves out zeros. */
export interface AgentTurns {
  mode: "server_vad" | "semantic_vad";
  threshold?: number;
  prefix_padding_ms?: number;
  silence_duration_ms?: number;
  eagerness?: string;
}

export interface AgentSettings {
  model: string;
  voice: string;
  turns: AgentTurns;
  mode: "ask" | "act";
  memory: boolean;
  spending_limit_usd: number;
  /** The chat of the side panel may work on pages. */
  automationEnabled?: boolean;
  /** Its model; a host before protocol 12 has none. */
  text_model?: string;
  /** The settings allow running code at all. */
  allow_code?: boolean;
  /** When the agent is shown the page unasked. */
  pictures?: "off" | "navigation" | "state_change" | "every_step";
  /** Can only be read here: */
  base: string;
  key: { source: "environment" | "keychain" | "file" | "none"; masked: string };
  voices: string[];
}

export interface AgentView {
  state: AgentState;
  rows: AgentRow[];
  approvals: AgentApproval[];
  /** A host before protocol 8 has none. */
  questions?: AgentQuestion[];
  settings: AgentSettings;
}

/** The changed members of the view. */
export interface AgentChange {
  state?: AgentState;
  row?: AgentRow;
  approvals?: AgentApproval[];
  questions?: AgentQuestion[];
  settings?: AgentSettings;
  /** A change of a tab's chat, for the side panel alone. */
  chat?: { tab_id: number; state?: AgentState; row?: AgentRow; rows?: AgentRow[]; summary?: string; code?: boolean };
  /** Changes were left out: the worker must ask for the view. Pages never get this. */
  stale?: boolean;
}

/** From a page to the worker. A frame in a web page proves with its key that it is ours. The launcher's page shows what waits in its output. */
export type AgentRequest = { kind: "hello"; key?: string; launcher?: boolean } | { [M in AgentMethod]: { kind: "request"; id: number; method: M; params: AgentParams<M> } }[AgentMethod];

/** From the worker to a page. */
export type AgentMessage = PortMessage<AgentView, AgentChange>;

const METHODS = ["agent_start", "agent_stop", "agent_send", "agent_interrupt", "agent_mute", "agent_approve", "agent_answer", "agent_settings", "agent_forget"] as const;

/** What a page may request of the host. */
export type AgentMethod = (typeof METHODS)[number];
export type AgentParams<M extends AgentMethod> = ExtensionRequests[M]["params"];

/** Reports whether the message is a page's request, with nothing missing. Only the worker asks for the view. */
export function isAgentRequest(message: unknown): message is AgentRequest {
  if (typeof message !== "object" || message === null) return false;
  const { kind, key, launcher, id, method, params } = message as Record<string, unknown>;
  if (kind === "hello") return (key === undefined || typeof key === "string") && (launcher === undefined || typeof launcher === "boolean");
  return kind === "request" && Number.isInteger(id) && METHODS.includes(method as AgentMethod) && typeof params === "object" && params !== null && !Array.isArray(params);
}
