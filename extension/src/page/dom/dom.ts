// Rule: elements of a same-origin frame belong to another realm, where
// `instanceof` fails. Elements are told apart by their names, and the tree is
// walked as it is drawn: through slots and shadow roots (the composed tree).

import { EMBEDDING } from "../../embedding";
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
/** The parent in the node's own tree, a shadow root or a document too, likewise. */
export const parentNodeOf = getter(Node.prototype, "parentNode");
/** Whether the node is in a document, likewise. */
export const isConnected = getter(Node.prototype, "isConnected");
/** The parent where it is an element, likewise. */
export const parentElementOf = getter(Node.prototype, "parentElement");
const firstChildOf = getter(Node.prototype, "firstChild");
const nextSiblingOf = getter(Node.prototype, "nextSibling");
const namespaceOf = getter(Element.prototype, "namespaceURI");
const slotOf = getter(Element.prototype, "assignedSlot");

/** The element's name, which a form's field cannot shadow. */
export const localNameOf: (el: Element) => string = getter(Element.prototype, "localName");

/** The element's document, likewise. */
export const documentAround = getter(Node.prototype, "ownerDocument") as (el: Element) => Document;

/** Reports whether the element has any attribute, which most have not, likewise. */
export const hasAttributes = (el: Element): boolean => Element.prototype.hasAttributes.call(el);

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

function isNamed(node: unknown, name: string): boolean {
  return isElement(node) && localNameOf(node) === name && namespaceOf(node) === HTML;
}

export const isHTML = (node: unknown): node is HTMLElement => isElement(node) && namespaceOf(node) === HTML;
export const isInput = (node: unknown): node is HTMLInputElement => isNamed(node, "input");
export const isTextArea = (node: unknown): node is HTMLTextAreaElement => isNamed(node, "textarea");
export const isSelect = (node: unknown): node is HTMLSelectElement => isNamed(node, "select");
export const isButton = (node: unknown): node is HTMLButtonElement => isNamed(node, "button");
export const isFrame = (node: unknown): node is HTMLIFrameElement => isNamed(node, "iframe") || isNamed(node, "frame");

/** Reports whether the element may embed another document. */
export const embedsDocument = (el: Element): boolean => Element.prototype.matches.call(el, EMBEDDING);

/** Returns the document in an element that embeds one, null where that is of another origin or has none; an embed does not tell. */
export const embeddedDocument = (el: Element): Document | null => (el as HTMLIFrameElement).contentDocument ?? null;

/** The window of the element's document; a document without one is not shown and never reaches here. */
export function viewOf(el: Element): Window {
  return documentAround(el).defaultView ?? window;
}

let last: { el?: Element; style?: CSSStyleDeclaration } | undefined;

export function styleOf(el: Element): CSSStyleDeclaration {
  if (last?.style && last.el === el) return last.style;
  const style = viewOf(el).getComputedStyle(el);
  if (last) last = { el, style };
  return style;
}

/**
 * Keeps the style of the element that was asked for last, which is often asked for again, until
 * the function that it returns is called. A style follows what the page does.
 */
export function keepLastStyle(): () => void {
  last = {};
  return () => {
    last = undefined;
  };
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

/** The node's own children. */
export function ownChildrenOf(node: Node): Node[] {
  // A spread of childNodes takes several times as long.
  const children: Node[] = [];
  for (let child = firstChildOf(node); child; child = nextSiblingOf(child)) children.push(child);
  return children;
}

/** The node's own children that are elements. */
export const childElementsOf = (node: Node): Element[] => ownChildrenOf(node).filter(isElement);

/** The children as drawn: of the shadow root, of the slot's assignment, or its own. */
export function childrenOf(el: Element): Node[] {
  const root = shadowRootOf(el);
  if (root) return ownChildrenOf(root);
  if (isNamed(el, "slot")) {
    const assigned = (el as HTMLSlotElement).assignedNodes();
    if (assigned.length > 0) return assigned;
  }
  return ownChildrenOf(el);
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
