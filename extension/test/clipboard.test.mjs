// Rule of this file: it tests which pages may use the clipboard, with a tab and a
// clipboard made of functions.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { Clipboard } = await load("src/worker/offscreen/clipboard.ts");
const { Documents } = await load("src/worker/tabs/documents.ts");

/** A tab at the address, whose clipboard call may lead it elsewhere. */
function tab(url, meanwhile = () => {}) {
  const asked = [];
  const at = { url };
  // Whoever asks for getContexts, which ends the browser beside a popup, fails.
  globalThis.clients = { matchAll: async () => [{ url: "chrome-extension://own/offscreen.html" }] };
  globalThis.chrome = {
    runtime: {
      getURL: (path) => `chrome-extension://own/${path}`,
      sendMessage: async (request) => {
        asked.push(request.kind);
        meanwhile(at);
        return { ok: true, text: "secret", html: "" };
      },
    },
    webNavigation: { getFrame: async () => ({ documentId: at.url, url: at.url }) },
  };
  const claims = { has: () => true, demand: () => {} };
  const documents = new Documents(claims);
  const goTo = (to) => {
    at.url = to;
    documents.onCommitted({ tabId: 7, frameId: 0, documentId: to, url: to });
  };
  return { clipboard: new Clipboard(claims, documents), asked, goTo };
}

const mismatch = (error) => error.data.code === "state_mismatch" && error.data.dispatched === "no";

test("the clipboard is kept to the page of one origin", async () => {
  // Ensure that a read and a write for another origin than the tab's are refused before they are made, and that what was read while the tab navigated away is discarded.
  const here = tab("https://tea.test/a");
  assert.equal((await here.clipboard.read({ tab_id: 7, origin: "https://tea.test" })).text, "secret");
  assert.deepEqual(await here.clipboard.write({ tab_id: 7, text: "x", origin: "https://tea.test" }), {});
  assert.equal((await here.clipboard.read({ tab_id: 7 })).text, "secret"); // of an older host
  assert.equal(here.asked.length, 3);
  here.goTo("https://bank.test/");
  await assert.rejects(here.clipboard.read({ tab_id: 7, origin: "https://tea.test" }), mismatch);
  await assert.rejects(here.clipboard.write({ tab_id: 7, text: "x", origin: "https://tea.test" }), mismatch);
  assert.equal(here.asked.length, 3);

  const leaving = tab("https://tea.test/a", () => leaving.goTo("https://bank.test/"));
  await assert.rejects(leaving.clipboard.read({ tab_id: 7, origin: "https://tea.test" }), mismatch);
  assert.deepEqual(leaving.asked, ["clipboard_read"]);
});
