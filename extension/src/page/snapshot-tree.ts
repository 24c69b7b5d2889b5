// Rule of this file: the tree holds what a person can perceive, in the order in
// which it is drawn: through slots, shadow roots and frames that can be
// entered. It ends early rather than late.

import { nameOf, roleOf, statesOf } from "./aria";
import { childrenOf, deepActive, isElement, isFrame, isHTML, isSelect, styleOf } from "./dom";
import { isLoading } from "./frame-loading";
import { isOwn } from "./own";
import { normalize } from "./read-text";
import { fieldOf } from "./snapshot-fields";
import { CONTROLS, NAMED_BY_PARTS, SILENT, TRANSPARENT } from "./snapshot-roles";
import { isRendered } from "./visibility";

/** One node of the tree. */
export interface AriaNode {
  el: Element;
  role: string;
  name: string;
  states: string[];
  /** What stands in the field. */
  value?: string;
  /** Can be operated: it gets a ref. */
  control: boolean;
  /** Lies over the page: its nodes go first. */
  overlay?: "modal" | "popover";
  /** A frame that cannot be entered from here. */
  foreign?: HTMLIFrameElement;
  /** A text "\n" keeps the texts of two blocks apart. */
  children: (AriaNode | string)[];
}

const MAX_DEPTH = 400;
/** Beyond it, what is left of the page is left out. */
const MAX_VISITED = 200_000;

interface Around {
  depth: number;
  /** Under a pointer cursor or in a control: nothing inside is clickable by that. */
  pointer: boolean;
  /** Texts count. */
  texts: boolean;
}

export class TreeReader {
  /** The walk ended early, by its time or its number. */
  incomplete = false;
  secrets = 0;
  private readonly seen = new Set<Node>();
  private readonly active = deepActive();
  private wanted?: Element;

  constructor(
    private readonly enter: (doc: Document) => void,
    private readonly deadline: number,
  ) {}

  /** The tree of the element; the root is a node of no role. */
  read(wanted: Element): AriaNode {
    this.enter(wanted.ownerDocument);
    this.wanted = wanted;
    const root: AriaNode = { el: wanted, role: "", name: "", states: [], control: false, children: [] };
    this.visit(wanted, root, { depth: 0, pointer: false, texts: true });
    return root;
  }

  private over(): boolean {
    // The clock costs more than a node.
    if (this.seen.size > MAX_VISITED || (this.seen.size % 256 === 0 && performance.now() > this.deadline)) this.incomplete = true;
    return this.incomplete;
  }

  private visit(node: Node, into: AriaNode, around: Around): void {
    if (this.over() || around.depth > MAX_DEPTH || this.seen.has(node)) return;
    this.seen.add(node);
    if (isClobbered(node)) {
      for (const child of trueChildren(node)) this.visit(child, into, { ...around, depth: around.depth + 1 });
      return;
    }
    if (node.nodeType === Node.TEXT_NODE) {
      if (around.texts) into.children.push((node.nodeValue ?? "").replace(/\s+/g, " "));
      return;
    }
    if (!isElement(node) || isOwn(node) || SILENT.has(node.localName) || isOutOfReach(node)) return;
    const style = styleOf(node);
    if (style.display !== "contents" && !node.checkVisibility()) return;
    // A hidden element may have shown children.
    const shown = style.visibility === "visible";
    const made = shown ? this.make(node, style, around) : undefined;
    const target = made ?? into;
    const block = !style.display.startsWith("inline") && style.display !== "contents";
    if (made) into.children.push(made);
    else if (block) into.children.push("\n");
    else if (node.localName === "br") into.children.push(" ");
    this.descend(node, target, {
      depth: around.depth + 1,
      pointer: style.cursor === "pointer" || around.pointer || (made?.control ?? false),
      texts: shown && target.value === undefined && !labelsShownField(node),
    });
    if (!made && block) into.children.push("\n");
  }

  private descend(el: Element, into: AriaNode, around: Around): void {
    if (isSelect(el)) {
      // Of one among others, the field tells the options in short.
      if (el === into.el && el === this.wanted) into.children.push(...[...el.options].map(optionOf));
      return;
    }
    if (isFrame(el)) {
      const inner = el.contentDocument;
      if (!inner) into.foreign = el;
      else this.enter(inner);
      if (inner?.documentElement) this.visit(inner.documentElement, into, { ...around, pointer: false, texts: true });
      return;
    }
    // Of a closed details only the summary is shown; its bare texts do not say so.
    const closed = el.localName === "details" && !el.hasAttribute("open");
    for (const child of childrenOf(el)) {
      if (!closed || (child as Element).localName === "summary") this.visit(child, into, around);
    }
    const owned = el.getAttribute("aria-owns");
    if (!owned) return;
    const root = el.getRootNode() as Document | ShadowRoot;
    for (const id of owned.split(/\s+/)) {
      const other = id ? root.getElementById(id) : null;
      if (other) this.visit(other, into, around);
    }
  }

  private make(el: Element, style: CSSStyleDeclaration, around: Around): AriaNode | undefined {
    const ariaRole = roleOf(el);
    const plain = TRANSPARENT.has(ariaRole);
    const editor = isEditor(el);
    const overlay = overlayOf(el, ariaRole);
    const control = CONTROLS.has(ariaRole) || editor || isFocusable(el) || this.isClickable(el, style, around);
    if (plain && !control && !overlay) return undefined;
    // Nobody meets a frame of no size: it counts visits.
    if (ariaRole === "iframe" && !isRendered(el)) return undefined;
    const role = plain ? (editor ? "textbox" : "generic") : ariaRole;
    const field = fieldOf(el, role);
    if (field.secret) this.secrets++;
    const states = [...statesOf(el, role, control), ...field.states];
    if (el === this.active) states.push("active");
    if (overlay) states.push(overlay);
    const host = isFrame(el) ? el.contentDocument?.location?.host : undefined;
    if (host) states.push(`host=${host}`);
    if (isFrame(el) && isLoading(el)) states.push("loading");
    // Where the content says the name, the content is read anyway.
    const named = plain ? editor || isLabelled(el) : !NAMED_BY_PARTS.has(role) || isLabelled(el);
    return { el, role, name: named ? nameOf(el) : "", states, value: field.value, control, overlay, children: [] };
  }

  private isClickable(el: Element, style: CSSStyleDeclaration, around: Around): boolean {
    if (el.localName === "label" || el.localName === "html" || el.localName === "body") return false;
    return !around.pointer && (style.cursor === "pointer" || el.hasAttribute("onclick"));
  }
}

const childNodes = Object.getOwnPropertyDescriptor(Node.prototype, "childNodes")?.get;

const trueChildren = (node: Node): Node[] => [...((childNodes?.call(node) as NodeListOf<ChildNode> | undefined) ?? [])];

// A form gives its fields by their names, before its own properties. Where they
// hide what is needed here, it can only be passed through.
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

// The outermost element of an editable region.
function isEditor(el: Element): boolean {
  if (!isHTML(el) || !el.isContentEditable) return false;
  const outer = el.parentElement;
  return !outer?.isContentEditable;
}

/** The name is given, not made of the content. */
function isLabelled(el: Element): boolean {
  return el.hasAttribute("aria-label") || el.hasAttribute("aria-labelledby");
}

// The field says the label's text as its name.
function labelsShownField(el: Element): boolean {
  return el.localName === "label" && ((el as HTMLLabelElement).control?.checkVisibility() ?? false);
}

function overlayOf(el: Element, role: string): "modal" | "popover" | undefined {
  if (el.localName === "dialog" && el.matches(":modal")) return "modal";
  const named = role === "dialog" || role === "alertdialog";
  if (named && el.getAttribute("aria-modal") === "true" && isRendered(el)) return "modal";
  return el.hasAttribute("popover") && el.matches(":popover-open") ? "popover" : undefined;
}
