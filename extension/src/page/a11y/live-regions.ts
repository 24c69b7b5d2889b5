// Rule of this file: the properties of a live region are read from the DOM at the
// moment of the change: its politeness, which changes are relevant, and how much of
// it is announced at once.

import { ancestorsOf, attributeOf, childrenOf, isElement, localNameOf, parentOf, styleOf } from "../dom/dom";
import { truncate, normalize } from "../dom/read-text";
import { isSecret, isSecretField } from "../dom/secrets";

export type Politeness = "polite" | "assertive";

/** A live region and its present properties. */
export interface Region {
  el: Element;
  politeness: Politeness;
  role: string;
  relevant: string;
}

/** The politeness that roles imply by the standard; timer and marquee are off unless aria-live is set. */
const IMPLIED: Record<string, Politeness | "off"> = { alert: "assertive", status: "polite", log: "polite", timer: "off", marquee: "off" };
/** Everything that may be a live region, as a selector. */
export const REGIONS = "[aria-live], [role=alert], [role=status], [role=log], [role=timer], [role=marquee], output";
export const MAX_TEXT = 4000;
/** The protocol takes no longer role and aria-relevant. */
const MAX_ATTRIBUTE = 200;

const SKIPPED_TAGS = new Set(["script", "style", "noscript", "template", "input", "textarea", "select"]);

function roleOf(el: Element): string {
  const role = normalize(el.getAttribute("role") ?? "").toLowerCase().split(" ")[0] ?? "";
  return truncate(role, MAX_ATTRIBUTE) || (el.localName === "output" ? "status" : "");
}

/** Returns the element as a live region; undefined where it is not one or is off. */
export function regionOf(el: Element): Region | undefined {
  const role = roleOf(el);
  const declared = normalize(el.getAttribute("aria-live") ?? "").toLowerCase();
  const live = declared === "polite" || declared === "assertive" || declared === "off" ? declared : Object.hasOwn(IMPLIED, role) ? IMPLIED[role] : undefined;
  if (live === undefined || live === "off") return undefined;
  const relevant = truncate(normalize(el.getAttribute("aria-relevant") ?? "").toLowerCase(), MAX_ATTRIBUTE) || "additions text";
  return { el, politeness: live, role: role || "region", relevant };
}

/** The element, or the one around a text or a shadow root, its host. */
export const elementAround = (node: Node): Element | null => (isElement(node) ? node : ((node as ShadowRoot).host ?? parentOf(node)));

/**
 * Returns the live region that a change in the node belongs to. A region that is off ends
 * the search: its content is not announced.
 */
export function regionAround(node: Node): Region | undefined {
  for (const el of ancestorsOf(elementAround(node))) {
    const region = regionOf(el);
    if (region) return region;
    if (el.getAttribute("aria-live") === "off") return undefined;
  }
  return undefined;
}

/** Reports whether the region is still being built: its changes are held back until then. */
export function isBusy(region: Region): boolean {
  for (const el of ancestorsOf(region.el)) if (el.getAttribute("aria-busy") === "true") return true;
  return false;
}

/** Returns the atomic element around the node, which is announced as a whole; undefined where there is none. */
export function atomicAround(node: Node, region: Region): Element | undefined {
  for (const el of ancestorsOf(elementAround(node))) {
    const atomic = el.getAttribute("aria-atomic");
    if (atomic === "true") return el;
    if (el === region.el) return atomic === null && (region.role === "alert" || region.role === "status") ? el : undefined;
    if (atomic === "false") return undefined;
  }
  return undefined;
}

/** Reports whether a screen reader would find the element. A region may well be invisible on screen. */
export function isExposed(el: Element): boolean {
  for (const at of ancestorsOf(el)) {
    if (at.getAttribute("aria-hidden") === "true") return false;
    if (styleOf(at).display === "none") return false;
  }
  return styleOf(el).visibility === "visible";
}

/** Returns the text that a screen reader would announce for the node. */
export function announcementText(node: Node): string {
  const around = elementAround(node);
  if (around && isSecret(around)) return "";
  const chunks: string[] = [];
  collect(node, chunks);
  return truncate(normalize(chunks.join(" ")), MAX_TEXT);
}

function collect(node: Node, chunks: string[]): void {
  if (node.nodeType === Node.TEXT_NODE) {
    chunks.push(node.nodeValue ?? "");
    return;
  }
  if (!isElement(node) || SKIPPED_TAGS.has(node.localName) || isSecretField(node)) return;
  if (node.getAttribute("aria-hidden") === "true" || styleOf(node).display === "none") return;
  // A region's label describes the region, not what happened in it.
  const label = node.localName === "img" ? node.getAttribute("alt") : node.matches(REGIONS) ? null : node.getAttribute("aria-label");
  if (label) return void chunks.push(label);
  for (const child of childrenOf(node)) collect(child, chunks);
}

/** A name of the region for people. */
export function labelOfRegion(region: Region): string {
  const { el, role } = region;
  const label = normalize(el.getAttribute("aria-label") ?? "");
  if (label) return truncate(label, 120);
  const id = attributeOf(el, "id");
  return truncate(`${localNameOf(el)}${id ? `#${id}` : ""}${role === "region" ? "" : `[${role}]`}`, 120);
}
