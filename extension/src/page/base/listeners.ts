// Rule of this file: document.open() removes all listeners of a document and its window, also
// those of this script, which stays. Listeners that stand for as long as the document come back
// with its new content; an observer is no listener, and stays by itself.

const standing = new WeakMap<Document, (() => void)[]>();

/** Adds a listener to the document, or to what is in it or around it, for as long as the document is there. */
export function keepListening<E extends Event>(doc: Document, target: EventTarget, type: string, listener: (event: E) => void, options: AddEventListenerOptions): void {
  const add = (): void => target.addEventListener(type, listener as (event: Event) => void, options);
  add();
  const known = standing.get(doc);
  if (known) return void known.push(add);
  const all = [add];
  standing.set(doc, all);
  // Adding one that is still there does nothing.
  new MutationObserver(() => all.forEach((again) => again())).observe(doc, { childList: true });
}
