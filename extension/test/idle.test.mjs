// Rule of this file: it tests when a page counts as still, with a clock and timers of its own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const own = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout, performance: globalThis.performance };

/** A page without elements, whose clock and timers the test moves. */
class Page {
  now = 0;
  timers = [];

  constructor() {
    const page = this;
    const prototype = new Proxy({}, { getOwnPropertyDescriptor: () => ({ get() {}, configurable: true }) });
    Object.assign(globalThis, {
      Node: { prototype }, Element: { prototype }, NodeFilter: { SHOW_ELEMENT: 1 },
      document: { readyState: "complete", createTreeWalker: () => ({ nextNode: () => null }), querySelectorAll: () => [] },
      MutationObserver: class {
        constructor(notify) {
          page.change = () => notify([{}]);
        }
        observe() {}
        disconnect() {}
      },
    });
  }

  /** Runs a call while the clock and the timers are the page's. */
  async run(call, moves) {
    Object.assign(globalThis, { setTimeout: (done, ms) => this.timers.push({ done, at: this.now + ms }), clearTimeout() {} });
    Object.defineProperty(globalThis, "performance", { configurable: true, value: { now: () => this.now } });
    try {
      const ended = call().catch((error) => error);
      for (const move of moves) {
        move(this);
        await new Promise(setImmediate); // all that follows from it
      }
      return await ended;
    } finally {
      Object.assign(globalThis, { setTimeout: own.setTimeout, clearTimeout: own.clearTimeout });
      Object.defineProperty(globalThis, "performance", { configurable: true, value: own.performance });
    }
  }

  /** Runs the only timer, if there is one: in its time, or later. */
  wake(now) {
    const timer = this.timers.shift();
    if (!timer) return;
    this.now = now ?? timer.at;
    timer.done();
  }
}

const page = new Page();
const { settlePage } = await load("src/page/wait/idle.ts");

function settle(stable, timeout_ms) {
  return settlePage({ stable, timeout_ms }, { signal: new AbortController().signal, deadline: 1e6 });
}

test("a page that nothing changes is still", async () => {
  // Ensure that the wait ends after the time that was asked for.
  const started = 1000;
  page.now = started;
  const state = await page.run(() => settle(300, 900), [() => page.wake(), () => page.wake()]);
  assert.equal(state.ready_state, "complete");
  assert.ok(page.now - started < 320, `after ${page.now - started} ms`);
});

test("a page that was held up is not still", async () => {
  // Ensure that a change counts that was due within the time, and comes after the wait's own timer as both are late.
  page.now = 2000;
  const error = await page.run(() => settle(300, 900), [() => page.wake(2500), () => page.change(), () => page.wake(), () => page.wake(3000), () => page.change(), () => page.wake()]);
  assert.equal(error.code, "timeout");
  assert.equal(error.evidence.stable, false);
});
