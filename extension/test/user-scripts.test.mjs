// Rule of this file: it tests what the options say about user scripts, and how values of code are shown.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { load } from "./load.mjs";

const { wanted } = await load("src/ui/options/user-scripts.ts");
const { UserScripts } = await load("src/worker/automation/user-scripts.ts");
const { shownValue } = await load("src/offscreen/repl/shown-value.ts");

test("what this browser wants before scripts run as user scripts", () => {
  // Ensure that each browser's own switch is named, after the permission.
  const without = { granted: false, usable: false };
  const granted = { granted: true, usable: false };
  assert.equal(wanted(134, granted), "newer_browser");
  for (const version of [135, 137, 138]) assert.equal(wanted(version, without), "permission");
  assert.equal(wanted(137, granted), "developer_mode");
  assert.equal(wanted(138, granted), "details_switch");
  assert.equal(wanted(138, { granted: true, usable: true }), "nothing");
});

test("any value of code has a text", () => {
  // Ensure that values without a form in JSON, endless ones and hostile ones become a text, and a bounded one.
  const circle = {};
  circle.self = circle;
  const hostile = new Proxy({}, { ownKeys: () => { throw new Error("no"); } });
  for (const [value, text] of [
    [1, "1"], ["a", '"a"'], [null, "null"], [undefined, "undefined"], [Number.NaN, "NaN"], [10n, "10n"], [Symbol("s"), "Symbol(s)"],
    [{ a: [1, undefined], b: undefined }, '{"a":[1,undefined]}'], [circle, '{"self":"[circular]"}'], [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [new Map([[1, 2]]), '{"map":[[1,2]]}'], [new Uint8Array(3), '"[Uint8Array of 3 bytes]"'], [new TypeError("x"), '"TypeError: x"'], [hostile, "[no]"],
  ]) {
    assert.equal(shownValue(value), text);
  }
  assert.ok(shownValue(Array.from({ length: 1e6 }, () => "tea")).length < 400_000);
});

test("timers of code whose time is over", async () => {
  // Ensure that code which nobody can reach any more goes on until its time is over only, that its end in the page ends it at once, and that its timers end with its function, also with one that throws.
  const text = await readFile(new URL("../../pkg/browser/scripts/browserjs.js", import.meta.url), "utf8");
  const { default: wrap } = await import(`data:text/javascript,${encodeURIComponent(`export default ${text}`)}`);
  const beating = async (until, stop, last) => {
    let beats = 0;
    const code = ({ setTimeout, setInterval }) => () => {
      setInterval(() => { beats++; }, 5);
      void (async () => { for (;;) { beats++; await new Promise((go) => setTimeout(go, 5)); } })();
      return last;
    };
    const ending = wrap({ tell: (value) => JSON.stringify({ result: value }) }, { until }, code, []);
    const own = setInterval(() => {}, 1_000); // while the others are all that Node waits for
    while (beats < 4) await new Promise((go) => setTimeout(go, 1));
    await stop(ending);
    const from = beats;
    await new Promise((go) => setTimeout(go, 100));
    clearInterval(own);
    globalThis[Symbol.for("actions-host.browserjs")].end();
    assert.equal(beats, from);
  };
  const until = Date.now() + 500;
  const never = new Promise(() => {});
  await beating(until, async () => { while (Date.now() <= until) await new Promise((go) => setTimeout(go, 10)); }, never);
  await beating(Date.now() + 60_000, () => globalThis[Symbol.for("actions-host.browserjs")].end(), never);
  for (const [settle, answer] of [[(resolve) => resolve(1), '"value"'], [(_, reject) => reject(new Error("no")), '"thrown"']]) {
    const settled = new Promise((...ways) => setTimeout(() => settle(...ways), 50));
    await beating(Date.now() + 60_000, async (ending) => assert.match(await ending, new RegExp(answer)), settled);
  }
});

test("a release meets user scripts", async () => {
  // Ensure that code does not begin in a tab that was released while the world was made, and that code which runs ends in the page with the claim, as its call does, and that of another tab does not.
  const claimed = new Set([1, 2]);
  const claims = { has: (id) => claimed.has(id), demand: (id) => assert.ok(claimed.has(id), "not claimed") };
  const executed = [];
  let made;
  globalThis.chrome = {
    runtime: { onUserScriptMessage: { addListener() {} } },
    userScripts: {
      configureWorld: () => new Promise((resolve) => { made = resolve; }),
      execute: ({ target, js: [{ code }] }) => { executed.push([target.tabId, code]); return new Promise(() => {}); },
    },
  };
  const scripts = new UserScripts(claims, { current: () => ({ id: "d" }) }, {});
  const run = (tab_id) => scripts.run({ tab_id, runtime_id: "d", world: "user_script", code: "code", timeout_ms: 60_000 });
  const late = run(1);
  claimed.delete(1);
  made();
  await assert.rejects(late, /not claimed/);
  assert.deepEqual(executed, []);
  claimed.add(1);
  const [one, two] = [run(1), run(2)];
  two.catch(() => {});
  await new Promise((go) => setTimeout(go));
  claimed.delete(1);
  scripts.released(1);
  await assert.rejects(one, ({ data }) => data.code === "tab_not_claimed" && data.dispatched === "unknown");
  assert.deepEqual(executed.slice(0, 2), [[1, "code"], [2, "code"]]);
  assert.deepEqual([executed[2][0], executed.length], [1, 3]);
  assert.match(executed[2][1], /\.end\(\)/);
  assert.equal(await Promise.race([two.then(() => "ended", () => "ended"), new Promise((go) => setTimeout(() => go("runs"), 20))]), "runs");
  process.nextTick(() => scripts.released(2));
  await assert.rejects(two);
});
