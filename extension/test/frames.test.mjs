// Rule of this file: it tests how calls find their frame, with a browser made of
// functions in which one frame hangs. What hangs never answers; a clock that stands
// still shows that nothing waits for it.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { load } from "./load.mjs";

const { Frames } = await load("src/worker/frames/frames.ts");
const { Dropped } = await load("src/worker/shared/dropped.ts");

const TAB = 7;
const TOP = { frameId: 0, parentFrameId: -1, documentId: "top", url: "https://tea.test/", documentLifecycle: "active" };
const HUNG = { frameId: 1, parentFrameId: 0, documentId: "hung", url: "https://ads.test/", documentLifecycle: "active" };
const FAR = { frameId: 2, parentFrameId: 0, documentId: "far", url: "https://far.test/", documentLifecycle: "active" };
const DEEP = { frameId: 3, parentFrameId: 2, documentId: "deep", url: "https://deep.test/", documentLifecycle: "active" };
const TOKENS = { top: "aaa", far: "bbb", deep: "ccc" };
const KEYS = { top: [["k-hung", HUNG], ["k-far", FAR]], far: [["k-deep", DEEP]], deep: [] };
const place = { left: 0, top: 0, scaleX: 1, scaleY: 1, clip: null, rendered: true, opacity: 1, viewport: { width: 1, height: 1 } };

/** Starts a worker; the storage is shared with the next one. */
function startWorker(stored, frames = [TOP, HUNG, FAR, DEEP]) {
  let worker;
  const asked = [];
  const never = new Promise(() => {});
  globalThis.chrome = {
    runtime: { id: "us" },
    storage: {
      session: {
        get: async (key) => structuredClone({ [key]: stored[key] }),
        set: async (values) => void Object.assign(stored, structuredClone(values)),
      },
    },
    webNavigation: { getAllFrames: async () => frames },
    scripting: { executeScript: ({ target }) => (target.documentIds[0] === "hung" ? never : Promise.resolve([])) },
    tabs: {
      sendMessage: (_, message, { documentId }) => {
        asked.push(`${documentId} ${message.kind}`);
        if (documentId === "hung") return never;
        if (message.kind === "hello") return Promise.resolve({ ok: true, token: TOKENS[documentId] });
        if (message.kind === "see_frame") return Promise.resolve({ place, covers: [] });
        for (const [key, { frameId, documentId: id, url }] of KEYS[documentId]) {
          if (id !== "hung") worker.receive({ kind: "frame_key", key, origin: new URL(url).origin }, { id: "us", tab: { id: TAB }, frameId, documentId: id, origin: new URL(url).origin });
        }
        return Promise.resolve({ keys: KEYS[documentId].map(([key]) => ({ key, entered: false })) });
      },
    },
  };
  worker = new Frames({ has: () => true, demand: () => {}, restored: async () => {} }, new Dropped());
  return { worker, asked };
}

const byRef = (worker, token) => worker.enter(TAB, { document_id: "top", url: TOP.url, origin: "https://tea.test" }, { way: { by: "ref", token, ref: `${token}1` }, frames: [] }, () => {});

/** The outcome of what must come without any time passing. */
async function atOnce(promise) {
  let outcome;
  promise.then((value) => (outcome = { value }), (error) => (outcome = { error }));
  for (let turn = 0; turn < 500 && !outcome; turn++) await new Promise((next) => setImmediate(next));
  assert.ok(outcome, "it waits for a frame that hangs");
  return outcome;
}

test("a ref is followed beside a frame that hangs", async (t) => {
  // Ensure that after a restart of the worker a call by ref goes into its frame, or fails as the frame is gone, without a question to a frame that hangs, and that the stored state is enough.
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  t.after(() => mock.timers.reset());
  const stored = {};
  const first = startWorker(stored);
  const entered = (host, document_id, url) => first.worker.enter(TAB, { document_id, url, origin: "" }, {
    way: { by: "path", steps: [] }, host, frames: KEYS[document_id].map(([key]) => ({ key, place })),
  }, () => {});
  // Into the frames by their hosts, beside the one that hangs.
  assert.equal((await atOnce(entered("far.test", "top", TOP.url))).value.document_id, "far");
  assert.equal((await atOnce(entered("deep.test", "far", FAR.url))).value.document_id, "deep");

  const { worker, asked } = startWorker(stored);
  const { value } = await atOnce(byRef(worker, "ccc"));
  assert.equal(value.document_id, "deep");
  assert.equal(value.origin, "https://deep.test");
  assert.deepEqual(asked, ["top see_frame", "far see_frame"]);
  const { error } = await atOnce(byRef(worker, "zzz"));
  assert.equal(error.data.code, "stale_ref");
  const gone = startWorker(stored, [TOP, HUNG]);
  assert.equal((await atOnce(byRef(gone.worker, "ccc"))).error.data.code, "stale_ref");

  // Where only the letters were kept, the frame is found by the documents around it alone.
  stored.frames.tabs = [];
  const again = startWorker(stored);
  assert.equal((await atOnce(byRef(again.worker, "ccc"))).value.document_id, "deep");
  assert.ok(!again.asked.some((question) => question.startsWith("hung")), again.asked.join());
});

/** Enters the frame of a tab that loads another document as soon as what `loads` names is done in it. */
function enterLoading({ loads, scriptAnswers }) {
  const NEXT = { ...FAR, documentId: "next" };
  let shown = FAR;
  const listening = new Set();
  const gone = () => Promise.reject(new Error("Could not establish connection. Receiving end does not exist."));
  const { worker } = startWorker({}, []);
  const next = (what) => { if (loads === what) shown = NEXT; };
  Object.assign(globalThis.chrome, {
    webNavigation: { getAllFrames: async () => [TOP, shown] },
    scripting: {
      executeScript: async ({ target: { documentIds: [id] }, func }) => {
        if (func && id === shown.documentId) listening.add(id);
        next(func ? "listen" : "inject");
        return [];
      },
    },
    tabs: {
      sendMessage: async (_, message, { documentId }) => {
        if (message.kind === "hello") return documentId === "top" || scriptAnswers ? { ok: true, token: documentId } : gone();
        if (message.kind === "post_keys" && listening.has(shown.documentId)) {
          worker.receive({ kind: "frame_key", key: "k-far", origin: "https://far.test" }, { id: "us", tab: { id: TAB }, frameId: FAR.frameId, documentId: shown.documentId });
        }
        return { keys: [{ key: "k-far", entered: false }] };
      },
    },
  });
  return worker.enter(TAB, { document_id: "top", url: TOP.url, origin: "" }, { way: { by: "path", steps: [] }, frames: [{ key: "k-far", place }] }, () => {});
}

test("a frame that loads another document is found in it", async () => {
  // Ensure that a document which comes while the frames tell which document they show is asked as well, instead of the one that is gone until the time is over.
  assert.equal((await enterLoading({ loads: "listen", scriptAnswers: true })).document_id, "next");
});

test("a frame that loads another document is told from one that does not listen", async () => {
  // Ensure that where a frame's document goes while the script is put into it, the error says that it was replaced: a read goes on in the next one.
  await assert.rejects(enterLoading({ loads: "inject" }), (error) => error.data.code === "runtime_replaced" && error.data.dispatched === "no");
  await assert.rejects(enterLoading({}), (error) => error.data.code === "runtime_not_ready");
});
