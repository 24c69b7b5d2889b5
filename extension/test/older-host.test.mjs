// Rule of this file: it tests the connection with a host whose protocol has no methods
// for the requests of the extension's own pages.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { load, loadValidators } from "./load.mjs";

const { Link } = await load("src/worker/connection/link.ts");
const { definitions } = await loadValidators();
const { methods } = JSON.parse(await readFile(new URL("../../manifest/protocol/methods.json", import.meta.url), "utf8"));

/** Returns a link that is connected with a host of the protocol, which answers with answer(method, params). */
function connect(protocol, answer) {
  const listeners = [];
  const port = {
    onMessage: { addListener: (listener) => listeners.push(listener), removeListener() {} },
    onDisconnect: { addListener() {} },
    disconnect() {},
    postMessage({ id, method, params }) {
      const result = method === "handshake" ? { protocol, host_version: "0.1.0", dictionary_hash: "", claims: [] } : answer(method, params);
      queueMicrotask(() => listeners.forEach((listener) => listener({ jsonrpc: "2.0", id, result })));
    },
  };
  globalThis.chrome = { runtime: { connectNative: () => port } };
  return new Promise((resolve, reject) => {
    const link = new Link({
      makeHandshake: async () => ({}),
      serve: () => () => {},
      onConnected() {},
      onStateChanged: (state) => (state.state === "connected" ? resolve(link) : reject(new Error(JSON.stringify(state)))),
    });
    link.start();
  });
}

const agent = (command, args = {}) => ["agent_command", { command, arguments: args }];
const desk = (command, args = {}) => ["desk_command", { command, arguments: args }];
const text = { text: "hello", mode: "queue" };
const mute = { input: true, output: false };
const approval = { id: "a", verdict: "allow", scope: "once" };
const piece = { import: "i", index: 0, text: "x" };

/** Each request of the pages: its parameters and what a host of protocol 5 knows in its place. */
const REQUESTS = {
  agent_view: [{}, agent("view")],
  agent_start: [{ text_only: true }, agent("start", { text_only: true })],
  agent_stop: [{}, agent("stop")],
  agent_send: [text, agent("say", text)],
  agent_interrupt: [{}, agent("interrupt")],
  agent_mute: [mute, agent("mute", mute)],
  agent_approve: [approval, agent("approve", approval)],
  agent_settings: [{ changes: { mode: "ask" } }, agent("settings", { mode: "ask" })],
  agent_forget: [{}, agent("forget")],
  ui_view: [{}, desk("view")],
  ui_stop: [{ tab_id: 7 }, desk("stop", { tab_id: 7 })],
  ui_settings: [{ changes: { pacing_ms: 250 } }, desk("settings", { pacing_ms: 250 })],
  ui_storage: [{}, desk("storage")],
  ui_import_chunk: [piece, desk("import_part", piece)],
  ui_import: [{ import: "i", chunks: 1 }, desk("import", { import: "i", parts: 1 })],
  ui_grants: [{}, desk("grants")],
  ui_revoke: [{ ids: ["g"] }, desk("revoke", { ids: ["g"] })],
};

test("an older host is sent what it knows", async () => {
  // Ensure that a host of protocol 5 gets each request of the pages as the command that it knows, and that its answer is that of the method.
  let sent;
  const link = await connect(5, (method, params) => {
    sent = [method, params];
    return { [method === "agent_command" ? "view" : "answer"]: { did: params.command } };
  });
  for (const [method, [params, want]] of Object.entries(REQUESTS)) {
    assert.deepEqual(await link.request(method, params), { did: want[1].command }, method);
    assert.deepEqual(sent, want, method);
    assert.ok(definitions[want[0] === "agent_command" ? "AgentCommand" : "DeskCommand"](sent[1]), method);
  }
});

test("a host of today is sent the methods", async () => {
  // Ensure that a host that knows the methods gets them as they are.
  let sent;
  const link = await connect(6, (method, params) => {
    sent = [method, params];
    return { grants: [] };
  });
  assert.deepEqual(await link.request("ui_grants", {}), { grants: [] });
  assert.deepEqual(sent, ["ui_grants", {}]);
});

test("every request of the pages is known to an older host", () => {
  // Ensure that no method of the pages is missing above, but for those of later protocols, of which such a host shows nothing.
  const later = ["agent_answer", "ui_go_on", "ui_skills", "ui_skill_change", "ui_save", "ui_run", "ui_repair", "ui_record"];
  const ofPages = methods.filter(({ method, from, kind }) => from === "extension" && kind === "request" && /^(agent|ui)_/.test(method) && method !== "agent_command" && !later.includes(method));
  assert.deepEqual(ofPages.map(({ method }) => method).sort(), Object.keys(REQUESTS).sort());
});
