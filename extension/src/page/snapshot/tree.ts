// Rule of this file: the tree holds what a person can perceive, in the order in
// which it is drawn: through slots, shadow roots and frames that can be
// entered. It ends early rather than late.

import { nameOf, roleOf, statesOf } from "../dom/aria";
import { childrenOf, deepActive, isElement, isFrame, isSelect, styleOf } from "../dom/dom";
import { isExtensionElement } from "../dom/extension-elements";
import { normalize } from "../dom/read-text";
import { isRendered } from "../dom/visibility";
import { isLoading } from "../frames/loading";
import { fieldOf } from "./fields";
import { CONTROLS, NAMED_BY_CONTENT, SKIPPED_TAGS, TRANSPARENT } from "./roles";

/** One node of the tree. */
export interface AriaNode {
  el: Element;
  role: string;
  name: string;
  states: string[];
  /** The value of the field. */
  value?: string;
  /** Whether it can be operated: it gets a ref then. */
  control: boolean;
  /** Lies over the page: its nodes go first. */
  overlay?: "modal" | "popover";
  /** A frame that cannot be entered from here. */
  foreign?: HTMLIFrameElement;
  /** A text "\n" keeps the texts of two blocks apart. */
  children: (AriaNode | string)[];
}

const MAX_DEPTH = 400;
/** Beyond it, the rest of the page is left out. */
const MAX_VISITED = 200_000;

interface VisitContext {
  depth: number;
  /** Under a pointer cursor or in a control: nothing inside is clickable by that. */
  pointer: boolean;
  /** Whether texts count. */
  texts: boolean;
}

export class TreeReader {
  /** Whether the walk ended early, by its deadline or by MAX_VISITED. */
  incomplete = false;
  secrets = 0;
  private readonly seen = new Set<Node>();
  private readonly active = deepActive();
  private wanted?: Element;

  constructor(private readonly deadline: number) {}

  /** Returns the tree of the element; the root is a node without a role. */
  read(wanted: Element): AriaNode {
    this.wanted = wanted;
    const root: AriaNode = { el: wanted, role: "", name: "", states: [], control: false, children: [] };
    this.visit(wanted, root, { depth: 0, pointer: false, texts: true });
    return root;
  }

  private isOver(): boolean {
    // The clock costs more than a node.
    if (this.seen.size > MAX_VISITED || (this.seen.size % 256 === 0 && performance.now() > this.deadline)) this.incomplete = true;
    return this.incomplete;
  }

  private visit(node: Node, into: AriaNode, context: VisitContext): void {
    if (this.isOver() || context.depth > MAX_DEPTH || this.seen.has(node)) return;
    this.seen.add(node);
    if (isClobbered(node)) {
      for (const child of ownChildNodes(node)) this.visit(child, into, { ...context, depth: context.depth + 1 });
      return;
    }
    if (node.nodeType === Node.TEXT_NODE) {
      if (context.texts) into.children.push((node.nodeValue ?? "").replace(/\s+/g, " "));
      return;
    }
    if (!isElement(node) || isExtensionElement(node) || SKIPPED_TAGS.has(node.localName) || isOutOfReach(node)) return;
    const style = styleOf(node);
    if (style.display !== "contents" && !node.checkVisibility()) return;
    // A hidden element may have shown children.
    const shown = style.visibility === "visible";
    const created = shown ? this.createNode(node, style, context) : undefined;
    const target = created ?? into;
    const block = !style.display.startsWith("inline") && style.display !== "contents";
    if (created) into.children.push(created);
    else if (block) into.children.push("\n");
    else if (node.localName === "br") into.children.push(" ");
    this.descend(node, target, {
      depth: context.depth + 1,
      pointer: style.cursor === "pointer" || context.pointer || (created?.control ?? false),
      texts: shown && target.value === undefined && !labelsShownField(node),
    });
    if (!created && block) into.children.push("\n");
  }

  private descend(el: Element, into: AriaNode, context: VisitContext): void {
    if (isSelect(el)) {
      // Unless the select itself was asked for, fields.ts lists the options in short.
      if (el === into.el && el === this.wanted) into.children.push(...[...el.options].map(optionOf));
      return;
    }
    if (isFrame(el)) {
      const inner = el.contentDocument;
      if (!inner) into.foreign = el;
      if (inner?.documentElement) this.visit(inner.documentElement, into, { ...context, pointer: false, texts: true });
      return;
    }
    // Of a closed details only the summary is shown; text nodes have no checkVisibility.
    const closed = el.localName === "details" && !el.hasAttribute("open");
    for (const child of childrenOf(el)) {
      if (!closed || (child as Element).localName === "summary") this.visit(child, into, context);
    }
    const owned = el.getAttribute("aria-owns");
    if (!owned) return;
    const root = el.getRootNode() as Document | ShadowRoot;
    for (const id of owned.split(/\s+/)) {
      const other = id ? root.getElementById(id) : null;
      if (other) this.visit(other, into, context);
    }
  }

  private createNode(el: Element, style: CSSStyleDeclaration, context: VisitContext): AriaNode | undefined {
    const ariaRole = roleOf(el);
    const plain = TRANSPARENT.has(ariaRole);
    const overlay = overlayOf(el, ariaRole);
    const control = CONTROLS.has(ariaRole) || isFocusable(el) || this.isClickable(el, style, context);
    if (plain && !control && !overlay) return undefined;
    // A frame without a size is a tracker: nobody sees it.
    if (ariaRole === "iframe" && !isRendered(el)) return undefined;
    const role = plain ? "generic" : ariaRole;
    const field = fieldOf(el, role);
    if (field.secret) this.secrets++;
    const states = [...statesOf(el, role, control), ...field.states];
    if (el === this.active) states.push("active");
    if (overlay) states.push(overlay);
    const host = isFrame(el) ? el.contentDocument?.location?.host : undefined;
    if (host) states.push(`host=${host}`);
    if (isFrame(el) && isLoading(el)) states.push("loading");
    // Where the content is the name, the content is read anyway.
    const named = plain ? isLabelled(el) : !NAMED_BY_CONTENT.has(role) || isLabelled(el);
    return { el, role, name: named ? nameOf(el) : "", states, value: field.value, control, overlay, children: [] };
  }

  private isClickable(el: Element, style: CSSStyleDeclaration, context: VisitContext): boolean {
    if (el.localName === "label" || el.localName === "html" || el.localName === "body") return false;
    return !context.pointer && (style.cursor === "pointer" || el.hasAttribute("onclick"));
  }
}

const childNodes = Object.getOwnPropertyDescriptor(Node.prototype, "childNodes")?.get;

const ownChildNodes = (node: Node): Node[] => [...((childNodes?.call(node) as NodeListOf<ChildNode> | undefined) ?? [])];

// A form exposes its fields as properties by their names, before its own. Where they
// shadow what is needed here, only its children are visited.
function isClobbered(node: Node): boolean {
  const el = node as Element;
  if (typeof node.nodeType !== "number") return true;
  if (node.nodeType !== Node.ELEMENT_NODE) return false;
  const methods = [el.getAttribute, el.hasAttribute, el.checkVisibility, el.matches, el.getBoundingClientRect, el.getRootNode];
  return typeof el.localName !== "string" || methods.some((method) => typeof method !== "function") || !("length" in el.childNodes);
}

function optionOf(option: HTMLOptionElement): AriaNode {
  const states = [option.selected && "selected", option.disabled && "disabled"].filter((state) => state !== false);
  return { el: option, role: "option", name: normalize(option.label), states, control: false, children: [] };
}

function isOutOfReach(el: Element): boolean {
  return el.getAttribute("aria-hidden")?.toLowerCase() === "true" || el.hasAttribute("inert");
}

function isFocusable(el: Element): boolean {
  const index = el.getAttribute("tabindex");
  return index !== null && Number(index) >= 0;
}

/** Reports whether the name is given by an attribute, not made of the content. */
function isLabelled(el: Element): boolean {
  return el.hasAttribute("aria-label") || el.hasAttribute("aria-labelledby");
}

// The label's text is the name of the field already.
function labelsShownField(el: Element): boolean {
  return el.localName === "label" && ((el as HTMLLabelElement).control?.checkVisibility() ?? false);
}

function overlayOf(el: Element, role: string): "modal" | "popover" | undefined {
  if (el.localName === "dialog" && el.matches(":modal")) return "modal";
  const named = role === "dialog" || role === "alertdialog";
  if (named && el.getAttribute("aria-modal") === "true" && isRendered(el)) return "modal";
  return el.hasAttribute("popover") && el.matches(":popover-open") ? "popover" : undefined;
}
