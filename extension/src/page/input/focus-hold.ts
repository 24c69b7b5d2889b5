// Rule of this file: while trusted keys are being sent, the focus stays in
// documents that this script can enter. If another document takes it, it is taken
// back before the next key can come, and no more keys are sent: that document may
// take it again at the moment of the next key. Focus moves within the page are
// followed.

import { deepActive, isFrame, isHTML } from "../dom/dom";
import { getsKeys } from "../dom/focus";
import { documentOf } from "../frames/path";
import { framesIn } from "../frames/queries";
import { nextTask } from "../wait/schedule";

/** Reports whether keys would go to a document that this script cannot enter. */
export const isFocusOutside = (): boolean => !getsKeys(document);

const MAX_INTERRUPTED = 20;

/** The holds during which another document has had the focus. */
const interruptedHolds = new Set<string>();

/** Holds the focus for the keys of the hold, until the returned function is called. */
export function holdFocus(hold: string): () => void {
  const stop = new AbortController();
  const options = { capture: true, signal: stop.signal };
  let last = deepActive();
  const trackFocus = (): void => {
    if (!isFocusOutside()) last = deepActive() ?? last;
  };
  const restoreFocus = (): void => {
    if (stop.signal.aborted || !isFocusOutside()) return;
    interruptedHolds.add(hold);
    for (const oldest of interruptedHolds) if (interruptedHolds.size > MAX_INTERRUPTED) interruptedHolds.delete(oldest);
    const active = deepActive();
    if (isFrame(active) && isHTML(active)) active.blur();
    window.focus();
    if (isHTML(last) && last.isConnected) last.focus({ preventScroll: true });
  };
  for (const view of enterableWindows()) {
    view.addEventListener("focusin", trackFocus, options);
    // A script of this page may move the focus until it ends; the browser, within the current task.
    const restoreTwice = (): void => {
      queueMicrotask(restoreFocus);
      void nextTask().then(restoreFocus);
    };
    view.addEventListener("blur", restoreTwice, options);
  }
  return () => stop.abort();
}

/** Reports whether the focus is in this script's documents, and has been since the keys of the hold began. */
export const isFocusInside = (hold: string | undefined): boolean => !(hold !== undefined && interruptedHolds.has(hold)) && !isFocusOutside();

/** The windows of the documents that this script can enter. */
export function enterableWindows(): Window[] {
  const inner = [...framesIn(document)].flatMap((frame) => documentOf(frame)?.defaultView ?? []);
  return [window, ...inner];
}
