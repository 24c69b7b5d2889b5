// Rule of this file: the documents in a document are those of its frames that its origin may
// enter. Others come with each load, also after document.open().

import { keepListening } from "../base/listeners";
import { isFrame } from "./dom";
import { rootsIn } from "./shadow";

/** Calls found with each document that a frame of this one shows now or later; it may have been found before. */
export function watchInnerDocuments(doc: Document, found: (inner: Document) => void): void {
  const enter = (frame: unknown): void => {
    const inner = isFrame(frame) && frame.contentDocument;
    if (inner) found(inner);
  };
  for (const root of rootsIn(doc)) root.querySelectorAll("iframe, frame").forEach(enter);
  keepListening(doc, doc, "load", (event) => enter(event.target), { capture: true });
}
