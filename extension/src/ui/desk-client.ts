// Rule of this file: what the popup and the options page ask of the host, and in
// which form its answers come. The host owns the state; a page asks for it anew
// and remembers nothing.

import type { DeskCommand } from "../protocol";
import { CommandError } from "./agent-client";
import type { UiAnswer, UiRequest } from "./messages";

/** A call that has not ended yet. */
export interface Running {
  call_id: string;
  session: string;
  session_id: string;
  session_name?: string;
  name: string;
  /** Of a stored action, and where it has come to. */
  action?: string;
  step?: string;
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
  ok: boolean;
  code?: string;
  message?: string;
  tab_id?: number;
  title?: string;
  host?: string;
}

export interface DeskSettings {
  mode: "ask" | "act";
  show_actions: boolean;
  pacing_ms: number;
}

export interface DeskView {
  running: Running[];
  activity: Activity[];
  settings: DeskSettings;
  /** How many grants hold, by origin; a host that does not count them leaves it out. */
  granted?: Record<string, number>;
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

/** What the user has allowed or denied. */
export interface Grant {
  id: string;
  /** Empty: no page. */
  origin: string;
  effect: string;
  scope: "once" | "session" | "always";
  deny: boolean;
  /** Whose it is; everybody's without it. */
  session_id?: string;
  session_name?: string;
  since?: string;
  expires_at?: string;
}

interface Answers {
  view: DeskView;
  stop: DeskView;
  settings: DeskView;
  storage: Stored;
  import_part: Record<string, never>;
  import: Imported;
  grants: { grants: Grant[] };
  revoke: { revoked: number; grants: Grant[] };
}

/** Asks the host; a refusal is a CommandError. */
export async function askDesk<C extends DeskCommand["command"]>(command: C, args: Record<string, unknown> = {}): Promise<Answers[C]> {
  const answer = await chrome.runtime.sendMessage<UiRequest, UiAnswer>({ kind: "ui_desk", command, arguments: args });
  if (!answer.ok) throw new CommandError(answer.error);
  return answer.answer as unknown as Answers[C];
}
