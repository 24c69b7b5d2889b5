// Rule: while a frame of ours has the focus, keys that are meant for the page go
// to what had it before: the user writes in the pane while an agent acts.

import { isOwn } from "./own";

let behind: WeakRef<HTMLElement> | undefined;
let watching = false;

/** Remembers from now on what in the page had the focus last. */
export function watchFocus(): void {
  if (watching) return;
  watching = true;
  note(document.activeElement);
  document.addEventListener("focusin", (event) => note(event.composedPath()[0]), { capture: true, passive: true });
}

/** What had the focus before a frame of ours took it. */
export function focusBehind(): HTMLElement | null {
  const el = behind?.deref();
  return el?.isConnected ? el : null;
}

function note(target: unknown): void {
  if (target instanceof HTMLElement && !isOwn(target)) behind = new WeakRef(target);
}
