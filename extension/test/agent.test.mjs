// Rule of this file: it tests the pure functions of the pages that show the
// hosted agent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { pieces } = await load("src/ui/pane/links.ts");
const { Waiting } = await load("src/worker/ui/waiting.ts");
const { isAgentRequest } = await load("src/ui/shared/agent-messages.ts");
const { isPanelRequest } = await load("src/ui/shared/panel-messages.ts");

test("addresses in a text", () => {
  // Ensure that a text comes back byte for byte, that only http, https and mailto addresses in it are links, and that punctuation that ends a sentence does not belong to them.
  const cases = [
    ["", []],
    ["no address", []],
    ["See https://tea.example/a?b=c&d=%20e#f.", ["https://tea.example/a?b=c&d=%20e#f"]],
    ["(https://en.wikipedia.org/wiki/Tea_(meal)) and (http://localhost:8080/)!", ["https://en.wikipedia.org/wiki/Tea_(meal)", "http://localhost:8080/"]],
    ["**https://tea.example/_x_**, [x](https://tea.example/y)", ["https://tea.example/_x_", "https://tea.example/y"]],
    ["HTTPS://TEA.example/Ä, “https://tea.example/q”", ["HTTPS://TEA.example/Ä", "https://tea.example/q"]],
    ["javascript:alert(1) data:text/html,x file:///etc/passwd ftp://a.b chrome://settings", []],
    ["Write to mailto:ada@tea.example, or ada@tea.example.", ["mailto:ada@tea.example"]],
    ["https:// http://[ <a href=https://tea.example/z>x</a>", ["https://tea.example/z"]],
    [`https://tea.example/${"x".repeat(3000)}`, [`https://tea.example/${"x".repeat(3000)}`]],
  ];
  for (const [text, links] of cases) {
    const found = pieces(text);
    assert.equal(found.map((piece) => piece.text).join(""), text);
    assert.deepEqual(found.filter((piece) => piece.link).map((piece) => piece.text), links, text);
  }
});

test("requests of the agent's pages", () => {
  // Ensure that only whole requests are understood, and that no page asks for the view by itself.
  for (const good of [{ kind: "hello" }, { kind: "hello", key: "k" }, { kind: "request", id: 1, method: "agent_stop", params: {} }, { kind: "request", id: 1, method: "agent_answer", params: { id: "q" } }]) {
    assert.equal(isAgentRequest(good), true, JSON.stringify(good));
  }
  const bad = [
    null, 1, "hello", {}, { kind: "hello", key: 1 }, { kind: "request", id: 1, method: "agent_stop" }, { kind: "request", id: 1.5, method: "agent_stop", params: {} },
    { kind: "request", id: 1, method: "agent_view", params: {} }, { kind: "request", id: 1, method: "agent_key", params: {} }, { kind: "request", id: 1, method: "ui_stop", params: {} },
    { kind: "request", id: 1, method: "agent_send", params: [] }, { kind: "request", id: 1, method: "agent_send", params: null },
  ];
  for (const each of bad) assert.equal(isAgentRequest(each), false, JSON.stringify(each));
});

test("requests of the side panel", () => {
  // Ensure that a panel names its tab first, and that only its commands are understood.
  for (const good of [{ kind: "hello", tab_id: 7 }, { kind: "request", id: 1, method: "say", params: { text: "Hi", mode: "queue" } }, { kind: "request", id: 2, method: "stop", params: {} }]) {
    assert.equal(isPanelRequest(good), true, JSON.stringify(good));
  }
  for (const bad of [null, {}, { kind: "hello" }, { kind: "hello", tab_id: 0 }, { kind: "hello", tab_id: "7" }, { kind: "request", id: 1, method: "agent_send", params: {} }, { kind: "request", id: 1, method: "toString", params: {} }, { kind: "request", method: "stop", params: {} }, { kind: "request", id: 1, method: "say", params: [] }]) {
    assert.equal(isPanelRequest(bad), false, JSON.stringify(bad));
  }
});

test("what waits for the user", () => {
  // Ensure that it is reported whenever their number changes, be it of questions or approvals; that other changes tell nothing; and that a host without questions has none.
  const waiting = new Waiting();
  const reported = [];
  waiting.onChanged = (count) => reported.push(count);
  for (const change of [
    { approvals: [] }, { questions: [{}] }, { approvals: [{}, {}] }, { questions: [] }, { row: {} }, { stale: true }, { approvals: [{}] },
    { state: {}, rows: [], approvals: [], settings: {} }, { state: {}, rows: [], approvals: [], questions: [{}], settings: {} }, { approvals: [], questions: [] },
  ]) waiting.note(change);
  assert.deepEqual(reported, [1, 3, 2, 1, 0, 1, 0]);
});
