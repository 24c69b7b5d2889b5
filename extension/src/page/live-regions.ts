// Rule of this file: what a live region is, is read from the DOM at the moment
// of the change: its politeness, what of it is relevant, and how much of it is
// said at once.

import { ancestorsOf, childrenOf, isElement, styleOf } from "./dom";
import { cut, normalize } from "./read-text";
import { isSecret } from "./secrets";

export type Politeness = "polite" | "assertive";

/** A live region and what holds for it now. */
export interface Region {
  el: Element;
  politeness: Politeness;
  role: string;
  relevant: string;
}

/** What the roles of the standard imply; those of a timer and a marquee are silent unless aria-live says otherwise. */
const IMPLIED: Record<string, Politeness | "off"> = { alert: "assertive", status: "polite", log: "polite", timer: "off", marquee: "off" };
/** Everything that may be a live region, as a selector. */
export const REGIONS = "[aria-live], [role=alert], [role=status], [role=log], [role=timer], [role=marquee], output";
export const MAX_TEXT = 4000;

const SILENT = new Set(["script", "style", "noscript", "template", "input", "textarea", "select"]);

function roleOf(el: Element): string {
  const role = normalize(el.getAttribute("role") ?? "").toLowerCase().split(" ")[0] ?? "";
  return role || (el.localName === "output" ? "status" : "");
}

/** What the element is as a live region; undefined for one that is none or that is silent. */
export function regionOf(el: Element): Region | undefined {
  const role = roleOf(el);
  const said = normalize(el.getAttribute("aria-live") ?? "").toLowerCase();
  const live = said === "polite" || said === "assertive" || said === "off" ? said : IMPLIED[role];
  if (live === undefined || live === "off") return undefined;
  const relevant = normalize(el.getAttribute("aria-relevant") ?? "").toLowerCase() || "additions text";
  return { el, politeness: live, role: role || "region", relevant };
}

/** The live region that a change in the node belongs to. A silent one ends the way up: what is in it is not said. */
export function regionAround(node: Node): Region | undefined {
  const start = isElement(node) ? node : (node.parentNode as Element | null);
  for (const el of ancestorsOf(start)) {
    const region = regionOf(el);
    if (region) return region;
    if (el.getAttribute("aria-live") === "off") return undefined;
  }
  return undefined;
}

/** Whether the region is still being built: what changed is held back until it is not. */
export function isBusy(region: Region): boolean {
  for (const el of ancestorsOf(region.el)) if (el.getAttribute("aria-busy") === "true") return true;
  return false;
}

/** What is said as a whole when the node changes: the atomic part around it, undefined where there is none. */
export function atomicAround(node: Node, region: Region): Element | undefined {
  const start = isElement(node) ? node : (node.parentNode as Element | null);
  for (const el of ancestorsOf(start)) {
    const atomic = el.getAttribute("aria-atomic");
    if (atomic === "true") return el;
    if (el === region.el) return atomic === null && (region.role === "alert" || region.role === "status") ? el : undefined;
    if (atomic === "false") return undefined;
  }
  return undefined;
}

/** Whether a screen reader would find the element. A region may well be out of sight for the eye. */
export function isSaid(el: Element): boolean {
  for (const at of ancestorsOf(el)) {
    if (at.getAttribute("aria-hidden") === "true") return false;
    if (styleOf(at).display === "none") return false;
  }
  return styleOf(el).visibility === "visible";
}

/** The text that is said of a node, as a screen reader would. */
export function spokenText(node: Node): string {
  const parts: string[] = [];
  collect(node, parts);
  return cut(normalize(parts.join(" ")), MAX_TEXT);
}

function collect(node: Node, parts: string[]): void {
  if (node.nodeType === Node.TEXT_NODE) {
    parts.push(node.nodeValue ?? "");
    return;
  }
  if (!isElement(node) || SILENT.has(node.localName) || isSecret(node)) return;
  if (node.getAttribute("aria-hidden") === "true" || styleOf(node).display === "none") return;
  // A region's label says what it is, not what happened in it.
  const label = node.localName === "img" ? node.getAttribute("alt") : node.matches(REGIONS) ? null : node.getAttribute("aria-label");
  if (label) return void parts.push(label);
  for (const child of childrenOf(node)) collect(child, parts);
}

/** A name of the region for people. */
export function labelOfRegion(region: Region): string {
  const { el, role } = region;
  const label = normalize(el.getAttribute("aria-label") ?? "");
  if (label) return cut(label, 120);
  return cut(`${el.localName}${el.id ? `#${el.id}` : ""}${role === "region" ? "" : `[${role}]`}`, 120);
}
