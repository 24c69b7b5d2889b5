// Rule of this file: it only listens. Live regions of the document, of its open
// and closed shadow roots and of its same-origin frames are heard from the
// moment on that somebody watches; a burst of changes is said once, and nothing
// is sent twice or lost while the worker or the host starts again.

import { type Args, flag } from "./args";
import { isElement, isFrame } from "./dom";
import { atomicAround, isBusy, isSaid, labelOfRegion, MAX_TEXT, type Region, regionAround, regionOf, REGIONS, spokenText } from "./live-regions";
import { isOwn } from "./own";
import { Outbox } from "./outbox";
import { cut } from "./read-text";
import { rootsIn, shadowRootOf } from "./shadow";

/** A burst has ended after so long without a change, or lasted so long, in milliseconds. */
const QUIET = 100;
const LONGEST = 500;
const WATCHED: MutationObserverInit = {
  subtree: true,
  childList: true,
  characterData: true,
  attributes: true,
  attributeFilter: ["aria-busy", "aria-hidden", "hidden", "class", "style"],
};

/** What has changed in a region since it was last said. */
interface Change {
  region: Region;
  /** The nodes whose text is to be said, in the order they changed. */
  nodes: Set<Node>;
  /** Text that has gone, where a region wants that said. */
  gone: string[];
}

const outbox = new Outbox();
const changes = new Map<Element, Change>();
const framesHeard = new WeakSet<Element>();
const shown = new WeakMap<Element, boolean>();
const ids = new WeakMap<Element, string>();
let lastId = 0;
let observer: MutationObserver | undefined;
let timer: number | undefined;
let since = 0;

/** a11y.observe */
export function observeRegions(args: Args): { observing: boolean; regions: number } {
  if (!flag(args, "enabled", true)) {
    stop();
    return { observing: false, regions: 0 };
  }
  const fresh = !observer;
  observer ??= new MutationObserver(hear);
  // Asked again it finds the shadow roots that came without a sign.
  const regions = watchIn(document);
  if (fresh && flag(args, "present", false)) for (const region of regions) if (region.politeness === "assertive") change(region).nodes.add(region.el);
  if (changes.size > 0) later();
  return { observing: true, regions: regionsIn(document).length };
}

function stop(): void {
  observer?.disconnect();
  observer = undefined;
  changes.clear();
  window.clearTimeout(timer);
  timer = undefined;
}

/** Listens in the document or below the element, and gives the regions there. */
function watchIn(root: Document | Element | ShadowRoot): Region[] {
  if (isElement(root) && isOwn(root)) return [];
  const regions: Region[] = [];
  for (const part of partsIn(root)) {
    // What stands below an element is observed with the root that it is in.
    if (!isElement(part)) observer?.observe(part, WATCHED);
    for (const el of part.querySelectorAll(REGIONS)) note(el, regions);
    for (const frame of part.querySelectorAll("iframe, frame")) enter(frame, regions);
  }
  if (isElement(root)) {
    if (root.matches(REGIONS)) note(root, regions);
    enter(root, regions);
  }
  return regions;
}

function note(el: Element, regions: Region[]): void {
  shown.set(el, isSaid(el));
  const region = regionOf(el);
  if (region) regions.push(region);
}

function* partsIn(root: Document | Element | ShadowRoot): Generator<Document | Element | ShadowRoot> {
  if (!isElement(root)) return yield* rootsIn(root);
  yield root;
  for (const el of [root, ...root.querySelectorAll("*")]) {
    const inner = shadowRootOf(el);
    if (inner) yield* rootsIn(inner);
  }
}

/** Listens in the frame's document, and in each that it loads later. */
function enter(el: Element, regions: Region[]): void {
  if (!isFrame(el) || isOwn(el)) return;
  if (!framesHeard.has(el)) {
    framesHeard.add(el);
    el.addEventListener("load", () => observer && el.contentDocument && watchIn(el.contentDocument));
  }
  const inner = el.contentDocument;
  if (inner) regions.push(...watchIn(inner));
}

function regionsIn(doc: Document): Element[] {
  const found: Element[] = [];
  for (const root of rootsIn(doc)) {
    found.push(...[...root.querySelectorAll(REGIONS)].filter((el) => regionOf(el)));
    for (const frame of root.querySelectorAll("iframe, frame")) {
      const inner = isFrame(frame) && !isOwn(frame) ? frame.contentDocument : null;
      if (inner) found.push(...regionsIn(inner));
    }
  }
  return found;
}

function hear(records: MutationRecord[]): void {
  for (const record of records) {
    if (record.type === "attributes") attribute(record.target as Element, record.attributeName);
    else if (record.type === "characterData") text(record.target);
    else children(record);
  }
  if (changes.size > 0) later();
}

function text(node: Node): void {
  const region = regionAround(node);
  if (region && wants(region, "text")) change(region).nodes.add(atomicAround(node, region) ?? node);
}

function children(record: MutationRecord): void {
  const region = regionAround(record.target);
  for (const node of record.addedNodes) {
    if (isElement(node)) {
      // A region that comes with its words says them, an alert above all.
      for (const come of watchIn(node)) if (!region || come.el === node) change(come).nodes.add(come.el);
    }
    if (region && wants(region, node.nodeType === Node.TEXT_NODE ? "text" : "additions")) {
      change(region).nodes.add(atomicAround(record.target, region) ?? node);
    }
  }
  if (!region || !wants(region, "removals", true)) return;
  for (const node of record.removedNodes) change(region).gone.push(node.textContent ?? "");
}

function attribute(el: Element, name: string | null): void {
  if (name === "aria-busy") return; // what was held back is said with the next burst
  if (!el.matches(REGIONS)) return;
  const now = isSaid(el);
  const before = shown.get(el) ?? now;
  shown.set(el, now);
  const region = now && !before ? regionOf(el) : undefined;
  if (region) change(region).nodes.add(el);
}

/** Whether the region wants this kind of change said; new elements bring text with them. */
function wants(region: Region, kind: "additions" | "text" | "removals", exact = false): boolean {
  const words = region.relevant.split(" ");
  return words.includes("all") || words.includes(kind) || (!exact && kind === "text" && words.includes("additions"));
}

function change(region: Region): Change {
  const found = changes.get(region.el) ?? { region, nodes: new Set(), gone: [] };
  found.region = region;
  changes.set(region.el, found);
  return found;
}

/** The burst ends when it is quiet, or has lasted too long: some pages never rest. */
function later(): void {
  const now = performance.now();
  if (timer === undefined) since = now;
  else window.clearTimeout(timer);
  timer = window.setTimeout(say, Math.max(0, Math.min(QUIET, since + LONGEST - now)));
}

function say(): void {
  timer = undefined;
  for (const [el, one] of changes) {
    if (el.isConnected && isBusy(one.region)) continue; // it is still being built
    changes.delete(el);
    if (!el.isConnected || !isSaid(el)) continue;
    const said = cut([...one.gone, ...outermost(one.nodes).map(spokenText)].filter(Boolean).join(" "), MAX_TEXT);
    if (said) outbox.put({ ...described(one.region), text: said, at_ms: Date.now() });
  }
}

/** The nodes that are still there and in none of the others. */
function outermost(nodes: Set<Node>): Node[] {
  const there = [...nodes].filter((node) => node.isConnected);
  return there.filter((node) => !there.some((other) => other !== node && other.contains(node)));
}

function described(region: Region) {
  const id = ids.get(region.el) ?? String(++lastId);
  ids.set(region.el, id);
  return { region_id: id, politeness: region.politeness, region: labelOfRegion(region), region_role: region.role, relevant: region.relevant };
}
