// Rule of this file: it tests how the worker serves the ports of the pages that show the
// agent and the chats.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const OWN = "chrome-extension://us/";

globalThis.chrome = {
  runtime: { id: "us", getURL: (path) => OWN + path },
  i18n: { getMessage: (key) => key },
};

const { AgentBridge } = await load("src/worker/ui/agent.ts");
const { PanelBridge } = await load("src/worker/ui/panel.ts");
const { Asked } = await load("src/worker/ui/asked.ts");
const { Overlays } = await load("src/worker/ui/overlays.ts");
const { Dropped } = await load("src/worker/shared/dropped.ts");

const popup = { id: "us", url: `${OWN}popup.html` };
const pane = { id: "us", tab: { id: 7, url: "https://tea.example" }, frameId: 3, url: `${OWN}pane.html` };
const view = { approvals: [], questions: [] };
/** Lets all run that waits for nothing. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A page's end of a port that the bridge has accepted. */
function connect(bridge, sender, name = "agent") {
  const posted = [];
  let listener;
  const port = { name, sender, onDisconnect: { addListener() {} }, onMessage: { addListener: (each) => (listener = each) }, postMessage: (message) => posted.push(message), disconnect: () => posted.push({ kind: "disconnected" }) };
  assert.ok(bridge.acceptPort(port));
  return { posted, send: (message) => listener(message) };
}

test("requests before a page is admitted", async () => {
  // Ensure that a request which comes before its page is admitted is passed on then, and that one of a page which is not admitted is answered with an error.
  for (const owned of [true, false]) {
    const requested = [];
    const request = async (method) => {
      requested.push(method);
      return structuredClone(view);
    };
    let restore;
    const restored = new Promise((resolve) => (restore = resolve));
    const claims = { has: () => true, ids: () => [7], restored: () => restored };
    const bridge = new AgentBridge(claims, { owns: async () => owned }, { state: { state: "connected" }, request }, {}, new Dropped());
    const { posted, send } = connect(bridge, owned ? popup : pane);
    send({ kind: "hello", key: "k" });
    send({ kind: "request", id: 1, method: "agent_stop", params: {} });
    await settled();
    assert.deepEqual([requested, posted], [[], []]);
    restore();
    await settled();
    assert.deepEqual(requested.sort(), owned ? ["agent_stop", "agent_view"] : []);
    const answer = posted.find(({ kind }) => kind === "answer");
    assert.equal(answer?.id, 1);
    assert.equal(answer.error?.code, owned ? undefined : "permission_denied");
  }
});

test("a pane in a page that does not answer", async (t) => {
  // Ensure that a pane whose page is busy, or has no content script yet, is not refused but connects again, and that one which the page disowns is refused.
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const link = { state: { state: "connected" }, request: async () => structuredClone(view) };
  const claims = { has: () => true, ids: () => [7], restored: async () => {} };
  const bridge = new AgentBridge(claims, new Overlays(claims, {}, link, new Dropped()), link, {}, new Dropped());
  for (const [answer, kinds] of [
    [() => new Promise(() => {}), ["disconnected"]],
    [async () => Promise.reject(new Error("Receiving end does not exist.")), ["disconnected"]],
    [async () => ({ ok: false }), ["refused"]],
    [async () => ({ ok: true }), ["view"]],
  ]) {
    chrome.tabs = { sendMessage: answer };
    const { posted, send } = connect(bridge, pane);
    send({ kind: "hello", key: "k" });
    await new Promise(setImmediate);
    t.mock.timers.tick(5_000);
    await new Promise(setImmediate);
    assert.deepEqual(posted.map(({ kind }) => kind), kinds);
  }
});

test("an older view", async () => {
  // Ensure that a view which waits for the name of a question's target is not drawn over one that was requested later, and that the later one has the name.
  for (const panel of [false, true]) {
    let name;
    chrome.tabs = { sendMessage: () => new Promise((resolve) => (name = resolve)) };
    let rows = ["one"];
    const approvals = [{ id: "a", about: { tab_id: 7 } }];
    const link = { protocol: 99, state: { state: "connected" }, request: async () => ({ ...structuredClone({ rows, approvals }), claimed: true }) };
    const claims = { has: () => true, ids: () => [7], restored: async () => {} };
    const bridge = panel ? new PanelBridge(claims, link, new Asked(claims), new Dropped()) : new AgentBridge(claims, {}, link, {}, new Dropped());
    const change = (each) => (panel ? bridge.accept({ chat: { tab_id: 7, ...each } }) : bridge.broadcast(each));
    const { posted, send } = connect(bridge, panel ? { id: "us", url: `${OWN}sidepanel.html` } : popup, panel ? "panel:agent" : "agent");
    send(panel ? { kind: "hello", tab_id: 7 } : { kind: "hello" });
    await settled();
    rows = ["one", "two"];
    const refreshed = bridge.refresh();
    await settled();
    change({ row: { id: "3" } });
    name("Send");
    await refreshed;
    await settled();
    assert.deepEqual(posted.map(({ view, change: changed }) => view?.rows ?? changed.row.id), [["one", "two"], "3"]);
    assert.equal(posted[0].view.approvals[0].about.target, "Send");
  }
});
