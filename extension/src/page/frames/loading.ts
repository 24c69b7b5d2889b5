// Rule of this file: a frame whose document has not loaded yet is not an empty
// one. It is waited for while its page loads, and reported as loading after that.

import { isFrame } from "../dom/dom";
import { queryAll } from "../dom/selectors";
import type { Context } from "../wait/schedule";
import { until } from "../wait/until";

/** Frames that load with their page have loaded by then. */
const LOAD_TIMEOUT_MS = 1_000;

/** Reports whether the frame still shows the browser's own empty document, with another to come. */
export function isLoading(frame: HTMLIFrameElement): boolean {
  const inner = frame.contentDocument;
  // A frame of another origin cannot be inspected: the page around it is loaded when its frames are.
  if (!inner) return frame.ownerDocument.readyState !== "complete";
  return inner.URL === "about:blank" && (frame.hasAttribute("srcdoc") || /^https?:/.test(frame.src));
}

/** Waits for the frames of a document that is still loading. */
export async function framesLoaded(doc: Document, ctx: Context): Promise<void> {
  if (doc.readyState === "complete") return;
  const frames = queryAll(doc, ":is(iframe, frame)").filter(isFrame).filter((frame) => frame.loading !== "lazy");
  const loaded = (): boolean => doc.readyState === "complete" || !frames.some((frame) => frame.isConnected && isLoading(frame));
  await until(loaded, Math.min(performance.now() + LOAD_TIMEOUT_MS, ctx.deadline), ctx);
}
