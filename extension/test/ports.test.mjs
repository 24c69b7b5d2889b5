// Rule of this file: it tests how a call reaches a document and what its end means.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const sent = [];
globalThis.chrome = {
  runtime: { id: "us" },
  tabs: { sendMessage: async (...args) => void sent.push(args) },
};

const { DocumentPorts, Spent } = await load("src/worker/page/ports.ts", "src/worker/shared/spent.ts");

/** A port as a content script opens it. */
function port(sender = {}, name = "page") {
  const listeners = { message: [], disconnect: [] };
  return {
    name,
    sender: { id: "us", tab: { id: 7 }, documentId: "d", ...sender },
    posted: [],
    postMessage(message) {
      if (this.closed) throw new Error("Attempting to use a disconnected port object");
      this.posted.push(message);
    },
    onMessage: { addListener: (f) => listeners.message.push(f) },
    onDisconnect: { addListener: (f) => listeners.disconnect.push(f) },
    answer: (message) => listeners.message.forEach((f) => f(message)),
    end: () => listeners.disconnect.forEach((f) => f()),
  };
}

const call = (call_id) => ({ kind: "action", call_id });

test("calls over a port", async () => {
  // Ensure that each answer comes to the call that it is for, in any order, once; that a port which ends fails what waits, and that what was not sent over it goes as a message.
  const ports = new DocumentPorts(() => assert.fail("nothing was said unasked"), new Spent());
  const one = port();
  assert.ok(ports.accept(one));
  const [first, second] = [ports.send(7, "d", call("a")), ports.send(7, "d", call("b"))];
  assert.deepEqual(one.posted.map(({ message }) => message.call_id), ["a", "b"]);
  for (const stray of [null, {}, { ask: 99, answer: 1 }, "x"]) one.answer(stray);
  one.answer({ ask: one.posted[1].ask, answer: "B" });
  one.answer({ ask: one.posted[0].ask, answer: "A" });
  one.answer({ ask: one.posted[0].ask, answer: "again" });
  assert.deepEqual(await Promise.all([first, second]), ["A", "B"]);

  const lost = ports.send(7, "d", call("c"));
  const next = port();
  ports.accept(next); // the document opens it again before the end of the first one is known
  one.end();
  await assert.rejects(lost, /port closed/);
  void ports.send(7, "d", call("d"));
  assert.equal(next.posted.length, 1);
  next.closed = true;
  await ports.send(7, "d", call("e"));
  await ports.send(7, "other", call("f"));
  assert.deepEqual(sent.map(([tab, message, to]) => [tab, message.call_id, to.documentId]), [[7, "e", "d"], [7, "f", "other"]]);
});

test("what a document says unasked", () => {
  // Ensure that it is passed on in the name of the document whose port it is.
  const received = [];
  const ports = new DocumentPorts((message, sender) => received.push([message, sender.documentId]), new Spent());
  const one = port();
  ports.accept(one);
  one.answer({ pushed: { kind: "input_seen" } });
  assert.deepEqual(received, [[{ kind: "input_seen" }, "d"]]);
});

test("ports of others", () => {
  // Ensure that only the content script of a tab's document is taken for one.
  const ports = new DocumentPorts(() => {}, new Spent());
  for (const other of [port({ id: "them" }), port({ tab: undefined }), port({ documentId: undefined }), port({}, "panel:agent")]) assert.ok(!ports.accept(other));
  assert.ok(ports.accept(port()));
});

test("where the time went", async () => {
  // Ensure that the wait for a document counts as such, also where it fails, that waits side by side count each, and that the sums begin at zero.
  const spent = new Spent();
  assert.deepEqual(spent.view(), { requests_ms: 0, pages_ms: 0, browser_ms: 0 });
  const p = port();
  const ports = new DocumentPorts(() => {}, spent);
  assert.ok(ports.accept(p));
  const waiting = [ports.send(7, "d", call("a")), ports.send(7, "d", call("b"))];
  const began = performance.now();
  while (performance.now() - began < 5);
  p.answer({ ask: 1, answer: "one" });
  p.end();
  assert.deepEqual((await Promise.allSettled(waiting)).map(({ status }) => status), ["fulfilled", "rejected"]);
  const { pages_ms, browser_ms } = spent.view();
  assert.ok(pages_ms >= 10 && browser_ms === 0, `${pages_ms} ms on pages, ${browser_ms} on the browser`);
});
