// Rule: while the user is asked about an action, its target is marked in the page. What the
// page calls the target goes back, for the words of the question.

import { nameOf } from "../dom/aria";
import { shortName } from "../dom/short-name";
import { locateOne } from "../locator/locate";
import { serveWorkerMessages } from "../base/worker-messages";
import { Marks } from "./marks";

/** From the worker: what the user is asked about in this document; nothing without a locator. */
export interface AskedMessage {
  kind: "asked";
  locator?: Record<string, unknown>;
}

/** No question is open for longer, if nobody says that this one is answered. */
const SHOWN_TIMEOUT_MS = 61_000;

const marks = new Marks("actions-json-asked", SHOWN_TIMEOUT_MS);

/** Serves the worker's messages about what is asked. */
export function serveAsked(): void {
  serveWorkerMessages<AskedMessage>("asked", show);
}

/** Removes the mark. */
export const removeAsked = (): void => marks.remove();

/** Hides the mark while a picture is taken; reports whether it was shown. */
export const hideAsked = (): boolean => marks.hide();

/** Shows the mark again. */
export const unhideAsked = (): void => marks.unhide();

/** Marks the target and returns its name; empty where there is none. */
function show({ locator }: AskedMessage): string {
  removeAsked();
  if (!locator) return "";
  try {
    const target = locateOne(locator);
    marks.add(target);
    return shortName(nameOf(target));
  } catch {
    return ""; // there is nothing to mark: the call will say why
  }
}
