// Rule of this file: it tests which senders the worker accepts as a page of the user's, with
// what browsers report of senders.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { load } from "./load.mjs";

const OWN = "chrome-extension://abc/";
globalThis.chrome = { runtime: { id: "abc", getURL: (path) => OWN + path } };
const { countAnswerPages, fromOwnPage, fromSidePanel, isOwnFrame, OPEN_TO_WEB } = await load("src/worker/ui/own-pages.ts");

const inTab = (url, tab = url, frameId = 0) => ({ id: "abc", url, frameId, tab: { id: 1, url: tab } });

test("only pages that the user opens may ask for everything", () => {
  // Ensure that the popup and the options page count, and neither a web page, another extension, nor a page of ours that a web page has opened in a tab or embedded.
  assert.ok(fromOwnPage({ id: "abc", url: `${OWN}popup.html` }));
  assert.ok(fromOwnPage(inTab(`${OWN}options.html#storage`)));
  for (const sender of [
    { id: "abc", url: "https://evil.test/", tab: { id: 1, url: "https://evil.test/" } },
    { id: "xyz", url: `${OWN}popup.html` },
    inTab(`${OWN}options.html`, "https://evil.test/", 3),
    inTab(`${OWN}pane.html`),
    inTab(`${OWN}pane.html?x#y`),
    inTab(`${OWN}report.html`),
    inTab(`${OWN}picker.html`),
    inTab(`${OWN}pane.html`, "https://evil.test/", 3),
    inTab("chrome-extension://abcd/popup.html"),
    {},
  ]) {
    assert.ok(!fromOwnPage(sender), JSON.stringify(sender));
  }
});

test("pages that show what waits for an answer", async () => {
  // Ensure that popups and side panels count, whatever tab a panel is for, and no other page nor the worker.
  chrome.runtime.getContexts = async () => [`${OWN}popup.html`, `${OWN}options.html`, `${OWN}sidepanel.html?tab=7`, `${OWN}pane.html`, undefined].map((documentUrl) => ({ documentUrl }));
  assert.equal(await countAnswerPages(), 2);
});

test("the side panel", () => {
  // Ensure that its port is taken from its own page alone, in the panel or in a tab, and from no page that looks like it.
  assert.ok(fromSidePanel({ id: "abc", url: `${OWN}sidepanel.html?tab=7` }));
  assert.ok(fromSidePanel(inTab(`${OWN}sidepanel.html?tab=7`)));
  for (const sender of [{ id: "abc", url: `${OWN}popup.html` }, { id: "xyz", url: `${OWN}sidepanel.html` }, inTab(`${OWN}sidepanel.html`, "https://evil.test/", 3), inTab("https://evil.test/sidepanel.html")]) {
    assert.ok(!fromSidePanel(sender), JSON.stringify(sender));
  }
});

test("frames in web pages", () => {
  // Ensure that the pane and the report are known as frames with any query, and no other page nor a frame of a tab's own.
  assert.ok(isOwnFrame(inTab(`${OWN}pane.html?x`, "https://tea.test/", 3)));
  for (const sender of [inTab(`${OWN}pane.html`), inTab(`${OWN}popup.html`, "https://tea.test/", 3), inTab("https://tea.test/pane.html", "https://tea.test/", 3)]) {
    assert.ok(!isOwnFrame(sender), JSON.stringify(sender));
  }
});

test("the manifest's open pages", async () => {
  // Ensure that every page that the manifest opens to web pages is one that is not trusted.
  const manifest = JSON.parse(await readFile(new URL("../manifest.json", import.meta.url), "utf8"));
  assert.deepEqual(manifest.web_accessible_resources.flatMap((each) => each.resources).sort(), [...OPEN_TO_WEB].sort());
});
