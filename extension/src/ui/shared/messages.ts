// Rule of this file: the closed set of messages between the extension's pages
// and its worker. Nothing else is understood by either side.

import type { ErrorData, ExtensionRequests, Tab } from "../../protocol";

/** What a page of the extension may ask. */
export type UiRequest =
  | { kind: "ui_state" }
  | { kind: "ui_claim"; tab_id: number }
  | { kind: "ui_release"; tab_id: number }
  | { kind: "ui_show_pane"; tab_id: number }
  | { kind: "ui_label"; label: string }
  | { kind: "ui_retry" }
  | { [M in HostMethod]: { kind: "ui_host"; method: M; params: HostParams<M> } }[HostMethod];

/** The answer to everything but ui_state; `tab` comes with ui_claim, `answer` with ui_host. */
export type UiAnswer = { ok: true; tab?: Tab; answer?: ExtensionRequests[HostMethod]["result"] } | { ok: false; error: ErrorData };

/** A tab as the popup shows it. */
export interface UiTab {
  tab_id: number;
  title: string;
  url: string;
  host: string;
  claimed: boolean;
  /** False for browser pages, where no content script can run. */
  operable: boolean;
}

/** The answer to ui_state. */
export interface UiState {
  connection: {
    state: "connecting" | "connected" | "host_missing" | "forbidden" | "version_skew" | "not_started" | "host_failed" | "host_exited";
    /** A sentence for a person. */
    message: string;
    /** What to type in a terminal; it repairs the state, or finds out what is wrong. */
    repair?: { command: string; repairs: boolean };
  };
  /** The selected tab of the window used last; null where there is none. */
  tab: UiTab | null;
  claimed: UiTab[];
  profile_label: string;
  extension_version: string;
  host_version?: string;
}

const METHODS = ["ui_view", "ui_stop", "ui_go_on", "ui_settings", "ui_storage", "ui_import_chunk", "ui_import", "ui_grants", "ui_revoke", "ui_skills", "ui_skill_change", "ui_save", "ui_run", "ui_repair", "ui_record"] as const;

/** What a page may request of the host. */
export type HostMethod = (typeof METHODS)[number];
export type HostParams<M extends HostMethod> = ExtensionRequests[M]["params"];

/** Reports whether the message is one of the requests, with nothing missing. */
export function isUiRequest(message: unknown): message is UiRequest {
  if (typeof message !== "object" || message === null) return false;
  const { kind, tab_id, label, method, params } = message as Record<string, unknown>;
  switch (kind) {
    case "ui_state":
    case "ui_retry":
      return true;
    case "ui_label":
      return typeof label === "string";
    case "ui_host":
      return METHODS.includes(method as HostMethod) && typeof params === "object" && params !== null && !Array.isArray(params);
    case "ui_claim":
    case "ui_release":
    case "ui_show_pane":
      return Number.isInteger(tab_id);
    default:
      return false;
  }
}
