// Rule of this file: nothing is repeated and nothing empty is listed. Only what
// another line, or the name of the same one, contains is left out.

import { isDrawnTwice } from "../dom/drawn-twice";
import { truncate, normalize } from "../dom/read-text";
import { isLabelled, nameHolds } from "./labelled";
import { CONTEXT, HEADERS, KEPT_EMPTY, LABELLING, NAMED_BY_CONTENT, NAMED_WHOLE, NEEDS_NAME, WRAPPERS } from "./roles";
import type { AriaNode } from "./tree";

type Child = AriaNode | string;

const MAX_TEXT = 300;
const MAX_LABEL = 80;
/** A row or a card has no more controls in it. */
const MAX_CONTROLS = 10;

/** Moves what lies over the page to the front; reports whether there was anything. */
export function overlaysFirst(root: AriaNode): boolean {
  const overlays: AriaNode[] = [];
  const collect = (node: AriaNode) => {
    node.children = node.children.filter((child) => {
      if (typeof child === "string") return true;
      if (child.overlay) overlays.push(child);
      // A frame's overlay lies over the frame only.
      else if (child.role !== "iframe") collect(child);
      return !child.overlay;
    });
  };
  collect(root);
  overlays.sort((a, b) => Number(a.overlay === "popover") - Number(b.overlay === "popover"));
  root.children = [...overlays, ...root.children];
  return overlays.length > 0;
}

/** Reduces the node's children to those worth listing. */
export function shape(node: AriaNode): void {
  for (const child of node.children) if (typeof child !== "string") shape(child);
  let children = mergeTexts(node.children.flatMap(significant));
  const nodes = children.filter((child) => typeof child !== "string");
  if (NAMED_WHOLE.has(node.role) && node.name) {
    children = [...unsaid(node), ...controlsOf(nodes).filter((control) => !control.guess || addsTo(node.name, control))];
  } else if (NAMED_BY_CONTENT.has(node.role) && !node.name && children.length === 1 && typeof children[0] === "string") {
    [node.name] = children;
  } else if (HEADERS.has(node.role) && !node.name) {
    node.name = truncate(normalize(namingTexts(node.children)), MAX_LABEL);
    if (node.name) children = controlsOf(nodes).filter((control) => !control.guess || addsTo(node.name, control));
  } else if (node.role === "treeitem" && !node.name && nodes.some(holdsItem)) {
    children = nameBranch(node, children);
  }
  node.children = children.filter((child) => child !== node.name && !(node.name && repeatsName(child, node.name)));
}

// An open branch is named by its own part, and the items nested in it are its lines.
function nameBranch(node: AriaNode, children: Child[]): Child[] {
  const nested = children.filter(holdsItem);
  const own = children.filter((child) => !holdsItem(child));
  node.name = truncate(normalize(namingTexts(own)), MAX_LABEL);
  if (!node.name) return children;
  const controls = controlsOf(own);
  const [only] = controls;
  // A press on the item meets the only thing that it is drawn with.
  const repeated = controls.length === 1 && only?.guess && normalize(namingTexts([only])) === node.name;
  return [...(repeated ? [] : controls), ...nested];
}

function holdsItem(child: Child): boolean {
  return typeof child !== "string" && (child.role === "treeitem" || child.children.some(holdsItem));
}

// Reports whether the child is a caption that repeats the name.
function repeatsName(child: Child, name: string): boolean {
  return typeof child !== "string" && child.role === "caption" && child.children.length === 1 && child.children[0] === name;
}

// The child, its replacement, or nothing.
function significant(child: Child): Child[] {
  if (typeof child === "string" || child.overlay || child.foreign) return [child];
  if (child.control) return holdsTooMuch(child) ? ["\n", ...child.children, "\n"] : [withoutRepeat(child)];
  if (!child.name && NEEDS_NAME.has(child.role)) return ["\n", ...child.children, "\n"];
  const [only] = child.children;
  if (WRAPPERS.has(child.role) && !child.name && child.children.length === 1 && only && typeof only !== "string") return [only];
  const empty = !child.name && child.children.length === 0 && !child.value;
  return empty && !KEPT_EMPTY.has(child.role) ? [] : [child];
}

// Reports whether a place with a pointer holds so much that a press on it
// is meant for something in it.
function holdsTooMuch(node: AriaNode): boolean {
  if (node.role !== "generic" || node.overlay || node.el.matches("[tabindex], [onclick], [draggable=true]")) return false;
  return controlsIn(node, MAX_CONTROLS + 1) > MAX_CONTROLS;
}

function controlsIn(node: AriaNode, limit: number): number {
  let count = 0;
  for (const child of node.children) {
    if (count >= limit) break;
    if (typeof child !== "string") count += (child.control ? 1 : 0) + controlsIn(child, limit - count);
  }
  return count;
}

// What looks like a target and holds nothing but another one is that other one. Of two
// that look so, the outer is kept: a press on either reaches it.
function withoutRepeat(child: AriaNode): AriaNode {
  const [only] = child.children;
  if (child.children.length !== 1 || !only || typeof only === "string" || !only.control) return child;
  if (child.name) return child.name === only.name && isDrawnTwice(child.el, only.el) ? withStatesOf(child, only) : child;
  if (only.guess && !only.name && (child.guess || child.role === "generic")) return { ...child, children: only.children };
  return child.guess ? only : child;
}

// What both say, the inner one knows better.
function withStatesOf(outer: AriaNode, inner: AriaNode): AriaNode {
  const keyOf = (state: string): string => state.replace(/=.*/, "");
  const known = new Set(inner.states.map(keyOf));
  return { ...inner, states: [...inner.states, ...outer.states.filter((state) => !known.has(keyOf(state)))] };
}

// The texts in a node that a label of the page's choice does not say.
function unsaid({ el, children }: AriaNode): string[] {
  if (!isLabelled(el)) return [];
  const shown = normalize(namingTexts(children));
  return nameHolds(el, shown) ? [] : [truncate(shown, MAX_TEXT)];
}

// Reports whether a control in another has a text or a name of its own.
function addsTo(name: string, control: AriaNode): boolean {
  const own = normalize(control.name || control.children.filter((child) => typeof child === "string").join(" "));
  return own !== "" && own !== name;
}

// Texts beside each other become one; "\n" keeps them apart.
function mergeTexts(children: Child[]): Child[] {
  const out: Child[] = [];
  let text = "";
  const flush = () => {
    const merged = normalize(text);
    if (merged) out.push(truncate(merged, MAX_TEXT));
    text = "";
  };
  for (const child of children) {
    if (child === "\n") flush();
    else if (typeof child === "string") text += child;
    else {
      flush();
      out.push(child);
    }
  }
  flush();
  return out;
}

function controlsOf(nodes: Child[]): AriaNode[] {
  return nodes.flatMap((node) => (typeof node === "string" ? [] : node.control || node.foreign ? [node] : controlsOf(node.children)));
}

/** Only controls, and what shows where they are and names them. */
export function onlyControls(children: Child[]): Child[] {
  return children.flatMap((child) => {
    if (typeof child === "string") return [];
    if (child.role === "heading" || child.role === "alert" || child.role === "status") return [child];
    if (child.control && !child.children.some((inner) => typeof inner !== "string")) return [child];
    const inner = onlyControls(child.children);
    if (inner.length === 0 && !child.control && !child.foreign) return [];
    if (child.control && !child.name) return [{ ...child, name: truncate(normalize(textsOf(child)), MAX_LABEL), children: inner }];
    const kept = child.control || child.overlay || child.foreign || child.role === "iframe" || CONTEXT.has(child.role);
    if (kept) return [{ ...child, children: inner }];
    if (!LABELLING.has(child.role)) return inner;
    const name = child.name || truncate(normalize(textsOf(child)), MAX_LABEL);
    return name || (child.role === "row" && inner.length > 1) ? [{ ...child, name, children: inner }] : inner;
  });
}

// The texts of nodes and of what in them may be a target, but not their controls'.
function namingTexts(children: Child[]): string {
  return children
    .map((child) => (typeof child === "string" ? child : child.control && !child.guess ? "" : `${child.name} ${namingTexts(child.children)}`))
    .join(" ");
}

// The texts of a node that are not its controls'.
function textsOf(node: AriaNode): string {
  return node.children
    .map((child) => (typeof child === "string" ? child : child.control || child.role === "heading" ? "" : `${child.name} ${textsOf(child)}`))
    .join(" ");
}
