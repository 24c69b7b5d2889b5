// Rule: what the extension itself put into the page is not part of the page. Its
// elements are remembered here, not recognised by an attribute: a page cannot
// pass off its own as the extension's.

/** The attribute of the extension's host elements, for people and tests; its value is their id. */
export const EXTENSION_ATTRIBUTE = "data-actions-json-attachment";

// One set for all scripts of the extension in the document, which are bundles of their own.
const ELEMENTS = Symbol.for("actions-host.elements");
const FRAMES = Symbol.for("actions-host.frames");
const world = globalThis as { [ELEMENTS]?: WeakSet<Element>; [FRAMES]?: Set<Element> };
world[ELEMENTS] ??= new WeakSet();
world[FRAMES] ??= new Set();
const elements = world[ELEMENTS];

/** The hosts of the frames in which the user reads and presses. */
export const extensionFrames = world[FRAMES];

/** Makes the element one of the extension's. */
export function markExtensionElement(el: Element, id: string): void {
  elements.add(el);
  el.setAttribute(EXTENSION_ATTRIBUTE, id);
}

export const isExtensionElement = (el: Element): boolean => elements.has(el);
