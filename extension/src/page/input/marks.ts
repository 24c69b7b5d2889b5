// Rule of this file: the frames that input may enter carry a mark for the worker's style
// sheet, an attribute whose name no page can guess and every page can see. A page that
// puts it on another frame loses that frame: it could undo anything less at once.

import { EMBEDDING } from "../../embedding";
import { embeddedDocument, embedsDocument } from "../dom/dom";
import { isExtensionElement } from "../dom/extension-elements";
import { anyShadowRootOf, rootsIn } from "../dom/shadow";

/** A frame that the page puts back for longer stays, empty at first; input that is still to come fails then. */
const MAX_REMOVALS = 100;

interface Marks {
  /** With the document that each had: the mark is for that one alone. */
  frames: Map<Element, Document | null>;
  guard: MutationObserver;
  /** Removes the frame if it carries the mark of others, and watches where it stands if not. */
  inspect(frame: Element): void;
}

/** The marks by their names: those of the last hold. */
const active = new Map<string, Marks>();

/** Puts the mark on the frame. */
export function markFrame(name: string, frame: Element, value: "p" | "f"): void {
  const { frames } = active.get(name) ?? beginMarks(name);
  const doc = embeddedDocument(frame);
  frames.set(frame, doc);
  doc?.defaultView?.addEventListener("pagehide", () => unmark(name, frame), { capture: true, once: true });
  Element.prototype.setAttribute.call(frame, name, value);
}

/** Takes the mark off all frames. */
export function removeMarks(name: string): void {
  const marks = active.get(name);
  marks?.guard.disconnect();
  for (const frame of marks?.frames.keys() ?? []) Element.prototype.removeAttribute.call(frame, name);
  active.delete(name);
}

export function removeAllMarks(): void {
  for (const name of active.keys()) removeMarks(name);
}

function beginMarks(name: string): Marks {
  removeAllMarks();
  const frames = new Map<Element, Document | null>();
  const removals = new WeakMap<Element, number>();
  const watch = (root: Node): void => guard.observe(root, { subtree: true, childList: true, attributeFilter: [name] });
  const inspect = (frame: Element): void => {
    if (!isCopied(name, frame, frames)) return watch(frame.getRootNode()); // perhaps it has moved into another shadow tree
    const times = (removals.get(frame) ?? 0) + 1;
    removals.set(frame, times);
    if (times <= MAX_REMOVALS) Element.prototype.remove.call(frame);
  };
  const guard = new MutationObserver((records) => records.flatMap(framesOf).forEach(inspect));
  watch(document);
  for (const frame of framesUnder(document)) {
    watch(frame.getRootNode());
    const inner = embeddedDocument(frame);
    if (inner) watch(inner);
  }
  const marks = { frames, guard, inspect };
  active.set(name, marks);
  return marks;
}

const isCopied = (name: string, frame: Element, frames: ReadonlyMap<Element, unknown>): boolean => Element.prototype.hasAttribute.call(frame, name) && !frames.has(frame);

function unmark(name: string, frame: Element): void {
  if (active.get(name)?.frames.delete(frame)) Element.prototype.removeAttribute.call(frame, name);
}

/** Takes the marks off the frames that show another document by now. */
export function dropStaleMarks(): void {
  for (const [name, { frames }] of active) for (const [frame, doc] of frames) if (embeddedDocument(frame) !== doc) unmark(name, frame);
}

/**
 * Looks at all frames once more, as no observer sees a new shadow tree. Reports whether there are
 * marks, and whether a frame has kept a copy of one.
 */
export function inspectFrames(): { marked: boolean; copied: boolean } {
  let copied = false;
  for (const [name, { frames, inspect }] of active) {
    const all = [...framesUnder(document)];
    all.forEach(inspect);
    copied ||= all.some((frame) => frame.isConnected && isCopied(name, frame, frames));
  }
  return { marked: active.size > 0, copied };
}

function framesOf({ type, target, addedNodes, removedNodes }: MutationRecord): Element[] {
  if (type === "attributes") return [target as Element];
  const elements = [...addedNodes, ...removedNodes].filter((node): node is Element => node.nodeType === Node.ELEMENT_NODE);
  return elements.flatMap((el) => [...(embedsDocument(el) ? [el] : []), ...Element.prototype.querySelectorAll.call(el, EMBEDDING)]);
}

/** Returns the frames in shadow trees, where an inserted sheet does not apply by itself. */
export const shadowedFrames = (): Element[] => [...framesUnder(document)].filter((frame) => frame.getRootNode() !== frame.ownerDocument);

/** Yields the frames of the document and of those in it that this script can enter. */
function* framesUnder(doc: Document): Generator<Element> {
  for (const root of rootsIn(doc, anyShadowRootOf)) {
    for (const frame of root.querySelectorAll(EMBEDDING)) {
      if (isExtensionElement(frame)) continue;
      yield frame;
      const inner = embeddedDocument(frame);
      if (inner) yield* framesUnder(inner);
    }
  }
}
