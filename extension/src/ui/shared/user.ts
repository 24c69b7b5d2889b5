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

/** How far a pointer may go off a pressed button while it still means it: a hand trembles. */
const MAX_TREMBLE = 8;

let pressing = false;
let onReleased: (() => void)[] = [];

/** Resolves when no button is pressed: one that is replaced under the pointer loses its press. */
export function unpressed(): Promise<void> {
  return pressing ? new Promise((resolve) => onReleased.push(resolve)) : Promise.resolve();
}

function setPressing(now: boolean): void {
  pressing = now;
  if (now) return;
  for (const resolve of onReleased) resolve();
  onReleased = [];
}

/**
 * Lets a press end on the button on which it began: what appears above in that moment moves
 * the button from under the pointer. A pointer that is drawn off the button presses nothing.
 */
export function holdPresses(): void {
  let began: PointerEvent | undefined;
  document.addEventListener("pointerdown", (event) => {
    const pressed = event.target instanceof Element ? event.target.closest("button") : null;
    pressed?.setPointerCapture(event.pointerId);
    began = event;
    setPressing(pressed !== null);
  });
  // The click follows its pointerup in the same task or the next.
  for (const type of ["pointerup", "pointercancel"]) document.addEventListener(type, () => setTimeout(setPressing, 0, false));
  document.addEventListener("pointermove", ({ target, pointerId, clientX, clientY }) => {
    if (!began || !(target instanceof Element) || !target.hasPointerCapture(pointerId)) return;
    const far = Math.hypot(clientX - began.clientX, clientY - began.clientY) > MAX_TREMBLE;
    if (far && !target.contains(document.elementFromPoint(clientX, clientY))) target.releasePointerCapture(pointerId);
  });
}

/** Returns the text of a failure, with the host's next step if there is one. */
export function failure(error: unknown): string {
  const message = t("failed", [error instanceof Error ? error.message : String(error)]);
  return error instanceof RequestError && error.nextStep ? `${message.replace(/\.?$/, ".")} ${error.nextStep}` : message;
}
