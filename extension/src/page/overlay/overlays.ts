// Rule: everything that the extension draws into the document is restored and
// removed here: a new document gets back what the tab had, and all of it is removed
// when the tab is released or the extension is gone.

import { removeAsked, serveAsked } from "./asked";
import { removeAttachments } from "./attachments";
import { removeBar, serveBar } from "./bar";
import { hideHighlight } from "./highlight";
import { serveFrames } from "./link";
import { redrawPane, removePane, restorePane } from "./pane";
import { closePicker, redrawPicker } from "./picker";
import { removePreview } from "./preview";
import { removeRecording, serveRecording } from "./recording";
import { redrawReport, removeReport } from "./report";

/** Starts to serve the document's overlays. */
export function serveOverlays(): void {
  serveFrames(removeOverlays);
  serveBar();
  serveAsked();
  serveRecording();
  const restore = (): void => void restorePane();
  // A document that comes back from the cache missed what happened meanwhile.
  window.addEventListener("pageshow", (event) => event.persisted && restore());
  const redraw = (): void => {
    redrawPane();
    redrawReport();
    redrawPicker();
  };
  window.addEventListener("resize", redraw);
  window.visualViewport?.addEventListener("resize", redraw); // a scrollbar came or went
  restore();
}

/** Removes everything that the extension drew. */
export function removeOverlays(): void {
  removePane();
  removeReport();
  closePicker();
  removeAttachments();
  hideHighlight();
  removeAsked();
  removePreview();
  removeBar();
  removeRecording();
}
