// Rule of this file: what decides something is done by the user's own hand; an
// event that a script made is not one.

import { CommandError } from "./agent-client";
import { t } from "./text";

/** Nobody decides sooner about what has just come into sight: a press before was meant for what stood there. */
export const ALIVE_MS = 600;

/** Calls work when the user clicks the element, or presses it by a key. */
export function onClick(target: HTMLElement, work: () => unknown): void {
  target.addEventListener("click", ({ isTrusted }) => {
    if (isTrusted) work();
  });
}

/** A failure in words, with what to do where the host says it. */
export function failure(error: unknown): string {
  const message = t("failed", [error instanceof Error ? error.message : String(error)]);
  return error instanceof CommandError && error.nextStep ? `${message.replace(/\.?$/, ".")} ${error.nextStep}` : message;
}
