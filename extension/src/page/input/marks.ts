// Rule of this file: the frames that input may enter carry a mark for the worker's style
// sheet, an attribute whose name no page can guess and every page can see. A page that
// puts it on another frame loses that frame: it could undo anything less at once.

import { EMBEDDING, embedsDocument } from "../dom/dom";
import { queryAll } from "../dom/selectors";
import { documentOf } from "../frames/path";
import { framesIn } from "../frames/queries";

/** A page that puts a removed frame back for longer keeps a new one, which has nothing in it yet. */
const MAX_REMOVALS = 100;

interface Marks {
  frames: Set<Element>;
  guard: MutationObserver;
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
  const guard = new MutationObserver((records) => {
    for (const frame of records.flatMap(framesOf)) {
      if (Element.prototype.hasAttribute.call(frame, name) && !frames.has(frame) && removals++ < MAX_REMOVALS) Element.prototype.remove.call(frame);
      else watch(frame.getRootNode()); // perhaps it has moved into another shadow tree
    }
  });
  const watch = (root: Node): void => guard.observe(root, { subtree: true, childList: true, attributeFilter: [name] });
  for (const root of new Set([...enterableDocuments(), ...allFrames().map((frame) => frame.getRootNode())])) watch(root);
  const marks = { frames, guard };
  active.set(name, marks);
  return marks;
}

function framesOf({ type, target, addedNodes, removedNodes }: MutationRecord): Element[] {
  if (type === "attributes") return [target as Element];
  const elements = [...addedNodes, ...removedNodes].filter((node): node is Element => node.nodeType === Node.ELEMENT_NODE);
  return elements.flatMap((el) => [...(embedsDocument(el) ? [el] : []), ...Element.prototype.querySelectorAll.call(el, EMBEDDING)]);
}

/** Returns the frames in shadow trees, where an inserted sheet does not apply by itself. */
export const shadowedFrames = (): Element[] => allFrames().filter((frame) => frame.getRootNode() !== frame.ownerDocument);

const allFrames = (): Element[] => enterableDocuments().flatMap((doc) => [...queryAll(doc, `:is(${EMBEDDING})`)]);

/** The documents that this script can enter. */
const enterableDocuments = (): Document[] => [document, ...[...framesIn(document)].flatMap((frame) => documentOf(frame) ?? [])];
