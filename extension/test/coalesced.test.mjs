import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { coalesced } = await load("src/worker/shared/async.ts");

test("work that is asked for while it runs is done once more", async () => {
  // Ensure that calls during a run share one later run for their key, that a failure ends nothing but its own run, and that other keys do not wait.
  const begun = [];
  const running = [];
  const work = coalesced((key) => {
    begun.push(key);
    return new Promise((resolve, reject) => running.push({ resolve, reject }));
  });
  const first = work("a");
  const [second, third, other] = [work("a"), work("a"), work("b")];
  assert.deepEqual(begun, ["a", "b"]);
  running[1].resolve("other");
  assert.equal(await other, "other");
  running[0].reject(new Error("failed"));
  await assert.rejects(first, /failed/);
  await Promise.resolve();
  assert.deepEqual(begun, ["a", "b", "a"]);
  running[2].resolve("later");
  assert.deepEqual(await Promise.all([second, third]), ["later", "later"]);
  const fourth = work("a");
  assert.deepEqual(begun, ["a", "b", "a", "a"]);
  running[3].resolve("last");
  assert.equal(await fourth, "last");
});
