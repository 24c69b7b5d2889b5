// Rule: everything that the extension drew into the document comes and goes
// here: what the tab had comes back in a new document, and all of it goes when
// the tab is released or the extension leaves.

import { removeAttachments } from "./attachments";
import { serveFrames } from "./own-link";
import { redrawPane, removePane, restorePane } from "./pane";
import { redrawReport, removeReport } from "./report";
import { removeShown } from "./shown";

/** Begins to serve the document. */
export function serveOverlays(): void {
  serveFrames(removeOverlays);
  const restore = (): void => void restorePane();
  // A document that comes back from the cache missed what happened meanwhile.
  window.addEventListener("pageshow", (event) => event.persisted && restore());
  const redraw = (): void => {
    redrawPane();
    redrawReport();
  };
  window.addEventListener("resize", redraw);
  window.visualViewport?.addEventListener("resize", redraw); // a scrollbar came or went
  restore();
}

/** Takes away all that is ours. */
export function removeOverlays(): void {
  removePane();
  removeReport();
  removeAttachments();
  removeShown();
}
