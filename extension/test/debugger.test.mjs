// Rule of this file: it tests when the debugger is attached and detached, with a browser made of
// functions and a clock of its own.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { load } from "./load.mjs";

const { DebuggerOwner, Spent } = await load("src/worker/debugger/debugger.ts", "src/worker/shared/spent.ts");

const TIMEOUT_MS = 5_000;
const settled = () => new Promise(setImmediate);

/** A claimed tab whose debugger attaches when the test has it do so. */
function slowTab() {
  const log = [];
  const claimed = new Set([7]);
  let resolve;
  let attaching;
  let isAttached = false;
  globalThis.chrome = {
    debugger: {
      attach: () => {
        log.push("attach");
        if (attaching) return attaching.then(() => Promise.reject(new Error("Another debugger is already attached to the tab with id: 7.")));
        attaching = new Promise((done) => (resolve = done));
        return attaching;
      },
      sendCommand: async (_, method) => void log.push(method),
      detach: async () => {
        if (!isAttached) throw new Error("Debugger is not attached to the tab with id: 7.");
        isAttached = false;
        log.push("detach");
      },
    },
  };
  const claims = { has: (id) => claimed.has(id), demand: () => {}, stateOf: () => ({}), update: () => {} };
  const inputs = { notePresses: () => {}, track: (_tab, _method, send) => send() };
  const owner = new DebuggerOwner(claims, {}, { forget: () => {} }, {}, inputs, new Spent());
  const command = (method) => owner.command({ tab_id: 7, method }).then(() => "ok", (error) => error.data);
  const attach = () => {
    isAttached = true;
    resolve();
  };
  return { owner, command, claimed, log, attach };
}

test("a debugger that attaches late", async (t) => {
  // Ensure that a command does not wait for it for ever, that the next one uses it, and that it is detached with the claim.
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  const tab = slowTab();
  const first = tab.command("Page.reload");
  await settled();
  mock.timers.tick(TIMEOUT_MS);
  const { code, dispatched } = await first;
  assert.deepEqual([code, dispatched], ["debugger_unavailable", "no"]);
  tab.attach();
  await settled();
  assert.equal(await tab.command("Page.reload"), "ok");
  tab.claimed.delete(7);
  await tab.owner.detach(7);
  assert.deepEqual(tab.log, ["attach", "Page.enable", "Page.reload", "detach"]);
});

test("a debugger that attaches after the claim", async (t) => {
  // Ensure that it is detached at once, also where nobody waits for it any more.
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  const tab = slowTab();
  const call = tab.command("Page.reload");
  tab.claimed.delete(7);
  const released = tab.owner.detach(7);
  await settled();
  mock.timers.tick(TIMEOUT_MS);
  await released;
  await call;
  tab.attach();
  await settled();
  assert.deepEqual(tab.log, ["attach", "detach"]);
});

test("a debugger that attaches after the next claim", async (t) => {
  // Ensure that the new claim takes it, since the browser attaches no second one, and that it is detached with that claim.
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  const tab = slowTab();
  const first = tab.command("Page.reload");
  tab.claimed.delete(7);
  const released = tab.owner.detach(7);
  await settled();
  mock.timers.tick(TIMEOUT_MS);
  await Promise.all([first, released]);
  tab.claimed.add(7);
  const second = tab.command("Page.reload");
  await settled();
  tab.attach();
  assert.equal(await second, "ok");
  await tab.owner.detach(7);
  assert.deepEqual(tab.log, ["attach", "Page.enable", "Page.reload", "detach"]);
});

test("a debugger that attaches while it is given up", async (t) => {
  // Ensure that a claim that comes before it has been given up keeps it.
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  const tab = slowTab();
  const first = tab.command("Page.reload");
  const released = tab.owner.detach(7);
  const second = tab.command("Page.reload");
  await settled();
  tab.attach();
  await Promise.all([first, released]);
  assert.equal(await second, "ok");
  assert.deepEqual(tab.log, ["attach", "Page.enable", "Page.reload", "Page.reload"]);
});
