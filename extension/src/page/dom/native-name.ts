// Rule of this file: what the tags of HTML and SVG contribute to a name, by "HTML
// Accessibility API Mappings" and "SVG Accessibility API Mappings". A label that
// resolves to nothing leaves the name to what comes next.

import { attributeOf, isInput, isSelect, isTextArea, localNameOf } from "./dom";
import { labelsOf } from "./label-index";
import { normalize } from "./read-text";
import { isSecretField } from "./secrets";

/** Returns the text of an element that labels another. */
type Labelled = (label: Element) => string;

const LABELABLE = new Set("button input meter output progress select textarea".split(" "));
const BUTTONS = new Set(["button", "image", "reset", "submit"]);
const DEFAULT_VALUES: Record<string, string> = { image: "Submit", reset: "Reset", submit: "Submit" };
const REPLACED = new Set("audio canvas embed iframe img input meter object progress select svg textarea video".split(" "));
const LABELLING_CHILD: Record<string, string> = { fieldset: "legend", figure: "figcaption", table: "caption" };
const RANGES = new Set("meter progressbar scrollbar slider spinbutton".split(" "));

/** Reports whether the element is drawn as one thing, apart from the text around it. */
export function isReplaced(el: Element): boolean {
  return REPLACED.has(localNameOf(el));
}

/** The name that the element's tag gives it, empty for none. */
export function nativeName(el: Element, labelled: Labelled): string {
  const tag = localNameOf(el);
  if (LABELABLE.has(tag)) return controlName(el, labelled);
  if (tag === "img" || tag === "area") return attributeOf(el, "alt") ?? "";
  if (tag === "option" || tag === "optgroup") return attributeOf(el, "label") ?? "";
  const child = Object.hasOwn(LABELLING_CHILD, tag) && childOf(el, LABELLING_CHILD[tag] as string);
  if (child) return labelled(child);
  if (tag === "table") return attributeOf(el, "summary") ?? "";
  return isSVG(el) ? svgName(el, labelled) : (attributeOf(el, "aria-placeholder") ?? "");
}

/** What the element's tag says besides its name. */
export function nativeDescription(el: Element, labelled: Labelled): string {
  const tag = localNameOf(el);
  if (isInput(el)) return BUTTONS.has(el.type) && el.type !== "image" ? el.value : "";
  const child = tag === "table" ? childOf(el, "caption") : isSVG(el) ? childOf(el, "title") : undefined;
  return child ? labelled(child) : "";
}

function controlName(el: Element, labelled: Labelled): string {
  const labels = labelsOf(el).map(labelled);
  return [...(labels.some(isWritten) ? [labels.join(" ")] : []), ...ownNames(el)].find(isWritten) ?? "";
}

// The names that a control has without labels, in their order.
function ownNames(el: Element): (string | null)[] {
  const title = attributeOf(el, "title");
  if (isInput(el) && BUTTONS.has(el.type)) {
    const byDefault = DEFAULT_VALUES[el.type] ?? title;
    return el.type === "image" ? [attributeOf(el, "alt"), title, byDefault] : [el.value, byDefault];
  }
  const isField = isInput(el) || isTextArea(el) || isSelect(el);
  return isField ? [title, attributeOf(el, "placeholder"), attributeOf(el, "aria-placeholder")] : [];
}

const isWritten = (text: string | null | undefined): text is string => normalize(text ?? "") !== "";

function childOf(el: Element, tag: string): Element | undefined {
  return [...el.children].find((child) => localNameOf(child) === tag);
}

const isSVG = (el: Element): boolean => el.namespaceURI === "http://www.w3.org/2000/svg";

function svgName(el: Element, labelled: Labelled): string {
  const title = childOf(el, "title");
  return (title ? labelled(title) : "") || (attributeOf(el, "xlink:title") ?? "");
}

const selectedOptions = (el: Element): Element[] => [...el.querySelectorAll("[role=option][aria-selected=true]")];

/** The value of a control inside of a label, which stands for it there; undefined for what is no such control. */
export function embeddedValue(el: Element, role: string, owned: Element[], content: Labelled, chosen: Labelled): string | undefined {
  if (isSecretField(el)) return "";
  if (role === "textbox" || role === "searchbox") return isInput(el) || isTextArea(el) ? el.value : content(el);
  if (RANGES.has(role)) return attributeOf(el, "aria-valuetext") ?? attributeOf(el, "aria-valuenow") ?? String((el as HTMLInputElement).value ?? "");
  if (role === "menu") return "";
  if (role !== "combobox" && role !== "listbox") return undefined;
  if (isInput(el)) return el.value;
  return (isSelect(el) ? [...el.selectedOptions] : [el, ...owned].flatMap(selectedOptions)).map(chosen).join(" ");
}
