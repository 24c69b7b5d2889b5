// Rule of this file: messages that come in chunks are joined here as the
// Go side does it, from the same files, and through the port as the browser
// delivers them.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { load } from "./load.mjs";

const folder = new URL("../../manifest/fixtures/parts/", import.meta.url);
const { Chunks } = await load("src/worker/connection/chunks.ts");
const { PortReader } = await load("src/worker/connection/transport.ts");

test("the shared runs of chunks", async () => {
  // Ensure that both sides judge every run of chunks alike.
  const names = await readdir(folder);
  assert.ok(names.length > 10);
  for (const name of names) {
    const { why, max_bytes, max_messages, steps } = JSON.parse(await readFile(new URL(name, folder), "utf8"));
    const chunks = new Chunks({ bytes: max_bytes, messages: max_messages });
    steps.forEach(({ part, message, refused = [] }, step) => {
      const result = chunks.add(part);
      assert.equal(result.text, message, `${name}, step ${step}: ${why}`);
      assert.deepEqual(result.refused.map(({ id, error }) => ({ id, code: error.code })), refused, `${name}, step ${step}: ${why}`);
      for (const { error } of result.refused) assert.equal(error.dispatched, "no");
    });
  }
});

/** Returns a port whose host is the test, with the messages that the reader received and sent. */
function port() {
  const taken = [];
  const sent = [];
  let deliver;
  const reader = new PortReader({
    onMessage: { addListener: (listener) => (deliver = listener), removeListener: () => {} },
    postMessage: (message) => sent.push(message),
  });
  reader.listen((message) => taken.push(message));
  return { taken, sent, deliver };
}

test("a large message through the port", () => {
  // Ensure that whole messages overtake those in chunks, that characters arrive as they were, and that small ones do not wait.
  const { taken, sent, deliver } = port();
  const large = { jsonrpc: "2.0", id: 1, method: "action_call", params: { text: 'ä€😀"\\\n'.repeat(100_000) } };
  const text = JSON.stringify(large);
  const size = 100_001; // within a pair of surrogates as well
  const total = Math.ceil(text.length / size);
  const small = { jsonrpc: "2.0", id: 2, method: "ping", params: {} };
  for (let index = 0; index < total; index++) {
    deliver({ id: 5, index, total, data: text.slice(index * size, (index + 1) * size) });
    if (index === 0) deliver(small);
  }
  assert.deepEqual(taken, [small, large]);
  assert.deepEqual(sent, []);
});

test("bad chunks through the port", () => {
  // Ensure that chunks which make no valid message are refused by their id, and that the next message arrives.
  const { taken, sent, deliver } = port();
  deliver({ id: 1, index: 0, total: 2, data: 7 });
  deliver({ id: 2, index: 1, total: 2, data: "x" });
  deliver({ id: 3, index: 0, total: 1, data: "no JSON" });
  deliver({ id: 4, index: 0, total: 1, data: '{"jsonrpc":"1.0"}' });
  deliver({ id: 5, index: 0, total: 5000, data: "x" });
  deliver({ id: "6", index: 0, total: 2, data: "x" });
  assert.deepEqual(sent.map(({ method, params }) => [method, params.id, params.error.code]), [
    ["message_refused", 1, "invalid_message"],
    ["message_refused", 2, "invalid_message"],
    ["message_refused", 3, "invalid_message"],
    ["message_refused", 4, "invalid_message"],
    ["message_refused", 5, "invalid_message"],
  ]);
  deliver({ id: 7, index: 0, total: 1, data: '{"jsonrpc":"2.0","method":"x"}' });
  assert.deepEqual(taken, [{ jsonrpc: "2.0", method: "x" }]);
});
