// Rule of this file: what a content script has to say unasked goes over the port that it keeps
// open. A message costs more, as every page of the extension gets it; it is sent where there is
// no port, as after a restart of the worker.

import type { Pushed } from "./worker-messages";

let lifeline: chrome.runtime.Port | undefined;

/** Sets the port that is open. */
export function openLifeline(port: chrome.runtime.Port): void {
  lifeline = port;
}

/** Forgets the port; returns false if there is another one, or none, by now. */
export function closeLifeline(port = lifeline): boolean {
  const open = lifeline !== undefined && lifeline === port;
  if (open) lifeline = undefined;
  return open;
}

/** Reports whether there is a port, as far as this end knows. */
export const isLifelineOpen = (): boolean => lifeline !== undefined;

/** Sends the worker a message that it does not answer. */
export function push(message: object): void {
  try {
    if (lifeline) return lifeline.postMessage({ pushed: message } satisfies Pushed);
  } catch {
    // It closed, and the event is under way.
  }
  if (typeof chrome === "undefined" || !chrome.runtime?.id) return;
  // A worker that is just stopping has lost the call as well.
  chrome.runtime.sendMessage(message).catch(() => {});
}
