// Rule of this file: names and descriptions are made by the steps of "Accessible
// Name and Description Computation 1.2", whose letters the comments give. What
// a tag contributes is in native-name.ts.

import { ancestorsOf, attributeOf, childrenOf, isElement, localNameOf, styleOf } from "./dom";
import { embeddedValue, isReplaced, nativeDescription, nativeName } from "./native-name";
import { generatedText, replacedText } from "./generated-content";
import { normalize } from "./read-text";
import { isPresentational, roleOf } from "./role";
import { isSecretField } from "./secrets";

/** One computation of a name. */
export interface Traversal {
  /** The element whose name it is. */
  target: Element;
  /** Each element counts once. */
  seen: Set<Element>;
  /** Inside of what aria-labelledby or aria-describedby names: these are not followed again. */
  referenced: boolean;
  /** Inside of a label: its content counts, whatever its role. */
  labelling: boolean;
  /** Inside of a label that is hidden itself: all of it counts. */
  hiddenToo: boolean;
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Roles whose name is their content. */
const NAMED_BY_CONTENT = set(
  "button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row rowheader summary switch tab tooltip treeitem",
);

/** Roles whose name is their first heading. */
const NAMED_BY_HEADING = set("alertdialog dialog");

/** Roles that hold elements of their own, whose texts are not the name of what is around. */
const APART = set("alertdialog application dialog grid group listbox log menu menubar radiogroup tablist tabpanel toolbar tree treegrid");

const SKIPPED_TAGS = set("head noscript script style template");

/** The whole name of the element; white space collapsed. */
export function accessibleName(el: Element): string {
  return normalize(nameIn(el, { target: el, seen: new Set(), referenced: false, labelling: false, hiddenToo: false }));
}

/** What describes the element beside its name. */
export function accessibleDescription(el: Element, name: string): string {
  const traversal: Traversal = { target: el, seen: new Set(), referenced: true, labelling: true, hiddenToo: false };
  const referred = normalize(texts(referencedBy(el, "aria-describedby"), traversal));
  if (referred) return referred;
  const written = normalize(attributeOf(el, "aria-description") ?? "");
  if (written) return written;
  const candidates = [nativeDescription(el, (label) => labelText(label, traversal)), attributeOf(el, "title") ?? ""];
  return candidates.map(normalize).find((text) => text !== "" && text !== name) ?? "";
}

/** Reports whether the element is not shown, or hidden from assistive technology. */
export function isHiddenForAria(el: Element): boolean {
  for (const at of ancestorsOf(el)) if (isAriaHidden(at)) return true;
  // These are drawn by what they belong to.
  const owner = /^(opt(ion|group)|area)$/.test(localNameOf(el)) && Element.prototype.closest.call(el, "select, map");
  return !isDrawn(owner || el);
}

/** Reports whether the element is drawn. One of display:contents has no box, its content has. */
export function isDrawn(el: Element): boolean {
  const style = styleOf(el);
  if (style.display !== "contents") return Element.prototype.checkVisibility.call(el, { visibilityProperty: true });
  for (const at of ancestorsOf(el)) if (styleOf(at).display !== "contents") return at.checkVisibility();
  return false;
}

/** Reports whether the element itself is hidden from assistive technology. */
export function isAriaHidden(el: Element): boolean {
  return attributeOf(el, "aria-hidden")?.toLowerCase() === "true";
}

function nameIn(el: Element, traversal: Traversal): string {
  const { target, seen } = traversal;
  if (seen.has(el)) return "";
  // 2B
  const referred = traversal.referenced ? "" : texts(referencedBy(el, "aria-labelledby"), { ...traversal, referenced: true });
  seen.add(el);
  if (normalize(referred)) return referred;
  // 2C
  const role = roleOf(el);
  const value = el === target ? undefined : embeddedValue(el, role, ownedBy(el), (inner) => contentOf(inner, traversal), (option) => nameIn(option, traversal));
  if (value !== undefined) return value;
  // 2D; a slot is not drawn, only what is in it.
  const label = attributeOf(el, "aria-label") ?? "";
  if (normalize(label) && (el === target || localNameOf(el) !== "slot")) return label;
  // 2E
  const native = isPresentational(role) ? "" : (replacedText(el, styleOf(el)) ?? nativeName(el, (by) => labelText(by, traversal)));
  if (normalize(native)) return native;
  // 2F
  const heading = el === target && NAMED_BY_HEADING.has(role) ? headingIn(el) : undefined;
  const content = heading ? labelText(heading, traversal) : countsContent(el, role, traversal) ? contentOf(el, traversal) : "";
  if (normalize(content)) return content;
  // 2I
  return isPresentational(role) ? content : attributeOf(el, "title") || content;
}

function countsContent(el: Element, role: string, { target, labelling }: Traversal): boolean {
  if (labelling) return true;
  if (el === target) return NAMED_BY_CONTENT.has(role) && !isHiddenForAria(el);
  return !(APART.has(role) && el.hasAttribute("role"));
}

// The nearest to the element, then the first.
function headingIn(el: Element): Element | undefined {
  for (let level = childrenOf(el).filter(isElement); level.length > 0; level = level.flatMap(childrenOf).filter(isElement)) {
    const found = level.find((child) => roleOf(child) === "heading" && !isHiddenForAria(child));
    if (found) return found;
  }
  return undefined;
}

/** The text of an element that labels another. */
function labelText(label: Element, traversal: Traversal): string {
  return nameIn(label, { ...traversal, labelling: true, hiddenToo: traversal.hiddenToo || isHiddenForAria(label) });
}

const texts = (labels: Element[], traversal: Traversal): string => labels.map((label) => labelText(label, traversal)).join(" ");

// Some pages write aria-labeledby, and browsers follow it.
function referencedBy(el: Element, attribute: "aria-labelledby" | "aria-describedby"): Element[] {
  const ids = attributeOf(el, attribute) ?? (attribute === "aria-labelledby" ? attributeOf(el, "aria-labeledby") : null);
  return ids ? elementsByIDs(el, ids) : [];
}

function elementsByIDs(el: Element, ids: string): Element[] {
  const root = Node.prototype.getRootNode.call(el) as Document | ShadowRoot;
  const found = ids.split(/\s+/).map((id) => (id ? root.getElementById(id) : null));
  return [...new Set(found)].filter((one) => one !== null);
}

function ownedBy(el: Element): Element[] {
  const ids = attributeOf(el, "aria-owns");
  return ids ? elementsByIDs(el, ids) : [];
}

// 2F, 2G and 2H
function contentOf(el: Element, traversal: Traversal): string {
  if (isSecretField(el)) return "";
  // Of a closed details only the summary is shown.
  const closed = localNameOf(el) === "details" && !el.hasAttribute("open") && !traversal.hiddenToo;
  let text = generatedText(el, "::before", traversal.hiddenToo);
  for (const child of childrenOf(el)) {
    if (isElement(child)) text += closed && localNameOf(child) !== "summary" ? "" : pieceOf(child, traversal);
    else if (child.nodeType === Node.TEXT_NODE && !closed && areTextsShown(el, traversal)) text += child.nodeValue ?? "";
  }
  for (const owned of ownedBy(el)) text += ` ${pieceOf(owned, traversal)} `;
  return text + generatedText(el, "::after", traversal.hiddenToo);
}

// A hidden element may have shown children, so its own texts are left out one by one.
function areTextsShown(el: Element, { target, hiddenToo }: Traversal): boolean {
  return hiddenToo || el === target || styleOf(el).visibility === "visible";
}

// What is drawn apart is a word of its own.
function pieceOf(el: Element, traversal: Traversal): string {
  if (SKIPPED_TAGS.has(localNameOf(el))) return "";
  if (localNameOf(el) === "br") return " ";
  const style = styleOf(el);
  if (!traversal.hiddenToo && (style.display === "none" || isAriaHidden(el))) return "";
  const shown = traversal.hiddenToo || style.visibility === "visible";
  const text = shown ? nameIn(el, traversal) : contentOf(el, traversal);
  const within = (style.display === "inline" || style.display === "contents") && !isReplaced(el);
  return within ? text : ` ${text} `;
}
