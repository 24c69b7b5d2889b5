// Rule of this file: it tests how much of a recording goes on to the host.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { FloodLimiter } = await load("src/worker/debugger/flood.ts");

function rig() {
  const rig = { sent: [], reports: [], at: 0 };
  rig.limiter = new FloodLimiter(
    async (source, method) => void rig.sent.push(`${source.tabId}${source.sessionId ?? ""} ${method}`),
    (source, flood) => rig.reports.push([source.tabId, source.sessionId, flood]),
    () => rig.at,
  );
  /** Returns how many of so many events go on. */
  rig.emit = (count, source = { tabId: 1 }, method = "Runtime.consoleAPICalled") => {
    let passed = 0;
    for (let i = 0; i < count; i++) if (rig.limiter.allows(source, method)) passed++;
    return passed;
  };
  return rig;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a flood is switched off where it comes from", async () => {
  // Ensure that a bounded number of events goes on, that the recording is switched off in the browser once, and that dropped events are counted and reported.
  const r = rig();
  assert.equal(r.emit(5_000), 1_200);
  await settled();
  assert.deepEqual(r.sent, ["1 Runtime.disable", "1 Log.disable"]);
  assert.deepEqual(r.reports, [[1, undefined, { domain: "console", dropped: 3_800, off: true }]]);
  r.at = 60_000;
  assert.equal(r.emit(10), 0, "what comes after that is dropped too");

  r.limiter.onCommand({ tabId: 1 }, "Runtime.enable");
  assert.deepEqual(r.reports[1], [1, undefined, { domain: "console", dropped: 10, off: false }]);
  assert.equal(r.emit(5_000), 1_200, "the time that has passed allows as many again");
  await settled();
  assert.equal(r.sent.length, 4);
});

test("what is no flood goes on", async () => {
  // Ensure that a page's past comes whole when a recording starts, again when one starts after it was stopped, and that one with few events is never cut.
  const r = rig();
  assert.equal(r.emit(1_100), 1_100);
  r.limiter.onCommand({ tabId: 1 }, "Runtime.disable");
  r.limiter.onCommand({ tabId: 1 }, "Runtime.enable");
  assert.equal(r.emit(1_100), 1_100);
  for (let second = 1; second <= 600; second++) {
    r.at = second * 1_000;
    assert.equal(r.emit(100), 100);
  }
  await settled();
  assert.deepEqual(r.sent, []);
  assert.deepEqual(r.reports, []);
});

test("one flood is not another's", async () => {
  // Ensure that tabs, sessions and recordings have allowances of their own, that events which make no entries always go on, and that a tab which the debugger has left begins anew.
  const r = rig();
  r.emit(3_000);
  assert.equal(r.emit(10, { tabId: 2 }), 10);
  assert.equal(r.emit(10, { tabId: 1, sessionId: "s" }), 10);
  assert.equal(r.emit(10, { tabId: 1 }, "Network.requestWillBeSent"), 10);
  for (const method of ["Page.javascriptDialogOpening", "Runtime.bindingCalled", "Runtime.executionContextsCleared", "Fetch.requestPaused"]) {
    assert.equal(r.emit(5_000, { tabId: 1 }, method), 5_000, method);
  }
  r.emit(3_000, { tabId: 1 }, "Network.webSocketFrameReceived");
  await settled();
  assert.deepEqual(r.sent, ["1 Runtime.disable", "1 Log.disable", "1 Network.disable"]);
  r.limiter.forget(1);
  assert.equal(r.emit(10), 10);
});

test("the host's commands come first", async () => {
  // Ensure that a recording which the host stops or starts while it is being switched off is not reported as off.
  for (const method of ["Runtime.disable", "Runtime.enable"]) {
    const r = rig();
    r.emit(3_000);
    r.limiter.onCommand({ tabId: 1 }, method);
    await settled();
    assert.ok(!r.reports.some(([, , flood]) => flood.off), method);
  }
});

test("a stop lets no more pass", async () => {
  // Ensure that what is still on its way when the host stops a flooded recording passes no more than the recording was allowed, is not reported as a flood, and takes nothing from the next recording.
  for (const count of [1_190, 3_000]) {
    const r = rig();
    r.emit(count);
    r.limiter.onCommand({ tabId: 1 }, "Log.disable");
    assert.equal(r.emit(3_000), Math.max(0, 1_200 - count), `after ${count}`);
    r.limiter.onCommand({ tabId: 1 }, "Runtime.disable");
    await settled();
    assert.deepEqual(r.reports, []);
    r.limiter.onCommand({ tabId: 1 }, "Runtime.enable");
    assert.equal(r.emit(1_200), 1_200);
    assert.deepEqual(r.reports, []);
  }
});
