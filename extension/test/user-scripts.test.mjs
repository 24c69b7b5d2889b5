// Rule of this file: it tests what the options say about user scripts, and how values of code are shown.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { wanted } = await load("src/ui/options/user-scripts.ts");
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
