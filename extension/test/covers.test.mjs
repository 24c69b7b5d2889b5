// Rule of this file: it tests that a cover of frames never stays, with a browser made
// of functions and a clock of its own.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { load } from "./load.mjs";

const { Covers } = await load("src/worker/page/covers.ts");

/** A browser that stores the styles of a tab; documents listed as hung never apply one. */
function browser(docs = [], hung = []) {
  const styles = new Set();
  const applyStyle = ({ target, css, origin }, change) => {
    assert.equal(origin, "USER");
    const targets = target.documentIds ?? docs.map((doc) => doc.documentId);
    if (!target.documentIds) change(css);
    return targets.some((id) => hung.includes(id)) ? new Promise(() => {}) : Promise.resolve();
  };
  globalThis.chrome = {
    scripting: {
      insertCSS: (injection) => applyStyle(injection, (css) => styles.add(css)),
      removeCSS: (injection) => applyStyle(injection, (css) => styles.delete(css)),
    },
    webNavigation: { getAllFrames: async () => docs },
  };
  return styles;
}

function claims(states = new Map([[7, {}]])) {
  return {
    states,
    ids: () => [...states.keys()],
    demand: (id) => assert.ok(states.has(id)),
    stateOf: (id) => states.get(id) ?? {},
    update: (id, changes) => states.has(id) && Object.assign(states.get(id), changes),
  };
}

test("a cover goes", async (t) => {
  // Ensure that a cover is removed at the host's request, after a timeout, when the tab is released, and where an earlier run of the worker left it.
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  const styles = browser();
  const mirror = claims();
  const covers = new Covers(mirror);
  const on = () => covers.set({ tab_id: 7, on: true, except: ":indeterminate" });
  const ways = {
    "by the host's word": () => covers.set({ tab_id: 7, on: false }),
    "by itself": () => mock.timers.tick(20_000),
    "by another one": () => on().then(() => covers.end(7)),
    "with the claim": () => {
      mirror.states.delete(7);
      covers.end(7);
      mirror.states.set(7, {});
    },
    "by another life of the worker": () => new Covers(mirror).endAll(),
    "with the host": () => covers.endAll(),
  };
  for (const [way, end] of Object.entries(ways)) {
    assert.deepEqual(await on(), { complete: true, silent: [] });
    assert.ok([...styles].some((css) => css.includes("iframe") && css.includes(":not(:indeterminate)") && css.includes("opacity: 0 !important")), way);
    await end();
    assert.ok(![...styles].some((css) => css.includes("opacity: 0")), way);
    for (const ms of [30_000, 1_000]) mock.timers.tick(ms); // what is left of it, too
    assert.equal(styles.size, 0, way);
  }
});

test("documents that take no cover are named", async (t) => {
  // Ensure that a document which hangs does not block the call and is named by its origin, and that the tab's own is an error.
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  const docs = [
    { documentId: "top", frameId: 0, url: "https://tea.test/" },
    { documentId: "ad", frameId: 3, url: "https://ads.test/x" },
    { documentId: "blank", frameId: 4, url: "about:blank" },
  ];
  const laid = async (hung) => {
    browser(docs, hung);
    const answer = new Covers(claims()).set({ tab_id: 7, on: true });
    answer.catch(() => {});
    for (let i = 0; i < 20; i++) {
      await new Promise((done) => setImmediate(done));
      mock.timers.tick(200);
    }
    return answer;
  };
  assert.deepEqual(await laid(["ad", "blank"]), { complete: false, silent: ["https://ads.test", "null"] });
  await assert.rejects(laid(["top"]));
});
