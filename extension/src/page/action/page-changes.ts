// Rule of this file: what changed is the difference between two moments: a class that
// was set and removed again, or a node that came and went, is none. Pixels of a canvas
// are not compared: what is drawn there is unknown.

import { viewOf } from "../dom/dom";
import { isExtensionElement } from "../dom/extension-elements";
import { labelOf } from "../dom/labels";
import { rootsIn } from "../dom/shadow";

/** After so many records the page changes anyway, and they are not read any more. */
const MAX_RECORDS = 5_000;
const MAX_SHOWN = 6;

/** Changes that leave no trace in the tree. */
const EVENTS = ["input", "change", "scroll"] as const;

interface Origin {
  parent: Node;
  previous: Node | null;
}

/** Collects what changes in a document from its construction on. */
export class PageChanges {
  /** When the last change came, in performance.now() time. */
  lastAt = performance.now();
  private readonly attributes = new Map<Element, Map<string, string | null>>();
  private readonly texts = new Map<Node, string | null>();
  /** Where a node was at first; null for one that is new. */
  private readonly origins = new Map<Node, Origin | null>();
  private readonly events = new Map<string, Element>();
  private readonly stopped = new AbortController();
  private readonly observer = new MutationObserver((records) => this.read(records));
  private readonly selection: string;
  private readonly scrolled: string;
  private count = 0;

  constructor(private readonly doc: Document) {
    this.selection = this.selectionState();
    this.scrolled = this.scrollState();
    for (const root of rootsIn(doc)) {
      this.observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true, attributeOldValue: true, characterDataOldValue: true });
    }
    const options = { capture: true, passive: true, signal: this.stopped.signal };
    for (const type of EVENTS) doc.addEventListener(type, (event) => this.readEvent(event), options);
  }

  stop(): void {
    this.observer.disconnect();
    this.stopped.abort();
  }

  /** Returns the first changes, each as the label of an element and what is new about it. */
  list({ pageScroll = true } = {}): string[] {
    this.read(this.observer.takeRecords());
    const found = new Set<string>();
    const add = (node: Node | null, what: string): void => {
      const el = node?.nodeType === 1 ? (node as Element) : node?.parentElement;
      if (el && !isOwn(el)) found.add(`${labelOf(el)} ${what}`);
    };
    for (const [el, old] of this.attributes) {
      if (this.origins.get(el) === null) continue; // new by itself
      for (const [name, value] of old) if (el.isConnected && el.getAttribute(name) !== value) add(el, name);
    }
    for (const [node, value] of this.texts) if (node.isConnected && node.nodeValue !== value) add(node, "text");
    for (const [node, origin] of this.origins) {
      if (isOwn(node)) continue;
      if (origin === null && node.isConnected) add(node.parentNode, "content");
      else if (origin !== null && (node.parentNode !== origin.parent || node.previousSibling !== origin.previous)) add(origin.parent, "content");
    }
    for (const [type, el] of this.events) {
      // The event of a scroll before this one may come late.
      if (type !== "scroll" || el !== this.doc.documentElement || (pageScroll && this.scrollState() !== this.scrolled)) add(el, type);
    }
    if (this.selectionState() !== this.selection) add(this.doc.documentElement, "selection");
    return [...found].slice(0, MAX_SHOWN);
  }

  private read(records: MutationRecord[]): void {
    if (records.length === 0 || this.count > MAX_RECORDS) return;
    this.count += records.length;
    this.lastAt = performance.now();
    for (const { type, target, attributeName, oldValue, addedNodes, removedNodes, previousSibling } of records) {
      if (type === "attributes" && attributeName) {
        const known = this.attributes.get(target as Element) ?? new Map<string, string | null>();
        if (!known.has(attributeName)) known.set(attributeName, oldValue);
        this.attributes.set(target as Element, known);
      } else if (type === "characterData") {
        if (!this.texts.has(target)) this.texts.set(target, oldValue);
      } else {
        let previous = previousSibling;
        for (const node of removedNodes) {
          if (!this.origins.has(node)) this.origins.set(node, { parent: target, previous });
          previous = node;
        }
        for (const node of addedNodes) if (!this.origins.has(node)) this.origins.set(node, null);
      }
    }
  }

  private readEvent({ type, target }: Event): void {
    this.lastAt = performance.now();
    this.events.set(type, (target as Node | null)?.nodeType === 1 ? (target as Element) : this.doc.documentElement);
  }

  private scrollState(): string {
    const view = viewOf(this.doc.documentElement);
    return [view.scrollX, view.scrollY].join(" ");
  }

  private selectionState(): string {
    const selection = viewOf(this.doc.documentElement).getSelection();
    return selection && !selection.isCollapsed ? selection.toString() : "";
  }
}

const isOwn = (node: Node): boolean => node.nodeType === 1 && isExtensionElement(node as Element);
