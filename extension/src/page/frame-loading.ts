// Rule of this file: a frame whose document has not come yet is not an empty
// one. It is waited for while its page loads, and told as loading after that.

import { until } from "./changes";
import { isFrame } from "./dom";
import { queryAll } from "./selectors";
import type { Context } from "./settle";

/** Frames that come with their page have come by then. */
const LOAD_MS = 1_000;

/** What stands in the frame is the browser's own empty document, and another is to come. */
export function isLoading(frame: HTMLIFrameElement): boolean {
  const inner = frame.contentDocument;
  // Into any other it cannot be seen: the page around it is loaded when its frames are.
  if (!inner) return frame.ownerDocument.readyState !== "complete";
  return inner.URL === "about:blank" && (frame.hasAttribute("srcdoc") || /^https?:/.test(frame.src));
}

/** Waits for the frames of a document that is still loading. */
export async function framesLoaded(doc: Document, ctx: Context): Promise<void> {
  if (doc.readyState === "complete") return;
  const frames = queryAll(doc, ":is(iframe, frame)").filter(isFrame).filter((frame) => frame.loading !== "lazy");
  const loaded = (): boolean => doc.readyState === "complete" || !frames.some((frame) => frame.isConnected && isLoading(frame));
  await until(loaded, Math.min(performance.now() + LOAD_MS, ctx.deadline), ctx);
}
