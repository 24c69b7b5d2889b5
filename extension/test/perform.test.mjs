// Rule of this file: it tests an action by real input that is one message, with pages
// and a debugger that answer when they are told to.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

globalThis.chrome = { runtime: { id: "us" }, tabs: { sendMessage: async () => null } };

const { Performer, RealInput } = await load("src/worker/input/perform.ts", "src/worker/input/real-input.ts");

const TARGET = { ref: "abc1", way: "pointer", settles: false, point: { x: 10, y: 20 } };

/** An action, the commands that were sent, and the outcome of its preparation, which answer sets. */
function stage() {
  const sent = [];
  const owner = { command: async ({ method, params }) => void sent.push([method, params.x, params.y]) };
  const holds = { begin: async ({ hold, tab_id }) => ({ id: hold.id, tabId: tab_id, targets: ["top"], hasOtherDocuments: false }), end: async () => {} };
  const input = new RealInput({ demand() {}, stateOf: () => ({}) }, { watch: () => () => {} }, owner, holds);
  const prepared = new Map();
  const pages = {
    call: ({ name, arguments: args }) =>
      name === "target.prepare" ? new Promise((resolve) => prepared.set(args.hold, (output) => resolve({ output }))) : Promise.resolve({ output: { verified: args.locator.ref } }),
  };
  const performer = new Performer(pages, input);
  const step = { commands: [{ method: "Input.dispatchMouseEvent", params: { type: "mousePressed", x: 0, y: 0 } }] };
  const perform = (id) =>
    performer.perform(
      {
        prepare: { tab_id: 7, name: "target.prepare", arguments: { hold: id }, timeout_ms: 5_000 },
        input: { tab_id: 7, device: "pointer", hold: { id, mark: "m" }, steps: [step] },
        verify: { tab_id: 7, name: "target.verify", arguments: {}, timeout_ms: 5_000 },
      },
      new AbortController().signal,
    );
  return { sent, input, perform, answer: (id, output) => prepared.get(id)(output) };
}

test("an action in one message", async () => {
  // Ensure that the mouse is where the page says, that the outcome is read of what was prepared, and that nothing is sent to a target that the host must see first.
  const { sent, perform, answer } = stage();
  const done = perform("a");
  answer("a", TARGET);
  assert.deepEqual(await done, { prepared: { output: TARGET }, sent: true, verified: { output: { verified: "abc1" } } });
  assert.deepEqual(sent, [["Input.dispatchMouseEvent", 10, 20]]);
  for (const [id, target] of Object.entries({ settles: { ...TARGET, settles: true }, page: { ...TARGET, way: "page" }, nowhere: { ...TARGET, point: null } })) {
    const left = perform(id);
    answer(id, target);
    assert.deepEqual(await left, { prepared: { output: target } });
  }
  assert.equal(sent.length, 1);
});

test("an action that is given up while its target is awaited", async () => {
  // Ensure that it sends nothing, and says so, whatever was performed since it began.
  const { sent, input, perform, answer } = stage();
  const waiting = perform("slow");
  for (let i = 0; i < 60; i++) {
    const done = perform(`quick${i}`);
    answer(`quick${i}`, TARGET);
    await done;
  }
  assert.deepEqual(await input.end({ hold_id: "slow" }), { events: [], count: 0, unsent: true });
  answer("slow", TARGET);
  const { sent: wasSent, failed } = await waiting;
  assert.deepEqual([wasSent, failed.code, failed.dispatched, sent.length], [false, "cancelled", "no", 60]);
  assert.deepEqual((await input.end({ hold_id: "slow" })).prepared, { output: TARGET });
});

test("input that a dialog of the page holds up", async () => {
  // Ensure that who gives it up is answered at once: the page takes the release of its keys after the dialog, and does not say before whether it has the focus.
  const hold = { id: "chord", tabId: 7, targets: ["top"], hasOtherDocuments: false };
  const input = new RealInput({ demand() {}, stateOf: () => ({ dialog: {} }) }, { watch: () => () => {} }, { command: async () => {} }, { begin: async () => hold, end: async () => {} });
  const { sendMessage } = chrome.tabs;
  chrome.tabs.sendMessage = () => new Promise(() => {});
  const key = { method: "Input.dispatchKeyEvent", params: {} };
  await input.send({ tab_id: 7, device: "keys", hold: { id: "chord", mark: "m" }, steps: [{ commands: [key], release: [key] }], more: true }, new AbortController().signal);
  input.receive({ kind: "input_seen", hold: "chord", events: ["keydown"], count: 1 });
  const late = new Promise((resolve) => setTimeout(resolve, 1_000, "late"));
  assert.deepEqual(await Promise.race([input.end({ hold_id: "chord" }), late]), { events: ["keydown"], count: 1 });
  chrome.tabs.sendMessage = sendMessage;
});
