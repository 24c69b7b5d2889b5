// Rule: an element receives a click only if the browser itself finds it, or
// something inside it that is no item of its own, at the point: through shadow roots, in the document of
// its frame, and with nothing over that frame in any document above it.

import { isFrame } from "./dom";
import type { Point } from "./geometry";
import { isExtensionElement } from "./extension-elements";
import { takesHit } from "./nested-items";
import { shadowRootOf } from "./shadow";
import { frameOf, fromTop, intoFrame } from "./viewport";

// The extension's own elements are skipped, as trusted input passes through them.
function topmost(doc: Document, { x, y }: Point): Element | null {
  const hit = doc.elementFromPoint(x, y);
  return hit && isExtensionElement(hit) ? (doc.elementsFromPoint(x, y).find((el) => !isExtensionElement(el)) ?? null) : hit;
}

function topmostIn(root: ShadowRoot, { x, y }: Point): Element | null {
  const hit = root.elementFromPoint(x, y);
  return hit && isExtensionElement(hit) ? (root.elementsFromPoint(x, y).find((el) => el.getRootNode() === root) ?? null) : hit;
}

/** The innermost element at a point of one document, shadow roots entered, frames not. */
export function elementAt(doc: Document, point: Point): Element | null {
  let hit = topmost(doc, point);
  while (hit) {
    const root = shadowRootOf(hit);
    const inner = root && topmostIn(root, point);
    // The root answers with its host, or with an outer element, where nothing of its own is hit.
    if (!inner || inner === hit || inner.getRootNode() !== root) break;
    hit = inner;
  }
  return hit;
}

/** The innermost element at a point of the top viewport, same-origin frames entered. */
export function deepElementAt(point: Point): { element: Element; local: Point } | null {
  let local = fromTop(point, document);
  let hit = elementAt(document, local);
  while (isFrame(hit) && hit.contentDocument) {
    const inner = intoFrame(local, hit);
    const next = elementAt(hit.contentDocument, inner);
    if (!next) break;
    local = inner;
    hit = next;
  }
  return hit ? { element: hit, local } : null;
}

/** Returns what would take a click at the point instead of the element; null where the element itself does. */
export function occluderAt(el: Element, point: Point): Element | null | "nothing" {
  const frames: HTMLIFrameElement[] = [];
  for (let frame = frameOf(el.ownerDocument); frame; frame = frameOf(frame.ownerDocument)) frames.unshift(frame);
  // From the top down: a frame that is covered covers all that is in it.
  for (const frame of frames) {
    const hit = elementAt(frame.ownerDocument, fromTop(point, frame.ownerDocument));
    if (hit !== frame) return hit ?? "nothing";
  }
  const hit = elementAt(el.ownerDocument, fromTop(point, el.ownerDocument));
  if (!hit) return "nothing";
  return takesHit(el, hit) ? null : hit;
}
