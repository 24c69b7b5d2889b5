// Rule of this file: these functions run inside documents, by themselves: they
// use nothing of this module. A shield swallows trusted input for as long as an
// agent's input is meant for another document. Listeners that the page has put on
// its window before still see it, so no input may come here in the first place.

/** Returns the name of the event that ends the shield of a hold in a document; the page cannot guess it. */
export const liftEvent = (holdId: string): string => `actions-host.lift.${holdId}`;

/**
 * Keeps trusted input from the document, and with `focus` the focus too, else the lock of the
 * pointer, which goes past every hit test. Resolves when it has no lock.
 */
export function raiseShield(lift: string, limitMs: number, focus: boolean): Promise<void> | undefined {
  const types = [
    "pointerdown", "pointerup", "pointermove", "pointerover", "pointerout", "pointerenter", "pointerleave", "pointerrawupdate", "mousedown", "mouseup", "mousemove",
    "mouseover", "mouseout", "mouseenter", "mouseleave", "click", "auxclick", "dblclick", "contextmenu", "dragstart", "dragenter", "dragover", "dragleave", "drop",
    "keydown", "keypress", "keyup", "beforeinput", "input", "compositionstart", "compositionupdate", "compositionend", "textInput", "copy", "cut", "paste",
  ];
  const stop = new AbortController();
  const swallow = (event: Event): void => {
    if (!event.isTrusted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  for (const type of types) window.addEventListener(type, swallow, { capture: true, passive: false, signal: stop.signal });
  // The focus goes back in the task that took it, before the browser is told of
  // another key. A script of this document holds it until it ends.
  const giveBack = (): void => void (stop.signal.aborted || window.top?.focus());
  const taken = (): void => {
    giveBack();
    queueMicrotask(giveBack);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = giveBack;
    port2.postMessage(null);
  };
  if (focus) window.addEventListener("focus", taken, { capture: true, signal: stop.signal });
  window.addEventListener(lift, () => stop.abort(), { signal: stop.signal });
  setTimeout(() => stop.abort(), limitMs);
  if (focus) return undefined;
  const locked = (): boolean => document.pointerLockElement !== null;
  return new Promise((resolve) => {
    const unlock = (): void => (locked() ? document.exitPointerLock() : resolve());
    document.addEventListener("pointerlockchange", unlock, { capture: true, signal: stop.signal });
    unlock();
  });
}

/** Ends a shield. */
export function lowerShield(lift: string): void {
  window.dispatchEvent(new Event(lift));
}

/** raiseShield as a script for documents that are still to come. */
export function shieldSource(lift: string, limitMs: number): string {
  return `(${raiseShield.toString()})(${JSON.stringify(lift)}, ${limitMs}, false);`;
}
