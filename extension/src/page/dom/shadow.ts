// Rule: one place knows how to enter a shadow root. Open roots always; closed
// ones where the extension API is there (chrome.dom exists in content scripts
// only, not in an embedding page or a test).

import { isExtensionElement } from "./extension-elements";

const openRoot = Object.getOwnPropertyDescriptor(Element.prototype, "shadowRoot")?.get;
// Read from the prototypes: a form's fields may shadow these names.
const nameOf = Object.getOwnPropertyDescriptor(Element.prototype, "localName")?.get;
const firstChildOf = Object.getOwnPropertyDescriptor(Node.prototype, "firstChild")?.get;

/** Only these and custom elements may have a shadow root. */
const HOSTS = new Set("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "));

function closedRoot(el: Element): ShadowRoot | null {
  if (isExtensionElement(el)) return null;
  const api = typeof chrome === "undefined" ? undefined : chrome.dom;
  return api?.openOrClosedShadowRoot ? (api.openOrClosedShadowRoot(el as HTMLElement) ?? null) : null;
}

/**
 * Returns the shadow root of an element. The API call for a closed one is slow (2.5 µs, a page has
 * thousands of elements), so it is made only where one is likely: custom elements, and plain ones
 * without children.
 */
export const shadowRootOf = (el: Element): ShadowRoot | null => findRoot(el, false);

/** Returns the shadow root of an element also where a page hides it by children: for what no page may hide. */
export const anyShadowRootOf = (el: Element): ShadowRoot | null => findRoot(el, true);

function findRoot(el: Element, hidden: boolean): ShadowRoot | null {
  const name = nameOf?.call(el) as string;
  const isCustom = name.includes("-");
  if (!isCustom && !HOSTS.has(name)) return null;
  const likely = hidden || isCustom || !firstChildOf?.call(el);
  return (openRoot?.call(el) as ShadowRoot | null | undefined) ?? (likely ? closedRoot(el) : null);
}

const patched = new WeakSet<object>();

/**
 * Makes element.shadowRoot of this realm return closed roots too, for ivya, which
 * reads that property. An isolated world has prototypes of its own: the page
 * never sees the change.
 */
export function exposeClosedRoots(realm: Window & { Element?: typeof Element }): void {
  if (typeof chrome === "undefined" || !chrome.dom?.openOrClosedShadowRoot) return;
  const prototype = realm.Element?.prototype;
  if (!prototype || patched.has(prototype)) return;
  patched.add(prototype);
  Object.defineProperty(prototype, "shadowRoot", {
    configurable: true,
    get(this: Element) {
      return shadowRootOf(this);
    },
  });
}

/** By document, whether it has any. */
let withShadowRoots: Map<Document, boolean> | undefined;

/** Looks for shadow roots once in each document, until the function that it returns is called: none may come before. */
export function keepShadowRoots(): () => void {
  withShadowRoots = new Map();
  return () => (withShadowRoots = undefined);
}

/** Reports whether anything under the root has a shadow root. */
export function hasShadowRoots(root: Document | Element): boolean {
  const doc = root.nodeType === 9 ? (root as Document) : (root as Element).ownerDocument;
  if (!withShadowRoots) return findsShadowRoot(doc, root);
  const found = withShadowRoots.get(doc) ?? findsShadowRoot(doc, doc);
  withShadowRoots.set(doc, found);
  return found && (root === doc || findsShadowRoot(doc, root));
}

// It stops at the first.
function findsShadowRoot(doc: Document, root: Document | Element): boolean {
  if (root.nodeType === 1 && shadowRootOf(root as Element)) return true;
  const walker = doc.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (shadowRootOf(node as Element)) return true;
  }
  return false;
}

/** The document or shadow root itself and all shadow roots in it, nested ones too. */
export function* rootsIn(root: Document | ShadowRoot, rootOf = shadowRootOf): Generator<Document | ShadowRoot> {
  yield root;
  const walker = (root.ownerDocument ?? (root as Document)).createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const inner = rootOf(node as Element);
    if (inner) yield* rootsIn(inner, rootOf);
  }
}
