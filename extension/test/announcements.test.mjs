// Rule of this file: it tests what becomes of announcements of live regions between the
// page and the worker, with elements and a worker made of functions.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const prototype = new Proxy({}, { getOwnPropertyDescriptor: () => ({ get() {}, configurable: true }) });
Object.assign(globalThis, { Node: { prototype }, Element: { prototype } });
const { regionOf } = await load("src/page/a11y/live-regions.ts");
const { Outbox } = await load("src/page/a11y/outbox.ts");

test("a region with long attributes", () => {
  // Ensure that its role and aria-relevant are no longer than the protocol takes.
  const attributes = { "aria-live": "polite", role: "r".repeat(300), "aria-relevant": "text ".repeat(80) };
  const { role, relevant } = regionOf({ localName: "div", getAttribute: (name) => attributes[name] ?? null });
  assert.ok(role.length <= 200 && relevant.length <= 200, `${role.length} and ${relevant.length} characters`);
  assert.ok(relevant.startsWith("text text"));
});

test("an announcement that the worker refuses", async () => {
  // Ensure that it is dropped and counted, that the next one comes through, and that one is kept while the host or the worker is away.
  const answers = [undefined, false, new Error("Could not establish connection"), true];
  const sent = [];
  let answered;
  const done = new Promise((resolve) => (answered = resolve));
  globalThis.chrome = {
    runtime: {
      id: "us",
      sendMessage: async ({ items, dropped }) => {
        sent.push([items.map(({ text }) => text).join(), dropped]);
        const answer = answers.shift();
        if (answers.length === 0) answered();
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  };
  const outbox = new Outbox();
  outbox.put({ text: "bad" });
  await new Promise(setImmediate);
  outbox.put({ text: "good" });
  await done;
  assert.deepEqual(sent, [["bad", undefined], ["good", 1], ["good", 1], ["good", 1]]);
});
