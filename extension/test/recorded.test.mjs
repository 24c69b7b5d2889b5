// Rule of this file: it tests the order of what was recorded, with a worker and a host
// made of functions that are away for a while.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { Recordings, Fault } = await load("src/worker/ui/recordings.ts", "src/worker/shared/fault.ts");

/** Recordings of a claimed tab whose host answers each request by the function. */
function recorder(answer) {
  globalThis.chrome = { runtime: { id: "us" }, tabs: { sendMessage: async () => {} }, scripting: { executeScript: async () => [] } };
  const claimed = new Set([7]);
  const claims = { has: (id) => claimed.has(id), restored: async () => {}, stateOf: () => ({}), update() {} };
  const link = { state: { state: "connected" }, request: async (_method, { id }) => answer(id) };
  const recordings = new Recordings(claims, {}, { mayBeEcho: () => false }, link);
  const receive = (id) => recordings.receive({ kind: "recorded", id, event: "click" }, { id: "us", tab: { id: 7, url: "https://tea.test/" }, frameId: 0, documentId: "d" });
  return { recordings, receive, claimed };
}
const away = () => {
  throw Fault.new("transport_failed", "the host is not connected");
};

test("what is recorded while the host is away", async () => {
  // Ensure that the host gets it in its order once it is back, and that what it refuses holds nothing up.
  const taken = [];
  let tries = 0;
  const { receive } = recorder((id) => {
    if (++tries <= 3) away();
    taken.push(id);
    if (id === "b") throw Fault.new("invalid_message", "no");
    return {};
  });
  assert.deepEqual(await Promise.all(["a", "b", "c"].map(receive)), [true, true, true]);
  assert.deepEqual(taken, ["a", "b", "c"]);
});

test("what is recorded and nobody wants", async () => {
  // Ensure that it waits for a host only as long as its recording and its claim last.
  const { recordings, receive, claimed } = recorder(away);
  recordings.accept([{ tab_id: 7 }]);
  const ended = receive("a");
  await new Promise(setImmediate);
  recordings.accept([]);
  assert.equal(await ended, false);
  recordings.accept([{ tab_id: 7 }]);
  const released = receive("b");
  await new Promise(setImmediate);
  claimed.delete(7);
  assert.equal(await released, false);
});

test("what is recorded while the worker is away", async () => {
  // Ensure that what comes later is held back until what was sent in vain is taken, that all else is sent at once, and that a refusal holds nothing up.
  const taken = [];
  let alive = false;
  let done;
  const all = new Promise((resolve) => (done = resolve));
  globalThis.chrome = {
    runtime: {
      id: "us",
      sendMessage: async ({ event }) => {
        if (!alive) throw new Error("Could not establish connection");
        taken.push(event);
        if (event === "d") done();
        return event === "b" ? undefined : true;
      },
    },
  };
  const { send } = await load("src/page/record/messages.ts");
  send({ event: "a" });
  send({ event: "b" });
  await new Promise(setImmediate);
  alive = true;
  send({ event: "c" });
  send({ event: "d" });
  await all;
  assert.deepEqual(taken, ["a", "b", "c", "d"]);
  await new Promise(setImmediate);
  send({ event: "e" });
  send({ event: "f" });
  assert.deepEqual(taken.slice(4), ["e", "f"]);
});
