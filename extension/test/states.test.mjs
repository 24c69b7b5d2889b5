// Rule of this file: it tests the pure functions of the connection's states
// with the messages that Chrome really uses.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { load } from "./load.mjs";

const { backoff, disconnected, repairCommand, retriesSoon, stateText } = await load("src/worker/connection/states.ts");
const texts = JSON.parse(await readFile(new URL("../_locales/en/messages.json", import.meta.url), "utf8"));

/** Looks texts up as chrome.i18n does. */
function translate(key, substitutions = []) {
  assert.ok(texts[key], `_locales has no ${key}`);
  return texts[key].message.replace(/\$(\w+)\$/g, (_, name) => {
    const { content } = texts[key].placeholders[name.toLowerCase()];
    return substitutions[Number(content.slice(1)) - 1];
  });
}

const states = [
  { state: "connecting" },
  { state: "connected", host_version: "1.2.3" },
  { state: "host_missing" },
  { state: "forbidden" },
  { state: "version_skew", update: "host", reason: "the host speaks protocol 0" },
  { state: "version_skew", update: "extension", reason: "the host speaks protocol 9" },
  { state: "host_exited", reason: "Native host has exited." },
  { state: "not_started" },
  { state: "host_failed", reason: "the database is locked. Close the other browser." },
];

test("the wait doubles from 250 ms and stops at 5 s", () => {
  // Ensure that a missing host is looked for soon at first and never too often.
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6, 1000].map(backoff), [250, 500, 1000, 2000, 4000, 5000, 5000, 5000]);
  assert.equal(backoff(-1), 250);
});

test("Chrome's reasons become states", () => {
  // Ensure that each of Chrome's reasons has its own state.
  const cases = [
    ["Specified native messaging host not found.", { state: "host_missing" }],
    ["Access to the specified native messaging host is forbidden.", { state: "forbidden" }],
    ["Access to the native messaging host was disabled by the system administrator.", { state: "forbidden" }],
    ["Native host has exited.", { state: "host_exited", reason: "Native host has exited." }],
    [
      "Error when communicating with the native messaging host.",
      { state: "host_exited", reason: "Error when communicating with the native messaging host." },
    ],
    ["Failed to start native messaging host.", { state: "not_started" }],
    [undefined, { state: "host_exited", reason: "the connection was closed" }],
  ];
  for (const [reason, state] of cases) assert.deepEqual(disconnected(reason), state, reason);
});

test("only what can end by itself is tried again soon", () => {
  // Ensure that a host that cannot fit is not started over and over.
  const soon = states.filter(retriesSoon).map(({ state }) => state);
  assert.deepEqual(soon, ["host_missing", "host_exited", "not_started", "host_failed"]);
});

test("every state has its own text", () => {
  // Ensure that the texts distinguish the states and name what to update.
  const texts = states.map((state) => stateText(state, translate));
  assert.equal(new Set(texts).size, states.length);
  for (const sentence of texts) assert.doesNotMatch(sentence, /\$|undefined/);
  assert.match(texts[1], /1\.2\.3/);
  assert.match(texts[4], /Update the host/);
  assert.match(texts[5], /Update the extension/);
  assert.match(texts[6], /Native host has exited/);
});

test("a command comes where it helps", () => {
  // Ensure that the popup shows the exact command, and only when it repairs something or finds the cause.
  const commands = states.map((state) => repairCommand(state, "brave")?.command);
  const install = "actions-host install --browser brave";
  const doctor = "actions-host doctor";
  assert.deepEqual(commands, [undefined, undefined, install, install, undefined, undefined, doctor, install, doctor]);
});
