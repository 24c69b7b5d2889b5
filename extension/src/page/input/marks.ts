// Rule of this file: the frames that input may enter carry a mark for the worker's style
// sheet, an attribute whose name no page can guess and every page can see. A page that
// puts it on another frame loses that frame: it could undo anything less at once.

import { EMBEDDING } from "../../embedding";
import { embeddedDocument, embedsDocument } from "../dom/dom";
import { isExtensionElement } from "../dom/extension-elements";
import { anyShadowRootOf, rootsIn } from "../dom/shadow";

/** A page that puts a removed frame back for longer keeps a new one, which has nothing in it yet. */
const MAX_REMOVALS = 100;

interface Marks {
  frames: Set<Element>;
  guard: MutationObserver;
  /** Removes the frame if it carries the mark of others, and watches where it stands if not. */
  inspect(frame: Element): void;
}

/** The marks by their names: those of the last hold. */
const active = new Map<string, Marks>();

/** Puts the mark on the frame. */
export function markFrame(name: string, frame: Element, value: "p" | "f"): void {
  const { frames } = active.get(name) ?? beginMarks(name);
  frames.add(frame);
  Element.prototype.setAttribute.call(frame, name, value);
}

/** Takes the mark off all frames. */
export function removeMarks(name: string): void {
  const marks = active.get(name);
  marks?.guard.disconnect();
  for (const frame of marks?.frames ?? []) Element.prototype.removeAttribute.call(frame, name);
  active.delete(name);
}

function beginMarks(name: string): Marks {
  for (const old of active.keys()) removeMarks(old);
  const frames = new Set<Element>();
  let removals = 0;
  const watch = (root: Node): void => guard.observe(root, { subtree: true, childList: true, attributeFilter: [name] });
  const inspect = (frame: Element): void => {
    if (Element.prototype.hasAttribute.call(frame, name) && !frames.has(frame) && removals++ < MAX_REMOVALS) Element.prototype.remove.call(frame);
    else watch(frame.getRootNode()); // perhaps it has moved into another shadow tree
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

/**
 * Looks at all frames once more, as no observer sees a new shadow tree. Reports whether there are
 * marks.
 */
export function inspectFrames(): boolean {
  for (const { inspect } of active.values()) [...framesUnder(document)].forEach(inspect);
  return active.size > 0;
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
