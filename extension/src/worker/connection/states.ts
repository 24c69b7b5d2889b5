// Rule of this file: pure functions, so that node can test them: which state a
// disconnect means, when to try again, and the text of each state.

/** The state of the connection with the host. */
export type ConnectionState =
  | { state: "connecting" }
  | { state: "connected"; host_version: string }
  | { state: "host_missing" }
  | { state: "forbidden" }
  | { state: "version_skew"; update: "extension" | "host"; reason: string }
  | { state: "not_started" }
  | { state: "host_failed"; reason: string }
  | { state: "host_exited"; reason: string };

export type ConnectionName = ConnectionState["state"];

/** Looks up a text of _locales by its key. */
export type Translate = (key: string, substitutions?: string[]) => string;

const FIRST_DELAY_MS = 250;
export const MAX_DELAY_MS = 5_000;

/** Returns the delay before attempt n (the first is 0): 250 ms, doubled, 5 s at most. */
export function backoff(attempt: number): number {
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.max(0, attempt));
}

/**
 * Reports whether trying again soon can help. A forbidden host and a version skew end
 * only by the user's hand; the slow alarm looks for that.
 */
export function retriesSoon(state: ConnectionState): boolean {
  return ["host_missing", "not_started", "host_failed", "host_exited"].includes(state.state);
}

/** Returns the state for Chrome's reason for closing the port. */
export function disconnected(reason: string | undefined): ConnectionState {
  if (reason === undefined) return { state: "host_exited", reason: "the connection was closed" };
  if (/native messaging host not found/i.test(reason)) return { state: "host_missing" };
  if (/host is forbidden|disabled by the system administrator/i.test(reason)) return { state: "forbidden" };
  if (/failed to start native messaging host/i.test(reason)) return { state: "not_started" };
  return { state: "host_exited", reason };
}

/** Returns a sentence for people. */
export function stateText(state: ConnectionState, t: Translate): string {
  switch (state.state) {
    case "connecting":
      return t("state_connecting");
    case "connected":
      return t("state_connected", [state.host_version]);
    case "host_missing":
      return t("state_host_missing");
    case "forbidden":
      return t("state_forbidden");
    case "version_skew":
      return t(state.update === "host" ? "state_update_host" : "state_update_extension", [state.reason]);
    case "not_started":
      return t("state_not_started");
    case "host_failed":
      return t("state_host_failed", [state.reason]);
    case "host_exited":
      return t("state_host_exited", [state.reason]);
  }
}

/** Returns the terminal command that repairs the state, or finds out what is wrong. */
export function repairCommand(state: ConnectionState, browser: string): { command: string; repairs: boolean } | undefined {
  switch (state.state) {
    case "host_missing":
    case "forbidden":
    case "not_started":
      return { command: `actions-host install --browser ${browser}`, repairs: true };
    case "host_failed":
    case "host_exited":
      return { command: "actions-host doctor", repairs: false };
    default:
      return undefined;
  }
}
