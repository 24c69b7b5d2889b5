// Rule: while a frame of the extension has the focus, keys meant for the page go
// to the element that had it before: the user writes in the pane while an agent acts.

import { keepListening } from "../base/listeners";
import { isExtensionElement } from "./extension-elements";

let lastFocused: WeakRef<HTMLElement> | undefined;
let watching = false;

/** Starts to remember which element of the page had the focus last. */
export function watchPageFocus(): void {
  if (watching) return;
  watching = true;
  remember(document.activeElement);
  keepListening(document, document, "focusin", (event) => remember(event.composedPath()[0]), { capture: true, passive: true });
}

/** The element that had the focus before a frame of the extension took it. */
export function pageFocus(): HTMLElement | null {
  const el = lastFocused?.deref();
  return el?.isConnected ? el : null;
}

function remember(target: unknown): void {
  if (target instanceof HTMLElement && !isExtensionElement(target)) lastFocused = new WeakRef(target);
}
