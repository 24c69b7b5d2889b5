// Rule of this file: the requests of the popup and the options page to the host, and
// the form of its answers. The host owns the state; a page asks for it anew
// and remembers nothing.

import type { ActionFit, RanAction, RecordState, SavedAction } from "../../protocol";
import { RequestError } from "./agent-client";
import type { HostMethod, HostParams, UiAnswer, UiRequest } from "./messages";

/** A call that has not ended yet. */
export interface Running {
  call_id: string;
  session: string;
  session_id: string;
  session_name?: string;
  name: string;
  /** The stored action, and its current step. */
  action?: string;
  step?: string;
  /** What the step, or the primitive, is about. */
  argument?: string;
  tab_id?: number;
  started_at: string;
}

/** Something that was done. */
export interface Activity {
  seq: number;
  at: string;
  type: "outcome" | "policy" | "claim" | "release";
  session_id?: string;
  name?: string;
  action?: string;
  /** What the primitive is about. */
  argument?: string;
  ok: boolean;
  code?: string;
  message?: string;
  tab_id?: number;
  title?: string;
  host?: string;
}

export interface HostSettings {
  mode: "ask" | "act";
  /** Agents that may act ask before each action. An older host does not have it. */
  ask_first?: boolean;
  /** What agents may do on single sites: less than elsewhere. */
  sites?: Record<string, "ask" | "first">;
  show_actions: boolean;
  /** Absent from hosts before protocol 12. */
  script_input?: boolean;
  pacing_ms: number;
}

/** A stop by the user that holds. */
export interface HeldStop {
  tab_id?: number;
  face: string;
  at: string;
}

export interface HostView {
  running: Running[];
  activity: Activity[];
  settings: HostSettings;
  /** How many grants hold, by origin. */
  granted: Record<string, number>;
  /** What the user has stopped and not let go on. A host before protocol 11 has none. */
  stops?: HeldStop[];
  /** What is wrong with policy.json. */
  policy?: { message: string; nothing_runs: boolean };
  /** What was found wrong with the log. */
  log_damage?: string;
}

export interface MapState {
  path: string;
  scope?: string;
  host?: string;
  surface?: string;
  tools: number;
  errors: string[];
}

export interface Stored {
  path: string;
  maps: MapState[];
  more: boolean;
  errors: { path: string; message: string }[];
}

export interface Imported {
  result: { entry_count: number; updated_count: number; preserved_count: number; ignored?: string[] };
  stored: Stored;
}

/** Something that the user has allowed or denied. */
export interface Grant {
  id: string;
  /** Empty: no page. */
  origin: string;
  effect: string;
  scope: "once" | "session" | "always";
  deny: boolean;
  /** The session it is for; without it, all sessions. */
  session_id?: string;
  session_name?: string;
  since?: string;
  expires_at?: string;
}

/** What the text agent knows of some pages, and the code that its scripts may call there. */
export interface Skill {
  name: string;
  domain_patterns: string[];
  short_description: string;
  library: string;
  /** Names this version of the library; empty without one. */
  hash: string;
  approved: boolean;
}

interface Answers {
  ui_view: HostView;
  ui_stop: HostView;
  ui_go_on: HostView;
  ui_settings: HostView;
  ui_storage: Stored;
  ui_import_chunk: Record<string, never>;
  ui_import: Imported;
  ui_grants: { grants: Grant[] };
  ui_revoke: { revoked: number; grants: Grant[] };
  ui_skills: { skills: Skill[] };
  ui_skill_change: { skills: Skill[] };
  ui_save: SavedAction;
  ui_run: RanAction;
  ui_repair: ActionFit;
  ui_record: RecordState;
}

/** Sends a request to the host; a refusal is thrown as a RequestError. */
export async function requestOfHost<M extends HostMethod>(method: M, params: HostParams<M>): Promise<Answers[M]> {
  const answer = await chrome.runtime.sendMessage<UiRequest, UiAnswer>({ kind: "ui_host", method, params } as UiRequest);
  if (!answer.ok) throw new RequestError(answer.error);
  return answer.answer as unknown as Answers[M];
}
