// Rule: elements of a same-origin frame belong to another realm, where
// `instanceof` fails. Elements are told apart by their names, and the tree is
// walked as it is drawn: through slots and shadow roots (the composed tree).

import { pageFocus } from "./page-focus";
import { isExtensionElement } from "./extension-elements";
import { shadowRootOf } from "./shadow";

const HTML = "http://www.w3.org/1999/xhtml";

// A form exposes its fields as members by their names, in place of its own: with
// <input name=parentNode> it would be its own grandparent. The prototypes' getters
// and functions cannot be shadowed in this way.
function getter<T, K extends keyof T>(prototype: T, name: K): (node: Node) => T[K] {
  const get = Object.getOwnPropertyDescriptor(prototype, name)?.get;
  if (!get) throw new TypeError(`no accessor ${String(name)}`);
  return (node) => get.call(node) as T[K];
}

const nodeTypeOf = getter(Node.prototype, "nodeType");
const parentNodeOf = getter(Node.prototype, "parentNode");
/** The element's own children, likewise. */
export const childNodesOf = getter(Node.prototype, "childNodes");
const namespaceOf = getter(Element.prototype, "namespaceURI");
const slotOf = getter(Element.prototype, "assignedSlot");

/** The element's name, which a form's field cannot shadow. */
export const localNameOf: (el: Element) => string = getter(Element.prototype, "localName");

/** The element's document, likewise. */
export const documentAround = getter(Node.prototype, "ownerDocument") as (el: Element) => Document;

/** The attribute, likewise. */
export const attributeOf = (el: Element, name: string): string | null => Element.prototype.getAttribute.call(el, name);

export function isElement(node: unknown): node is Element {
  return typeof node === "object" && node !== null && safeNodeType(node as Node) === 1;
}

// Something that only looks like a node has no node type.
function safeNodeType(node: Node): number {
  try {
    return nodeTypeOf(node);
  } catch {
    return 0;
  }
}

function isNamed(node: unknown, ...names: string[]): boolean {
  return isElement(node) && namespaceOf(node) === HTML && names.includes(localNameOf(node));
}

export const isHTML = (node: unknown): node is HTMLElement => isElement(node) && namespaceOf(node) === HTML;
export const isInput = (node: unknown): node is HTMLInputElement => isNamed(node, "input");
export const isTextArea = (node: unknown): node is HTMLTextAreaElement => isNamed(node, "textarea");
export const isSelect = (node: unknown): node is HTMLSelectElement => isNamed(node, "select");
export const isButton = (node: unknown): node is HTMLButtonElement => isNamed(node, "button");
export const isFrame = (node: unknown): node is HTMLIFrameElement => isNamed(node, "iframe", "frame");

/** The window of the element's document; a document without one is not shown and never reaches here. */
export function viewOf(el: Element): Window {
  return documentAround(el).defaultView ?? window;
}

export function styleOf(el: Element): CSSStyleDeclaration {
  return viewOf(el).getComputedStyle(el);
}

/** The parent in the composed tree: the slot it is drawn in, the parent, or the shadow host. */
export function parentOf(node: Node): Element | null {
  const slot = isElement(node) ? slotOf(node) : (node as Text).assignedSlot;
  if (slot) return slot;
  const parent = parentNodeOf(node);
  if (isElement(parent)) return parent;
  // A shadow root is a document fragment (11) with a host.
  return parent?.nodeType === 11 ? ((parent as ShadowRoot).host ?? null) : null;
}

/** The element and its ancestors in the composed tree, the element first. */
export function* ancestorsOf(el: Element | null): Generator<Element> {
  for (let at = el; at; at = parentOf(at)) yield at;
}

export function composedContains(ancestor: Element, el: Element | null): boolean {
  for (const at of ancestorsOf(el)) if (at === ancestor) return true;
  return false;
}

/** Like Element.closest, but it also leaves shadow roots. */
export function composedClosest(el: Element, selector: string): Element | null {
  for (const at of ancestorsOf(el)) if (Element.prototype.matches.call(at, selector)) return at;
  return null;
}

/** The children as drawn: of the shadow root, of the slot's assignment, or its own. */
export function childrenOf(el: Element): Node[] {
  const root = shadowRootOf(el);
  if (root) return [...root.childNodes];
  if (isNamed(el, "slot")) {
    const assigned = (el as HTMLSlotElement).assignedNodes();
    if (assigned.length > 0) return assigned;
  }
  return [...childNodesOf(el)];
}

/** The focused element, through shadow roots and same-origin frames; null where nothing in particular has the focus. */
export function deepActive(doc: Document = document): Element | null {
  let active: Element | null = doc.activeElement;
  if (active && isExtensionElement(active)) active = pageFocus();
  while (active) {
    const inner: Element | null | undefined = isFrame(active) ? active.contentDocument?.activeElement : shadowRootOf(active)?.activeElement;
    if (!inner) break;
    active = inner;
  }
  if (!active || active === active.ownerDocument.documentElement) return null;
  // A body has the focus only where it is an editor itself.
  if (active === active.ownerDocument.body && !(active as HTMLElement).isContentEditable) return null;
  return active;
}
