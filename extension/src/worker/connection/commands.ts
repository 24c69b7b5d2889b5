// Rule of this file: it goes with the next protocol. A host before protocol 6 has two
// methods for all requests of the extension's own pages, with the name of a command
// each. This is the mirror of what the host has for an older extension, in
// pkg/browser/incoming.go.

import type { AgentCommand, DeskCommand, ExtensionRequests, ImportStart, SettingsChange } from "../../protocol";

/** The first protocol in which each request of the extension's own pages is a method. */
export const PAGES_PROTOCOL = 6;

const AGENT_COMMANDS = {
  agent_view: "view",
  agent_start: "start",
  agent_stop: "stop",
  agent_send: "say",
  agent_interrupt: "interrupt",
  agent_mute: "mute",
  agent_approve: "approve",
  agent_settings: "settings",
  agent_forget: "forget",
} as const satisfies Record<string, AgentCommand["command"]>;

const UI_COMMANDS = {
  ui_view: "view",
  ui_stop: "stop",
  ui_settings: "settings",
  ui_storage: "storage",
  ui_import_chunk: "import_part",
  ui_import: "import",
  ui_grants: "grants",
  ui_revoke: "revoke",
} as const satisfies Record<string, DeskCommand["command"]>;

/** Sends a request and returns its checked answer. */
type Send = <M extends keyof ExtensionRequests>(method: M, params: ExtensionRequests[M]["params"]) => Promise<ExtensionRequests[M]["result"]>;

/** Sends the request as such a host knows it, and returns the answer as if it knew the method. */
export async function sendToOlderHost<M extends keyof ExtensionRequests>(
  send: Send,
  method: M,
  params: ExtensionRequests[M]["params"],
): Promise<ExtensionRequests[M]["result"]> {
  if (isKeyOf(AGENT_COMMANDS, method)) {
    const { view } = await send("agent_command", { command: AGENT_COMMANDS[method], arguments: argumentsOf(method, params) });
    return view as unknown as ExtensionRequests[M]["result"];
  }
  if (isKeyOf(UI_COMMANDS, method)) {
    const { answer } = await send("desk_command", { command: UI_COMMANDS[method], arguments: argumentsOf(method, params) });
    return answer as unknown as ExtensionRequests[M]["result"];
  }
  return send(method, params);
}

function argumentsOf(method: keyof ExtensionRequests, params: object): Record<string, unknown> {
  switch (method) {
    case "agent_settings":
    case "ui_settings":
      return (params as SettingsChange).changes;
    case "ui_import": {
      const { import: name, chunks } = params as ImportStart;
      return { import: name, parts: chunks };
    }
    default:
      return { ...params };
  }
}

function isKeyOf<T extends object>(table: T, key: PropertyKey): key is keyof T {
  return Object.hasOwn(table, key);
}
