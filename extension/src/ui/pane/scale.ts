// Rule of this file: a page may zoom the pane's frame to a speck, and the user presses what they
// cannot see. The content script knows how large a pixel of the page is; one of this frame is as
// large, or the frame is not what it was made.

import { ask } from "../shared/frame";
import { setDrawnToScale } from "../shared/occlusion";

/** A zoom that the content script has not undone yet, or that it cannot undo. */
const RETRY_DELAY_MS = 300;
/** Of the quotient of two scales, which browsers round. */
const TOLERANCE = 0.02;

let retry: ReturnType<typeof setTimeout> | undefined;

/** Watches the scale of this frame. */
export function watchScale(): void {
  watchResolution();
  void compare();
}

// A query holds for one resolution.
function watchResolution(): void {
  const changed = (): void => {
    setDrawnToScale(false); // until it is compared
    watchResolution();
    void compare();
  };
  window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`).addEventListener("change", changed, { once: true });
}

async function compare(): Promise<void> {
  clearTimeout(retry);
  const own = window.devicePixelRatio;
  const answer = await ask({ ask: "showing" }).catch(() => undefined);
  if (own !== window.devicePixelRatio) return; // the change has its own comparison
  const same = answer?.scale !== undefined && Math.abs(own / answer.scale - 1) < TOLERANCE;
  setDrawnToScale(same);
  if (!same) retry = setTimeout(() => void compare(), RETRY_DELAY_MS);
}
