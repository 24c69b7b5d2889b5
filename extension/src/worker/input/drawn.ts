// Rule of this file: the browser finds the frame of another process that is under
// the pointer by what was drawn last, and that may be older than what the page's
// document says. Before real input is sent, what has been changed for it is drawn.

import type { Doc } from "../frames/tree";
import { run } from "../page/scripting";
import { withTimeout } from "../shared/async";

/**
 * How many animation frames begin until a change is drawn: the first commits it, the
 * second waits until the browser has taken it, the third shows that it did.
 */
const FRAMES_UNTIL_DRAWN = 3;
/** Three frames take 50 ms, and longer only where scripts keep the page busy. */
const DRAWN_TIMEOUT_MS = 1_500;

/**
 * Waits until the browser has drawn the documents as they are now. It fails with
 * handler_timeout where scripts keep it from drawing: they could keep an old picture
 * while the documents say something else.
 */
export async function waitUntilDrawn(tabId: number, docs: readonly Doc[]): Promise<void> {
  const drawn = run({ tabId, documentIds: docs.map((doc) => doc.id) }, animationFrames, [FRAMES_UNTIL_DRAWN]);
  await withTimeout(DRAWN_TIMEOUT_MS, "the page", drawn, "handler_timeout");
}

/** Runs in a document: resolves when so many animation frames have begun. A document that is not shown has none. */
function animationFrames(count: number): Promise<void> {
  return new Promise((resolve) => {
    const next = (): void => (count-- > 0 && !document.hidden ? void requestAnimationFrame(next) : resolve());
    next();
  });
}
