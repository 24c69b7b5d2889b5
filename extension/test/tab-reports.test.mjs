// Rule of this file: it tests how often a tab's state goes to the host.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { load } from "./load.mjs";

const { TabReports } = await load("src/worker/tabs/tabs.ts");

test("a page that changes its title all the time", async (t) => {
  // Ensure that of a thousand titles in a second ten at most are looked up and reported, the last one among them, and that another tab's title and an address are reported at once.
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  const tabs = new Map([1, 2].map((id) => [id, { id, windowId: 1, url: "https://example.com/", title: "first", active: true, status: "complete" }]));
  let lookups = 0;
  globalThis.chrome = {
    tabs: {
      TAB_ID_NONE: -1,
      get: async (id) => {
        lookups++;
        return { ...tabs.get(id) };
      },
    },
  };
  const sent = [];
  const reports = new TabReports({ has: () => true }, { current: () => undefined }, { notify: (_method, { tab }) => sent.push(tab) });
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  for (let i = 0; i < 1_000; i++) {
    tabs.get(1).title = `title ${i}`;
    void reports.retitled(1);
    if (i % 100 === 99) await settled();
    mock.timers.tick(1);
  }
  await settled();
  assert.ok(lookups <= 11, `${lookups} lookups`);
  tabs.get(2).title = "another";
  await reports.retitled(2);
  assert.equal(sent.at(-1).title, "another");
  tabs.get(1).url = "https://example.com/next";
  await reports.changed(1);
  assert.equal(sent.at(-1).url, "https://example.com/next");
  mock.timers.tick(100);
  await settled();
  assert.equal(sent.findLast((tab) => tab.tab_id === 1).title, "title 999");
});
