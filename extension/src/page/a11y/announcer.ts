// Rule of this file: it only observes. Live regions of the document, of its open
// and closed shadow roots and of its same-origin frames are observed once
// a11y.observe is called; a burst of changes is announced once, and nothing is sent
// twice or lost while the worker or the host starts again.

import { type Args, flag } from "../base/args";
import { isElement, isFrame, parentNodeOf } from "../dom/dom";
import { isExtensionElement } from "../dom/extension-elements";
import { textOf, truncate } from "../dom/read-text";
import { isSecret } from "../dom/secrets";
import { rootsIn, shadowRootOf } from "../dom/shadow";
import { atomicAround, elementAround, isBusy, isExposed, labelOfRegion, MAX_TEXT, type Region, regionAround, regionOf, REGIONS, announcementText } from "./live-regions";
import { Outbox } from "./outbox";

/** A burst ends after QUIET_DELAY_MS without a change, or after MAX_BURST_DELAY_MS. */
const QUIET_DELAY_MS = 100;
const MAX_BURST_DELAY_MS = 500;
/** Beyond this many changed nodes the region is announced as a whole. */
const MAX_NODES = 1000;
const WATCHED: MutationObserverInit = {
  subtree: true,
  childList: true,
  characterData: true,
  attributes: true,
  attributeFilter: ["aria-busy", "aria-hidden", "hidden", "class", "style"],
};

/** What has changed in a region since its last announcement. */
interface Change {
  region: Region;
  /** The nodes whose text is to be announced, in the order they changed. */
  nodes: Set<Node>;
  /** Removed text, where removals are relevant to the region. */
  removed: string[];
}

const outbox = new Outbox();
const changes = new Map<Element, Change>();
const watchedFrames = new WeakSet<Element>();
const exposed = new WeakMap<Element, boolean>();
const ids = new WeakMap<Element, string>();
let lastId = 0;
let observer: MutationObserver | undefined;
let timer: number | undefined;
let burstStart = 0;

/** a11y.observe */
export function observeRegions(args: Args): { observing: boolean; regions: number } {
  if (!flag(args, "enabled", true)) {
    stop();
    return { observing: false, regions: 0 };
  }
  const isNew = !observer;
  observer ??= new MutationObserver(handleMutations);
  // A repeated call finds the shadow roots that were attached without a mutation.
  const regions = observeTree(document);
  if (isNew && flag(args, "present", false)) for (const region of regions) if (region.politeness === "assertive") changeOf(region).nodes.add(region.el);
  if (changes.size > 0) scheduleAnnouncement();
  return { observing: true, regions: regionsIn(document).length };
}

function stop(): void {
  observer?.disconnect();
  observer = undefined;
  changes.clear();
  window.clearTimeout(timer);
  timer = undefined;
}

/** Observes the document or the tree below the element, and returns the regions there. */
function observeTree(root: Document | Element | ShadowRoot): Region[] {
  if (isElement(root) && isExtensionElement(root)) return [];
  const regions: Region[] = [];
  for (const tree of rootsBelow(root)) {
    // The tree below an element is observed with the root that it is in.
    if (!isElement(tree)) observer?.observe(tree, WATCHED);
    for (const el of tree.querySelectorAll(REGIONS)) addRegion(el, regions);
    for (const frame of tree.querySelectorAll("iframe, frame")) watchFrame(frame, regions);
  }
  if (isElement(root)) {
    if (root.matches(REGIONS)) addRegion(root, regions);
    watchFrame(root, regions);
  }
  return regions;
}

function addRegion(el: Element, regions: Region[]): void {
  exposed.set(el, isExposed(el));
  const region = regionOf(el);
  if (region) regions.push(region);
}

function* rootsBelow(root: Document | Element | ShadowRoot): Generator<Document | Element | ShadowRoot> {
  if (!isElement(root)) return yield* rootsIn(root);
  yield root;
  for (const el of [root, ...root.querySelectorAll("*")]) {
    const inner = shadowRootOf(el);
    if (inner) yield* rootsIn(inner);
  }
}

/** Observes the frame's document, and each that it loads later. */
function watchFrame(el: Element, regions: Region[]): void {
  if (!isFrame(el) || isExtensionElement(el)) return;
  if (!watchedFrames.has(el)) {
    watchedFrames.add(el);
    el.addEventListener("load", () => observer && el.contentDocument && observeTree(el.contentDocument));
  }
  const inner = el.contentDocument;
  if (inner) regions.push(...observeTree(inner));
}

function regionsIn(doc: Document): Element[] {
  const found: Element[] = [];
  for (const root of rootsIn(doc)) {
    found.push(...[...root.querySelectorAll(REGIONS)].filter((el) => regionOf(el)));
    for (const frame of root.querySelectorAll("iframe, frame")) {
      const inner = isFrame(frame) && !isExtensionElement(frame) ? frame.contentDocument : null;
      if (inner) found.push(...regionsIn(inner));
    }
  }
  return found;
}

function handleMutations(records: MutationRecord[]): void {
  for (const record of records) {
    if (record.type === "attributes") handleAttribute(record.target as Element, record.attributeName);
    else if (record.type === "characterData") handleText(record.target);
    else handleChildren(record);
  }
  if (changes.size > 0) scheduleAnnouncement();
}

function handleText(node: Node): void {
  const region = regionAround(node);
  if (region && isRelevant(region, "text")) addNode(region, atomicAround(node, region) ?? node);
}

function handleChildren(record: MutationRecord): void {
  const region = regionAround(record.target);
  const whole = region && atomicAround(record.target, region);
  for (const node of record.addedNodes) {
    if (isElement(node)) {
      // A region that is inserted with text announces it, an alert above all.
      for (const added of observeTree(node)) if (!region || added.el === node) changeOf(added).nodes.add(added.el);
    }
    if (region && isRelevant(region, node.nodeType === Node.TEXT_NODE ? "text" : "additions")) {
      addNode(region, whole ?? node);
    }
  }
  if (!region || !isRelevant(region, "removals", true)) return;
  const { removed } = changeOf(region);
  for (const node of record.removedNodes) if (removed.length < MAX_NODES) removed.push(removedText(node, record.target));
}

function removedText(node: Node, from: Node): string {
  const around = elementAround(from);
  if (around && isSecret(around)) return "";
  return isElement(node) ? textOf(node) : (node.nodeValue ?? "");
}

function handleAttribute(el: Element, name: string | null): void {
  if (name === "aria-busy") return; // held-back changes are announced with the next burst
  if (!el.matches(REGIONS)) return;
  const now = isExposed(el);
  const before = exposed.get(el) ?? now;
  exposed.set(el, now);
  const region = now && !before ? regionOf(el) : undefined;
  if (region) changeOf(region).nodes.add(el);
}

/** Reports whether this kind of change is relevant to the region; new elements bring text with them. */
function isRelevant(region: Region, kind: "additions" | "text" | "removals", exact = false): boolean {
  const kinds = region.relevant.split(" ");
  return kinds.includes("all") || kinds.includes(kind) || (!exact && kind === "text" && kinds.includes("additions"));
}

function addNode(region: Region, node: Node): void {
  const change = changeOf(region);
  if (change.nodes.size >= MAX_NODES) change.nodes = new Set([region.el]);
  if (!change.nodes.has(region.el)) change.nodes.add(node);
}

function changeOf(region: Region): Change {
  const change = changes.get(region.el) ?? { region, nodes: new Set(), removed: [] };
  change.region = region;
  changes.set(region.el, change);
  return change;
}

/** Announces when the burst is over, or has lasted too long: some pages never stop changing. */
function scheduleAnnouncement(): void {
  const now = performance.now();
  if (timer === undefined) burstStart = now;
  else window.clearTimeout(timer);
  timer = window.setTimeout(announce, Math.max(0, Math.min(QUIET_DELAY_MS, burstStart + MAX_BURST_DELAY_MS - now)));
}

function announce(): void {
  timer = undefined;
  for (const [el, change] of changes) {
    if (el.isConnected && isBusy(change.region)) continue; // it is still being built
    changes.delete(el);
    if (!el.isConnected || !isExposed(el)) continue;
    const announcement = truncate([...change.removed, ...outermostOf(change).map(announcementText)].filter(Boolean).join(" "), MAX_TEXT);
    if (announcement) outbox.put({ ...describe(change.region), text: announcement, at_ms: Date.now() });
  }
}

/** The connected nodes that are in none of the others. */
function outermostOf({ region, nodes }: Change): Node[] {
  const isInOther = (node: Node): boolean => {
    for (let at: Node | null = node; at && at !== region.el; ) {
      at = parentNodeOf(at);
      if (at && nodes.has(at)) return true;
    }
    return false;
  };
  return [...nodes].filter((node) => node.isConnected && !isInOther(node));
}

function describe(region: Region) {
  const id = ids.get(region.el) ?? String(++lastId);
  ids.set(region.el, id);
  return { region_id: id, politeness: region.politeness, region: labelOfRegion(region), region_role: region.role, relevant: region.relevant };
}
