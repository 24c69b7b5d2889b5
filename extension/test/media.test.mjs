// Rule of this file: it tests how a voice call begins and ends, with an offscreen
// document made of functions.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { Media } = await load("src/worker/offscreen/media.ts");

test("a call that is cancelled while its document is made", async () => {
  // Ensure that the microphone is not asked for any more, that the end of a call waits for the document, and that both reach a document that is there.
  const asked = [];
  let pages = [];
  let made;
  globalThis.clients = { matchAll: async () => pages };
  globalThis.chrome = {
    runtime: {
      getURL: (path) => `chrome-extension://own/${path}`,
      sendMessage: async ({ kind }) => {
        asked.push(kind);
        return { ok: true, sdp: "offer" };
      },
    },
    offscreen: { createDocument: () => new Promise((done) => (made = done)) },
  };
  const media = new Media({});
  const call = new AbortController();
  const offer = media.offer(call.signal);
  while (!made) await new Promise(setImmediate);
  call.abort();
  const closed = media.close();
  await new Promise(setImmediate);
  pages = [{ url: chrome.runtime.getURL("offscreen.html") }];
  made();
  await assert.rejects(offer, (error) => error.data.code === "cancelled" && error.data.dispatched === "no");
  await closed;
  assert.deepEqual(new Set(asked), new Set(["call_close"]));

  asked.length = 0;
  assert.deepEqual(await media.offer(new AbortController().signal), { sdp: "offer" });
  await media.close();
  assert.deepEqual(asked, ["call_offer", "call_close"]);
});
