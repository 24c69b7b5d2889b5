// Rule of this file: it tests the bounds of a run, with a document, a sandbox and code made of functions.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { openRun } = await load("src/offscreen/repl/run.ts");

const until = async (holds) => {
  while (!holds()) await new Promise((go) => setTimeout(go));
};

/** Runs code that sends these messages and returns what the run sends the extension's worker. */
async function sent(messages) {
  const got = [];
  const given = {};
  let code;
  const contentWindow = { postMessage: (_, __, [port]) => { code = port; } };
  const frame = { setAttribute() {}, remove() {}, contentWindow };
  const port = { postMessage: (message) => got.push(message), onMessage: { addListener: (f) => { given.receive = f; } }, onDisconnect: { addListener: (f) => { given.end = f; } } };
  globalThis.chrome = { runtime: { connect: () => port, getURL: (path) => path } };
  globalThis.document = { createElement: () => frame, body: { append() {} } };
  globalThis.window = { addEventListener: (_, f) => { given.sandbox = f; }, removeEventListener() {} };
  globalThis.fetch = async () => ({ text: async () => "" });
  openRun("1");
  given.receive({ kind: "start", code: "", timeout_ms: 60_000 });
  given.sandbox({ source: contentWindow, data: { kind: "ready" } });
  await until(() => code !== undefined);
  for (const message of messages) code.postMessage(message);
  code.postMessage({ kind: "done", cut: 0 });
  await until(() => got.some(({ kind }) => kind !== "step"));
  given.end();
  return got;
}

const step = (number) => ({ kind: "step", step: number, action: "navigate", arguments: { url: "/x" } });
const file = (more) => ({ kind: "file", file: { file_name: "a", mime_type: "text/plain", content_base64: "YQ==", ...more } });

test("forged messages of code", async () => {
  // Ensure that steps of a number that waits or is none, and files whose members are no texts, end the run, and that others are passed on.
  const good = await sent([step(1), step(2), file({})]);
  assert.deepEqual(good.map(({ kind }) => kind), ["step", "step", "done"]);
  assert.equal(good[2].result.files.length, 1);
  for (const forged of [[step(1), step(1)], [step("1")], [step(Number.NaN)], [step(undefined)], [file({ content_base64: {} })], [file({ content_base64: [] })], [file({ file_name: 1 })], [file({ mime_type: undefined })]]) {
    const last = (await sent(forged)).at(-1);
    assert.deepEqual([last.kind, last.code], ["refused", "javascript_failed"], JSON.stringify(forged));
  }
});
