// Rule of this file: decisions are made by the user's own input only; an
// event that a script made does not count.

import { RequestError } from "./agent-client";
import { t } from "./text";

/** A press sooner after something became visible was meant for what was there before. */
export const ACCIDENTAL_PRESS_DELAY_MS = 600;

/** Calls work when the user clicks the element, or presses it by a key. */
export function onClick(target: HTMLElement, work: () => unknown): void {
  target.addEventListener("click", ({ isTrusted }) => {
    if (isTrusted) work();
  });
}

/** Returns the text of a failure, with the host's next step if there is one. */
export function failure(error: unknown): string {
  const message = t("failed", [error instanceof Error ? error.message : String(error)]);
  return error instanceof RequestError && error.nextStep ? `${message.replace(/\.?$/, ".")} ${error.nextStep}` : message;
}
