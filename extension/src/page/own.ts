// Rule: what the extension itself put into the page is no part of the page.
// Own elements are remembered here, not told by their look: a page cannot pass
// its own for ours.

/** The attribute of own host elements, for people and tests; its value is their id. */
export const OWN = "data-actions-json-attachment";

const own = new WeakSet<Element>();

/** Makes the element one of our own. */
export function markOwn(el: Element, id: string): void {
  own.add(el);
  el.setAttribute(OWN, id);
}

export const isOwn = (el: Element): boolean => own.has(el);
