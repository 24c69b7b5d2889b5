// Rule of this file: a press counts on the button on which it began. What was disabled or said
// something else when the pointer went down, or comes under it between the presses of a
// double-click, is not what the user meant.

/** How far a pointer may go off a pressed button while it still means it: a hand trembles. */
const MAX_TREMBLE = 8;

/** A press, as it began. */
interface Press {
  event: PointerEvent;
  button: HTMLButtonElement | null;
  enabled: boolean;
  label: string;
}

let latest: Press | undefined;
let previous: Press | undefined;
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
  document.addEventListener("pointerdown", begin, true);
  document.addEventListener("click", stopUnmeant, true);
  // A key that is held presses once: what it pressed may be another button by now.
  document.addEventListener("keydown", (event) => event.repeat && event.key === "Enter" && buttonOf(event) && event.preventDefault(), true);
  // The click follows its pointerup in the same task or the next.
  for (const type of ["pointerup", "pointercancel"]) document.addEventListener(type, () => setTimeout(setPressing, 0, false));
  document.addEventListener("pointermove", ({ target, pointerId, clientX, clientY }) => {
    if (!latest || !(target instanceof Element) || !target.hasPointerCapture(pointerId)) return;
    const far = Math.hypot(clientX - latest.event.clientX, clientY - latest.event.clientY) > MAX_TREMBLE;
    if (far && !target.contains(document.elementFromPoint(clientX, clientY))) target.releasePointerCapture(pointerId);
  });
}

function begin(event: PointerEvent): void {
  const button = buttonOf(event);
  button?.setPointerCapture(event.pointerId);
  previous = latest;
  latest = { event, button, enabled: button?.matches(":enabled") === true, label: button ? labelOf(button) : "" };
  setPressing(button !== null);
}

function stopUnmeant(event: MouseEvent): void {
  const button = buttonOf(event);
  if (!button || event.detail === 0) return; // by a key
  const repeats = event.detail === 1 || (latest?.button === previous?.button && latest?.label === previous?.label);
  if (latest?.button === button && latest.enabled && repeats) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

const buttonOf = ({ target }: Event): HTMLButtonElement | null => (target instanceof Element ? target.closest("button") : null);
const labelOf = (button: HTMLButtonElement): string => button.ariaLabel ?? button.textContent;
