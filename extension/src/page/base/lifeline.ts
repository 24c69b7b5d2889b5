// Rule of this file: what a content script has to say unasked goes over the port that it keeps
// open. A message costs more, as every page of the extension gets it; it is sent where there is
// no port, as after a restart of the worker.

import type { Pushed } from "./worker-messages";

let lifeline: chrome.runtime.Port | undefined;

/** Sets the port that is open. */
export function openLifeline(port: chrome.runtime.Port): void {
  lifeline = port;
}

/** Forgets the port, unless there is another one by now. */
export function closeLifeline(port: chrome.runtime.Port): void {
  if (lifeline === port) lifeline = undefined;
}

/** Sends the worker a message that it does not answer. */
export function push(message: object): void {
  try {
    if (lifeline) return lifeline.postMessage({ pushed: message } satisfies Pushed);
  } catch {
    lifeline = undefined; // it closed, and the event is under way
  }
  if (typeof chrome === "undefined" || !chrome.runtime?.id) return;
  // A worker that is just stopping has lost the call as well.
  chrome.runtime.sendMessage(message).catch(() => {});
}
