// Rule of this file: the tree holds what a person can perceive, in the order in
// which it is drawn: through slots, shadow roots and frames that can be
// entered. It ends early rather than late.

import { isAriaHidden, isHiddenForAria } from "../dom/accessible-name";
import { fullNameOf, nameOf, roleOf, statesOf } from "../dom/aria";
import { childrenOf, deepActive, isElement, isFrame, isInput, isSelect, isTextArea, localNameOf, ownChildrenOf, parentOf, styleOf } from "../dom/dom";
import { isExtensionElement } from "../dom/extension-elements";
import { normalize, textOf } from "../dom/read-text";
import { isSecret, isSecretField } from "../dom/secrets";
import { isRendered, isShown } from "../dom/visibility";
import { isLoading } from "../frames/loading";
import { fieldOf, isOffered } from "./fields";
import { isLabelled, nameHolds } from "./labelled";
import { isPointerOnly, mayHoldTargets } from "./pointer-only";
import { NAMED_BY_CONTENT, SKIPPED_TAGS, TRANSPARENT } from "./roles";
import { isStandIn } from "./stand-ins";
import { type Surroundings, Targets, surroundingsIn } from "./targets";

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
  /** It only looks so: it gives way to the control that it surrounds. */
  guess?: boolean;
  /** Lies over the page: its nodes go first. */
  overlay?: "modal" | "popover";
  /** A frame that cannot be entered from here. */
  foreign?: HTMLIFrameElement;
  /** A text "\n" keeps the texts of two blocks apart. */
  children: (AriaNode | string)[];
}

/** Levels of lines; what lies deeper is left out. */
const MAX_LEVEL = 400;
/** Levels of elements, which the script's stack bounds. */
const MAX_DEPTH = 1000;
/** Beyond it, the rest of the page is left out. */
const MAX_VISITED = 200_000;

interface VisitContext {
  depth: number;
  level: number;
  around: Surroundings;
  /** Whether texts count. */
  texts: boolean;
  /** Whether the label around is the name of its field: what is no control in it adds nothing. */
  muted: boolean;
  /** The outermost element around that is hidden from a screen reader: most of what is in it does not count. */
  hidden?: Element;
}

export class TreeReader {
  /** Whether something was left out: the walk ended early, or the page is nested too deeply. */
  incomplete = false;
  secrets = 0;
  private readonly seen = new Set<Node>();
  private readonly active = deepActive();
  private readonly targets = new Targets();
  private ended = false;
  private wanted?: Element;

  constructor(private readonly deadline: number) {}

  /** Returns the tree of the element; the root is a node without a role. */
  read(wanted: Element): AriaNode {
    this.wanted = wanted;
    const root: AriaNode = { el: wanted, role: "", name: "", states: [], control: false, children: [] };
    if (isSecret(wanted) && !isSecretField(wanted)) return root;
    const parent = parentOf(wanted);
    const around = { cursor: parent ? styleOf(parent).cursor : "auto", single: false, grid: false };
    this.visit(wanted, root, { depth: 0, level: 0, around, texts: true, muted: false });
    return root;
  }

  private isOver(): boolean {
    // The clock costs more than a node.
    if (this.seen.size > MAX_VISITED || (this.seen.size % 256 === 0 && performance.now() > this.deadline)) this.ended = true;
    this.incomplete ||= this.ended;
    return this.ended;
  }

  private isTooDeep({ depth, level }: VisitContext): boolean {
    const tooDeep = depth > MAX_DEPTH || level > MAX_LEVEL;
    this.incomplete ||= tooDeep;
    return tooDeep;
  }

  private visit(node: Node, into: AriaNode, context: VisitContext): void {
    if (this.seen.has(node) || this.isOver() || this.isTooDeep(context)) return;
    this.seen.add(node);
    if (!isElement(node)) {
      if (context.texts && node.nodeType === Node.TEXT_NODE) into.children.push(withSingleSpaces(node.nodeValue ?? ""));
      return;
    }
    if (isClobbered(node)) {
      for (const child of ownChildrenOf(node)) this.visit(child, into, { ...context, depth: context.depth + 1 });
      return;
    }
    const tag = node.localName;
    // Most elements have no attributes, and testing that is cheap.
    const bare = !node.hasAttributes();
    if (isExtensionElement(node) || SKIPPED_TAGS.has(tag) || (!bare && node.hasAttribute("inert"))) return;
    const hidden = context.hidden ?? (!bare && isAriaHidden(node) ? node : undefined);
    if (hidden && !mayHoldTargets(node, hidden)) return;
    const style = styleOf(node);
    const { display, cursor } = style;
    // A hidden element may have shown children.
    const shown = display === "contents" ? style.visibility === "visible" : node.checkVisibility({ visibilityProperty: true });
    if (display === "none" || (!shown && display !== "contents" && !node.checkVisibility())) return;
    const role = roleOf(node);
    if (isStandIn(node, role)) return;
    const created = shown ? this.createNode(node, role, cursor, context.around, hidden) : undefined;
    const target = created ?? into;
    // Of what is hidden, only texts of what is listed count.
    const silent = hidden !== undefined && !created && !(context.hidden && context.texts);
    const muted = (context.muted && !created?.control) || labelsShownField(node);
    const block = !silent && display !== "contents" && !display.startsWith("inline");
    if (created) into.children.push(created);
    else if (block) into.children.push("\n");
    else if (tag === "br" && !silent) into.children.push(" ");
    this.descend(node, target, {
      depth: context.depth + 1,
      level: context.level + (created ? 1 : 0),
      around: surroundingsIn(node, role, cursor, context.around),
      texts: shown && !silent && !muted && target.value === undefined,
      muted,
      hidden,
    });
    if (!created && block) into.children.push("\n");
  }

  private descend(el: Element, into: AriaNode, context: VisitContext): void {
    if (isSelect(el)) {
      // Unless the select itself was asked for, fields.ts lists the options in short.
      if (el === into.el && el === this.wanted) into.children.push(...optionsOf(el));
      return;
    }
    if (isTextArea(el) || (!isInput(el) && isSecretField(el))) return; // the text of a textarea is what it began with, not its value
    if (isFrame(el)) {
      if (into.el !== el) return; // one without a node of its own is seen by nobody
      const inner = el.contentDocument;
      if (!inner) into.foreign = el;
      if (inner?.documentElement) this.visit(inner.documentElement, into, { ...context, around: { cursor: "auto", single: false, grid: false }, texts: true, muted: false });
      return;
    }
    // Of a closed details only the summary is shown; text nodes have no checkVisibility.
    const closed = el.localName === "details" && !el.hasAttribute("open");
    for (const child of childrenOf(el)) {
      if (!closed || (child as Element).localName === "summary") this.visit(child, into, context);
    }
    const owned = el.hasAttributes() ? el.getAttribute("aria-owns") : "";
    if (!owned) return;
    const root = el.getRootNode() as Document | ShadowRoot;
    for (const id of owned.split(/\s+/)) {
      const other = id ? root.getElementById(id) : null;
      if (other) this.visit(other, into, context);
    }
  }

  private createNode(el: Element, ariaRole: string, cursor: string, around: Surroundings, hidden: Element | undefined): AriaNode | undefined {
    const plain = TRANSPARENT.has(ariaRole) && !isFrame(el);
    const overlay = overlayOf(el, ariaRole);
    const target = hidden ? this.targets.ofHidden(el, ariaRole, cursor, around) : this.targets.of(el, ariaRole, cursor, around);
    const control = target !== undefined;
    if (hidden && !(ariaRole === "tooltip" ? isShown(el) : target && isPointerOnly(el, hidden))) return undefined;
    if (plain && !control && !overlay) return undefined;
    // A frame without a size is a tracker: nobody sees it.
    if (isFrame(el) && !isRendered(el)) return undefined;
    const role = isFrame(el) ? "iframe" : plain ? "generic" : ariaRole;
    const field = fieldOf(el, role);
    if (field.secret) this.secrets++;
    const states = [...statesOf(el, role, control), ...field.states];
    if (el === this.active) states.push("active");
    if (overlay) states.push(overlay);
    if (el.getAttribute("draggable") === "true") states.push("draggable");
    const host = isFrame(el) ? el.contentDocument?.location?.host : undefined;
    if (host) states.push(`host=${host}`);
    if (isFrame(el) && isLoading(el)) states.push("loading");
    // Where the content is the name, the content is read anyway.
    const named = plain ? isLabelled(el) || el.hasAttribute("title") : !NAMED_BY_CONTENT.has(role) || isLabelled(el);
    return { el, role, name: named ? nameOf(el) : "", states, value: field.value, control, guess: target === "guess", overlay, children: [] };
  }
}

const withSingleSpaces = (text: string): string => (/\s\s|[^\S ]/.test(text) ? text.replace(/\s+/g, " ") : text);

// A form exposes its fields as properties by their names, before its own. Where they
// shadow what is needed here, only its children are visited.
function isClobbered(el: Element): boolean {
  if (localNameOf(el) !== "form") return false;
  const methods = [el.getAttribute, el.hasAttribute, el.hasAttributes, el.checkVisibility, el.matches, el.getBoundingClientRect, el.getRootNode];
  return typeof el.localName !== "string" || typeof el.nodeType !== "number" || methods.some((method) => typeof method !== "function") || !("length" in el.childNodes);
}

function optionsOf(select: HTMLSelectElement): AriaNode[] {
  const secret = isSecretField(select);
  return [...select.options].filter(isOffered).map((option) => optionOf(option, !secret && option.selected));
}

function optionOf(option: HTMLOptionElement, selected: boolean): AriaNode {
  const states = [selected && "selected", option.disabled && "disabled"].filter((state) => state !== false);
  return { el: option, role: "option", name: normalize(option.label), states, control: false, children: [] };
}

// The label's text is the name of the field already, if the field is listed, has it in its name, and that is not cut.
function labelsShownField(el: Element): boolean {
  const control = el.localName === "label" ? (el as HTMLLabelElement).control : null;
  if (!control?.checkVisibility() || isHiddenForAria(control)) return false;
  return nameHolds(control, textBeside(el, control)) && (isLabelled(control) || nameOf(control) === fullNameOf(control));
}

// The text of a label but for that of its control.
function textBeside(el: Element, control: Element): string {
  const texts = childrenOf(el).map((child) => {
    if (!isElement(child)) return child.nodeValue ?? "";
    if (child === control || isAriaHidden(child)) return "";
    return child.contains(control) || child.querySelector("[aria-hidden]") ? textBeside(child, control) : textOf(child);
  });
  return texts.join(" ");
}

function overlayOf(el: Element, role: string): "modal" | "popover" | undefined {
  if (!el.hasAttributes()) return undefined; // an open dialog has the attribute that says so
  if (el.localName === "dialog" && el.matches(":modal")) return "modal";
  const named = role === "dialog" || role === "alertdialog";
  if (named && el.getAttribute("aria-modal") === "true" && isRendered(el)) return "modal";
  return el.hasAttribute("popover") && el.matches(":popover-open") ? "popover" : undefined;
}
