// Rule of this file: it tests what a burst in a live region costs, with nodes made of
// functions that count how often their parents and what they contain are asked for.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

let reads = 0;
class Node {
  static TEXT_NODE = 3;
  children = [];
  get nodeType() { return this.kind ?? 1; }
  get parentNode() { reads++; return this.parent ?? null; }
  get parentElement() { return this.parentNode; }
  get isConnected() { return true; }
  get firstChild() { return this.children[0] ?? null; }
  get nextSibling() { return this.parent?.children[this.parent.children.indexOf(this) + 1] ?? null; }
  get ownerDocument() { return document; }
  get nodeValue() { return null; }
  getRootNode() { return document; }
  contains(other) {
    for (let at = other; at; at = at.parent) {
      reads++;
      if (at === this) return true;
    }
    return false;
  }
}
class Element extends Node {
  attributes = {};
  get namespaceURI() { return "http://www.w3.org/1999/xhtml"; }
  get localName() { return "li"; }
  get assignedSlot() { return null; }
  get shadowRoot() { return null; }
  get id() { return ""; }
  hasAttributes() { return false; }
  getAttribute(name) { return this.attributes[name] ?? null; }
  matches() { return this.attributes.role === "log"; }
  closest() { return null; }
  querySelectorAll() { return []; }
}
class Text extends Node {
  constructor(value, parent) {
    super();
    Object.assign(this, { kind: 3, value, parent });
  }
  get nodeValue() { return this.value; }
}

const region = new Element();
const style = { display: "block", visibility: "visible" };
globalThis.document = {
  kind: 9,
  defaultView: { getComputedStyle: () => style },
  createTreeWalker: () => ({ nextNode: () => null }),
  querySelectorAll: (selector) => (selector.includes("iframe") ? [] : [region]),
};
let mutate;
let announce;
const sent = [];
Object.assign(globalThis, {
  Node, Element, NodeFilter: { SHOW_ELEMENT: 1 },
  MutationObserver: class {
    constructor(notify) { mutate = notify; }
    observe() {}
  },
  window: { setTimeout: (work) => (announce = work), clearTimeout() {} },
  chrome: { runtime: { id: "us", sendMessage: async ({ items }) => sent.push(...items.map(({ text }) => text)) > 0 } },
});
const { observeRegions } = await load("src/page/a11y/announcer.ts");
observeRegions({});

/** Adds items with a text each to the region, as one burst. */
async function burst(count, attributes = {}) {
  region.attributes = { role: "log", ...attributes };
  const added = Array.from({ length: count }, (_, i) => {
    const item = Object.assign(new Element(), { parent: region });
    item.children = [new Text(`item${i}`, item)];
    return item;
  });
  region.children.push(...added);
  reads = 0;
  mutate([{ type: "childList", target: region, addedNodes: added, removedNodes: [] }]);
  announce();
  await new Promise(setImmediate);
}

test("a burst in a log", async () => {
  // Ensure that the cost of its announcement grows with the number of its nodes, not with the square of it, and that a node in another one is announced once.
  await burst(2);
  mutate([{ type: "childList", target: region.children[0], addedNodes: region.children[0].children, removedNodes: [] }, { type: "childList", target: region, addedNodes: region.children.slice(0, 1), removedNodes: [] }]);
  announce();
  await new Promise(setImmediate);
  assert.deepEqual(sent, ["item0 item1", "item0"]);
  region.children = [];
  await burst(900);
  assert.ok(reads < 900 * 20, `${reads} reads`);
  assert.ok(sent[2].startsWith("item0 item1 item2 "));
});

test("a log that is busy for long", async () => {
  // Ensure that what changes in it is not kept without end: it is announced as a whole.
  region.children = [new Text("before", region)];
  await burst(1500, { "aria-busy": "true" });
  await burst(1, {});
  assert.ok(sent[3].startsWith("before item0 item1 "), sent[3].slice(0, 40));
  await burst(1, {});
  assert.equal(sent[4], "item0");
});
