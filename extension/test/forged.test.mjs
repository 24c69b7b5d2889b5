// Rule of this file: it tests what the worker takes from whom, with senders as browsers
// report them: what a web page that has taken over its content script can send, a page
// of the extension that a web page embeds, and another extension.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const OWN = "chrome-extension://us/";
const FORM = "https://bank.example";
const EVIL = "https://evil.example";

let frames = [];
globalThis.chrome = {
  runtime: { id: "us", getURL: (path) => OWN + path },
  storage: { session: { get: async () => ({}), set: async () => {} } },
  webNavigation: { getAllFrames: async () => frames },
  scripting: { executeScript: async () => [] },
  tabs: { sendMessage: async () => ({ ok: false }) },
};

const { Dropped } = await load("src/worker/shared/dropped.ts");
const { FrameKeys } = await load("src/worker/frames/keys.ts");
const { Frames } = await load("src/worker/frames/frames.ts");
const { RealInput } = await load("src/worker/input/real-input.ts");
const { Announcer } = await load("src/worker/page/announcements.ts");
const { Signals } = await load("src/worker/page/signals.ts");
const { AgentBridge } = await load("src/worker/ui/agent.ts");
const { Overlays } = await load("src/worker/ui/overlays.ts");

const claims = { has: (id) => id === 7, ids: () => [7], demand() {}, restored: async () => {} };
const of = (more = {}) => ({ id: "us", tab: { id: 7, url: FORM }, frameId: 0, documentId: "top", url: `${FORM}/`, origin: FORM, ...more });
const memory = () => {
  const known = { holders: new Map(), origins: new Map() };
  return { tabs: new Map([[7, known]]), of: () => known, save: async () => {} };
};

test("keys of frames", async () => {
  // Ensure that a key counts only in the tab in which it was given, and with the origin that the browser reports.
  const kept = memory();
  const keys = new FrameKeys(claims, kept);
  const message = { kind: "frame_key", key: "k", origin: EVIL };
  const inside = of({ frameId: 3, documentId: "d3", origin: EVIL });
  assert.ok(!keys.handles(message, inside), "a key that nobody gave");
  let reported = () => {};
  const learned = keys.learn(7, "top", ["k"], (known) => known.has("k"), () => new Promise((resolve) => (reported = resolve)));
  for (const sender of [{ ...inside, tab: { id: 8 } }, { ...inside, id: "them" }, of({ frameId: 3, origin: FORM }), of({ frameId: 3, origin: "null" }), { id: "us", origin: EVIL }]) {
    assert.ok(!keys.handles(message, sender), JSON.stringify(sender));
  }
  assert.ok(keys.handles({ ...message, origin: "null" }, of({ frameId: 3, origin: "file://" })), "a file");
  assert.ok(!keys.handles({ ...message, origin: "null" }, inside), "an origin that is hidden");
  assert.ok(keys.handles(message, inside));
  keys.receive(message, inside);
  reported();
  await learned;
  assert.deepEqual(kept.of().holders.get(3), { key: "k", document_id: "top" });
  assert.ok(keys.handles(message, inside), "the same key once more, later, is no forgery");
});

const frame = (frameId, parentFrameId, documentId, url) => ({ frameId, parentFrameId, documentId, url, documentLifecycle: "active" });

/** The outcome of a call from the top document into the frame with the key k, which the document reports. */
async function enter(reporter) {
  const dropped = new Dropped();
  const worker = new Frames(claims, dropped);
  const doc = frames.find((each) => each.documentId === reporter);
  chrome.tabs.sendMessage = async (_, { kind }) => {
    if (kind === "hello") return { ok: true, token: "t" };
    worker.receive({ kind: "frame_key", key: "k", origin: new URL(doc.url).origin }, of({ frameId: doc.frameId, documentId: reporter, origin: new URL(doc.url).origin }), () => {});
    return { keys: [{ key: "k", entered: false }] };
  };
  const from = { document_id: "top", url: FORM, origin: FORM };
  return worker.enter(7, from, { way: { by: "path", steps: [] }, frames: [{ key: "k", place: {} }] }, () => {}).then((target) => target.document_id, (error) => error.data.code);
}

test("a key that was handed on", async () => {
  // Ensure that a frame cannot lead a call into another document by giving its key away, and that one in a frame of the page's own origin is reached.
  frames = [frame(0, -1, "top", `${FORM}/`), frame(1, 0, "evil", `${EVIL}/`), frame(2, 1, "victim", "https://mail.example/")];
  assert.equal(await enter("evil"), "evil");
  assert.equal(await enter("victim"), "runtime_not_ready");
  frames = [frame(0, -1, "top", `${FORM}/`), frame(1, 0, "own", `${FORM}/inner`), frame(2, 1, "victim", "https://mail.example/")];
  assert.equal(await enter("victim"), "victim");
});

test("questions to documents around", async () => {
  // Ensure that a document asks about itself only those that hold it, and that another one is a forgery.
  frames = [frame(0, -1, "top", `${FORM}/`), frame(1, 0, "evil", `${EVIL}/`), frame(2, 0, "mail", "https://mail.example/")];
  const dropped = new Dropped();
  const worker = new Frames(claims, dropped);
  let asked = 0;
  chrome.tabs.sendMessage = async () => void asked++;
  const ask = (document_id) => new Promise((resolve) => assert.ok(worker.receive({ kind: "above", key: "k", document_id, points: [], drawn: false }, of({ frameId: 1, documentId: "evil", origin: EVIL }), resolve)));
  assert.equal(await ask("mail"), null);
  assert.equal(await ask("gone"), null);
  assert.equal(asked, 0);
  assert.deepEqual(dropped.view(), { keys: 0, events: 0, ports: 0, frames: 1, requests: 0, origin: EVIL });
});

test("input that was received", async () => {
  // Ensure that only a document that input is for can say that it has received it.
  const hold = { id: "h", tabId: 7, targets: ["top"], hasOtherDocuments: false };
  const owner = { command: async () => ({ result: {} }) };
  const input = new RealInput(claims, { watch: () => () => {} }, owner, { begin: async () => hold, end: async () => {} });
  const seen = { kind: "input_seen", hold: "h", events: ["click"], count: 1 };
  assert.ok(!input.handles(seen, of()), "a hold that nobody began");
  await input.send({ tab_id: 7, device: "pointer", hold: { id: "h", mark: "m" }, steps: [] }, new AbortController().signal);
  for (const sender of [of({ documentId: "evil", frameId: 3, origin: EVIL }), of({ tab: { id: 8 } }), of({ id: "them" }), { id: "us", url: `${OWN}popup.html` }]) {
    assert.ok(!input.handles(seen, sender), JSON.stringify(sender));
  }
  assert.ok(!input.handles({ ...seen, events: [1] }, of()));
  assert.ok(input.handles(seen, of()));
});

test("events and announcements", () => {
  // Ensure that only the content script of a tab's own document reports them, and in their form.
  const signals = new Signals(claims, {}, {});
  const announcer = new Announcer(claims, {}, {});
  const event = { kind: "dom_event", name: "sent", payload: null, at: 1 };
  const announced = { kind: "announcements", items: [] };
  assert.ok(signals.handles(event, of()) && announcer.handles(announced, of()));
  for (const sender of [of({ frameId: 3, origin: EVIL }), of({ id: "them" }), { id: "us", url: `${OWN}popup.html` }]) {
    assert.ok(!signals.handles(event, sender) && !announcer.handles(announced, sender), JSON.stringify(sender));
  }
  assert.ok(!signals.handles({ ...event, at: -1 }, of()));
  for (const wrong of [{}, { items: [{ text: 5 }] }, { items: "x" }, { items: [], dropped: -1 }]) {
    assert.ok(!announcer.handles({ kind: "announcements", ...wrong }, of()), JSON.stringify(wrong));
  }
});

test("ports and frames in the name of the extension", async () => {
  // Ensure that only the extension's pages get a port that is listened to, that one in a web page needs the key of its content script, and that a false one is counted.
  const dropped = new Dropped();
  const link = { state: { state: "connected" }, request: async () => ({ approvals: [], questions: [] }) };
  const overlays = new Overlays(claims, {}, link, dropped);
  const bridge = new AgentBridge(claims, overlays, link, {}, dropped);
  const pane = of({ url: `${OWN}pane.html`, frameId: 3, origin: "chrome-extension://us" });
  const connect = async (sender, hello) => {
    const posted = [];
    let listener;
    const port = { name: "agent", sender, onDisconnect: { addListener() {} }, onMessage: { addListener: (each) => (listener = each) }, postMessage: (message) => posted.push(message.kind) };
    if (!bridge.acceptPort(port)) return "no port";
    listener(hello);
    await new Promise((resolve) => setTimeout(resolve, 1));
    return posted.join();
  };
  chrome.tabs.sendMessage = async (_, { key }) => ({ ok: key === "right" });
  assert.equal(await connect({ id: "us", url: `${OWN}popup.html` }, { kind: "hello" }), "view");
  assert.equal(await connect(pane, { kind: "hello", key: "right" }), "view");
  assert.equal(dropped.view(), undefined);
  assert.equal(await connect(pane, { kind: "hello", key: "wrong" }), "refused");
  assert.equal(await connect(pane, { kind: "anything" }), "");
  for (const sender of [of(), of({ id: "them" }), undefined]) assert.equal(await connect(sender, { kind: "hello", key: "right" }), "no port");
  assert.deepEqual(dropped.view(), { keys: 0, events: 0, ports: 1, frames: 1, requests: 0, origin: "chrome-extension://us" });
});

test("what is done in a picker", async () => {
  // Ensure that a picker's frame alone is passed on, in the form of its messages, and that no decision counts while an agent's own input is under way.
  let acting = false;
  const overlays = new Overlays(claims, {}, {}, new Dropped(), { mayBeEcho: () => acting });
  const frame = of({ url: `${OWN}picker.html`, frameId: 3, origin: "chrome-extension://us" });
  const reached = [];
  chrome.tabs.sendMessage = async (_, { ask }) => {
    reached.push(ask);
    return { ok: true };
  };
  const send = (message, sender = frame) => new Promise((resolve) => overlays.receive({ kind: "own_frame", key: "right", ...message }, sender, resolve) ?? resolve("nothing"));
  const decisions = [{ ask: "climb", by: 1 }, { ask: "choose" }, { ask: "choose", x: 1, y: 2 }, { ask: "cancel", reason: "escape" }];
  for (const message of decisions) assert.deepEqual(await send(message), { ok: true }, message.ask);
  assert.deepEqual(reached, ["climb", "choose", "choose", "cancel"]);
  acting = true;
  for (const message of decisions) await send(message);
  await send({ ask: "point", x: 1, y: 2 });
  assert.deepEqual(reached.slice(4), ["point"]);
  acting = false;
  for (const wrong of [{ ask: "climb", by: 2 }, { ask: "choose", x: 1 }, { ask: "choose", x: "1", y: 2 }, { ask: "point" }, { ask: "point", x: null, y: 1 }, { ask: "cancel", reason: "page" }]) {
    assert.equal(await send(wrong), "nothing", JSON.stringify(wrong));
  }
  for (const sender of [of(), of({ url: `${OWN}picker.html`, frameId: 0 }), of({ url: "https://evil.test/picker.html", frameId: 3 })]) {
    assert.equal(await send({ ask: "choose" }, sender), "nothing", JSON.stringify(sender));
  }
});

test("what is dropped is counted by what it claims to be", () => {
  // Ensure that each message counts once, whatever it is, and that the last sender is named.
  const dropped = new Dropped();
  for (const message of [{ kind: "frame_key" }, { kind: "input_seen" }, { kind: "own_frame" }, { kind: "ui_claim", tab_id: 7 }, { kind: "constructor" }, { to: "worker" }, null, "x", 5]) {
    dropped.addMessage(message, of({ origin: EVIL }));
  }
  dropped.add("ports", undefined);
  assert.deepEqual(dropped.view(), { keys: 1, events: 1, ports: 1, frames: 1, requests: 6, origin: "" });
});

test("what a recording takes", async () => {
  // Ensure that what the user did, what was typed and a press on the mark count only as the content script of a claimed tab says them, a press in the tab's own document alone, and where no agent's input made it.
  const { Recordings } = await load("src/worker/ui/recordings.ts");
  const asked = [];
  const inputs = { mayBeEcho: () => false, pressedAt: (_tab, { x }) => x === 1 };
  const request = async (method, params) => {
    asked.push([method, params]);
    return {};
  };
  const link = { request, connected: () => true };
  const recordings = new Recordings({ ...claims, update() {}, get: () => ({}) }, {}, inputs, link);
  const target = { tag: "button", role: "button", name: "Send" };
  const messages = {
    recorded: { kind: "recorded", id: "1", event: "click", target },
    text: { kind: "recorded_text", token: "typed-0123456789ab", text: "Ada" },
    secret: { kind: "recorded_secret", salt: "typed-0123456789ab", length: 14, hash: "12ab" },
    press: { kind: "record_pressed", do: "done", x: 5, y: 6 },
  };
  for (const [name, message] of Object.entries(messages)) {
    assert.ok(recordings.handles(message, of()), name);
    assert.equal(recordings.handles(message, of({ frameId: 3 })), name !== "press", `${name} in a frame`);
    for (const sender of [of({ id: "them" }), { id: "us" }, of({ tab: undefined }), of({ documentId: undefined })]) {
      assert.ok(!recordings.handles(message, sender), `${name} from ${JSON.stringify(sender)}`);
    }
  }
  for (const forged of [
    { ...messages.recorded, event: "navigate" }, // the browser's word alone
    { ...messages.recorded, event: "page" },
    { ...messages.recorded, more: 1 },
    { ...messages.recorded, target: { ...target, tag: 1 } },
    { ...messages.text, token: "typed-x" },
    { ...messages.text, text: "x".repeat(10_001) },
    { ...messages.press, do: "start" },
    { ...messages.press, x: "5" },
    { ...messages.press, do: "keep" }, // which text?
    { kind: "recording" },
    null,
  ]) {
    assert.ok(!recordings.handles(forged, of()), JSON.stringify(forged));
  }
  await recordings.receive(messages.press, of());
  await recordings.receive({ ...messages.press, x: 1 }, of()); // where an agent has just pressed
  await recordings.receive(messages.press, of({ tab: { id: 8 } })); // not claimed
  assert.deepEqual(asked, [["ui_record", { tab_id: 7, do: "done" }]]);
});
