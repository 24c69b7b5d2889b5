// Rule of this file: nothing is said twice and nothing empty is said. What is
// cut here is only what another line, or the name of the same one, says.

import { cut, normalize } from "./read-text";
import { CONTEXT, KEPT_EMPTY, LABELLING, NAMED_BY_PARTS, NAMED_WHOLE, NEEDS_NAME, WRAPPERS } from "./snapshot-roles";
import type { AriaNode } from "./snapshot-tree";

type Child = AriaNode | string;

const MAX_TEXT = 300;
const MAX_LABEL = 80;

/** Takes what lies over the page out of its place and puts it first. */
export function overlaysFirst(root: AriaNode): boolean {
  const over: AriaNode[] = [];
  const take = (node: AriaNode) => {
    node.children = node.children.filter((child) => {
      if (typeof child === "string") return true;
      if (child.overlay) over.push(child);
      // A frame's overlay lies over the frame only.
      else if (child.role !== "iframe") take(child);
      return !child.overlay;
    });
  };
  take(root);
  over.sort((a, b) => Number(a.overlay === "popover") - Number(b.overlay === "popover"));
  root.children = [...over, ...root.children];
  return over.length > 0;
}

/** The node's children as they are worth saying. */
export function shape(node: AriaNode): void {
  for (const child of node.children) if (typeof child !== "string") shape(child);
  let children = merged(node.children.flatMap(worth));
  const nodes = children.filter((child) => typeof child !== "string");
  if (NAMED_WHOLE.has(node.role) && node.name) {
    children = controlsIn(nodes);
  } else if (NAMED_BY_PARTS.has(node.role) && !node.name && children.length === 1 && typeof children[0] === "string") {
    [node.name] = children;
  }
  node.children = children.filter((child) => child !== node.name && !(node.name && repeats(child, node.name)));
}

// A caption that is the name already.
function repeats(child: Child, name: string): boolean {
  return typeof child !== "string" && child.role === "caption" && child.children.length === 1 && child.children[0] === name;
}

// A child, what stands for it, or nothing.
function worth(child: Child): Child[] {
  if (typeof child === "string" || child.control || child.overlay || child.foreign) return [child];
  if (!child.name && NEEDS_NAME.has(child.role)) return ["\n", ...child.children, "\n"];
  const [only] = child.children;
  if (WRAPPERS.has(child.role) && !child.name && child.children.length === 1 && only && typeof only !== "string") return [only];
  const empty = !child.name && child.children.length === 0 && !child.value;
  return empty && !KEPT_EMPTY.has(child.role) ? [] : [child];
}

// Texts beside each other become one; "\n" keeps them apart.
function merged(children: Child[]): Child[] {
  const out: Child[] = [];
  let text = "";
  const flush = () => {
    const whole = normalize(text);
    if (whole) out.push(cut(whole, MAX_TEXT));
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

function controlsIn(nodes: Child[]): AriaNode[] {
  return nodes.flatMap((node) => (typeof node === "string" ? [] : node.control || node.foreign ? [node] : controlsIn(node.children)));
}

/** Only controls, and what tells where they are and which. */
export function onlyControls(children: Child[]): Child[] {
  return children.flatMap((child) => {
    if (typeof child === "string") return [];
    if (child.role === "heading" || child.role === "alert" || child.role === "status") return [child];
    if (child.control && !child.children.some((inner) => typeof inner !== "string")) return [child];
    const inner = onlyControls(child.children);
    if (inner.length === 0 && !child.control && !child.foreign) return [];
    const keeps = child.control || child.overlay || child.foreign || child.role === "iframe" || CONTEXT.has(child.role);
    if (keeps) return [{ ...child, children: inner }];
    if (!LABELLING.has(child.role)) return inner;
    const name = child.name || cut(normalize(textsOf(child)), MAX_LABEL);
    return name ? [{ ...child, name, children: inner }] : inner;
  });
}

// The texts of a node that are not its controls'.
function textsOf(node: AriaNode): string {
  return node.children
    .map((child) => (typeof child === "string" ? child : child.control || child.role === "heading" ? "" : `${child.name} ${textsOf(child)}`))
    .join(" ");
}
