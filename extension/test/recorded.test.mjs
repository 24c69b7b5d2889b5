// Rule of this file: it tests the order of what was recorded, with a worker and a host
// made of functions that are away for a while.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { Recordings, Fault } = await load("src/worker/ui/recordings.ts", "src/worker/shared/fault.ts");

/** Recordings of a claimed tab whose host answers each request by the function. */
function recorder(answer) {
  const state = { typed: { "typed-000000000000": "Assam" } };
  const shown = [];
  globalThis.chrome = { runtime: { id: "us" }, tabs: { sendMessage: async (_tab, message) => void shown.push(message) }, scripting: { executeScript: async () => [] } };
  const claimed = new Set([7]);
  const claims = { has: (id) => claimed.has(id), restored: async () => {}, ids: () => [...claimed], stateOf: () => state, update: (_tab, changes) => Object.assign(state, changes) };
  const link = { state: { state: "connected" }, request: async (_method, { id }) => answer(id) };
  const recordings = new Recordings(claims, {}, { mayBeEcho: () => false }, link);
  const send = (message) => recordings.receive(message, { id: "us", tab: { id: 7, url: "https://tea.test/" }, frameId: 0, documentId: "d" });
  const receive = (id) => send({ kind: "recorded", id, event: "click" });
  return { recordings, receive, send, claimed, link, state, shown };
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

test("what an older host knows of a click", async () => {
  // Ensure that a host gets the keys that were held if its protocol has them, and the click without them else.
  for (const [protocol, want] of [[18, undefined], [19, ["Shift"]]]) {
    const { send, link } = recorder(() => ({}));
    const sent = [];
    Object.assign(link, { protocol, request: async (_method, recorded) => sent.push(recorded) });
    await send({ kind: "recorded", id: "a", event: "click", modifiers: ["Shift"] });
    assert.deepEqual(sent.map(({ modifiers }) => modifiers), [want]);
    assert.equal("modifiers" in sent[0], want !== undefined);
  }
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

test("what an earlier worker recorded", async () => {
  // Ensure that the first view of the host ends what it has no recording of, in the tab and here, that a document which is late gets nothing kept or sent, and that until the view comes nothing ends.
  const taken = [];
  const { recordings, receive, send, state, shown } = recorder((id) => taken.push(id));
  recordings.show(7);
  assert.equal(await receive("a"), true);
  assert.deepEqual([taken, shown], [["a"], []]);
  recordings.accept([]);
  assert.equal(state.typed, undefined);
  recordings.show(7);
  assert.deepEqual(shown, [{ kind: "recording" }, { kind: "recording" }]);
  assert.equal(await receive("b"), true);
  assert.equal(await send({ kind: "recorded_text", token: "typed-000000000000", text: "Keemun" }), true);
  assert.deepEqual([taken, state.typed], [["a"], undefined]);
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
