// Rule of this file: what a call met is described as it is before the call changes it, and
// once. The description finds the element again: each way in it was tried, or is marked as one
// that finds others too. It never has what stands in a field.

import type { Args } from "../base/args";
import type { MetFrame, MetRow, MetTarget } from "../../protocol";
import { nameOf, roleOf, withAriaCaches } from "../dom/aria";
import { attributeOf, childElementsOf, isElement, isInput, isSelect, isTextArea, localNameOf, parentOf } from "../dom/dom";
import { editingHost, isEditable } from "../dom/editable";
import { labelsOf } from "../dom/label-index";
import { isPresentational } from "../dom/role";
import { normalize, textOf } from "../dom/read-text";
import { isSecret } from "../dom/secrets";
import { queryAll } from "../dom/selectors";
import { isRendered } from "../dom/visibility";
import { pathToHere } from "../frames/path";
import type { Context } from "../wait/schedule";
import { byName, isForReaders, withRole } from "./by-role";
import { locate, locatorOf, TEST_IDS } from "./locate";
import { framesTo, selectorOf } from "./naming";
import { elementsWithText } from "./text-search";

const MAX_TEXT = 80;
/** A longer text of an item is content, and no name of it. */
const MAX_ROW_TEXT = 60;
/** More of a kind are not looked at: each name takes time. */
const MAX_COMPARED = 300;
/** Of what one locator finds. */
const MAX_DESCRIBED = 120;
const MAX_ROW_DEPTH = 8;
const MAX_ELEMENTS = 2000;
const ITEMS = "li, tr, article, [role=listitem], [role=row]";

/** Describes the element for the answer of the call, where the host asks for it; the first of a call counts. */
export function noteMet(ctx: Context, el: Element): void {
  if (!ctx.asksMet || ctx.met) return;
  try {
    ctx.met = withAriaCaches(() => describe(el));
  } catch {
    // A page that breaks what is asked of it: the call itself goes on.
  }
}

/** Describes an element that the user's own hand is on. */
export const describeTarget = (el: Element): MetTarget => withAriaCaches(() => describe(el));

/** target.describe */
export function describeTargets(args: Args): unknown {
  const found = locate(locatorOf(args, "locator"));
  const shown = found.filter(isRendered);
  const targets = withAriaCaches(() => shown.slice(0, MAX_DESCRIBED).map(describe));
  return { found: found.length, shown: shown.length, targets };
}

function describe(el: Element): MetTarget {
  const role = roleOf(el);
  const name = nameOf(el);
  const field = isField(el);
  const label = field ? labelOf(el) : "";
  const testID = TEST_IDS.map((attribute) => attributeOf(el, attribute)).find((value) => value);
  const hasRole = role !== "generic" && !isPresentational(role);
  const text = name === "" && !testID && !field && !isSecret(el) && isSmall(el.ownerDocument) ? textOf(el) : "";
  const several: string[] = [];
  if (hasRole && name && hasTwin(el, role, name)) several.push("role");
  if (label && finds(el, { label }) === "several") several.push("label");
  if (testID && finds(el, { test_id: testID }) === "several") several.push("test_id");
  if (text && text.length <= MAX_TEXT && elementsWithText(el.ownerDocument, text).filter(isRendered).length !== 1) several.push("text");
  const own = testID && !several.includes("test_id");
  const named = (hasRole && name && !several.includes("role")) || (label && !several.includes("label"));
  const row = own ? undefined : rowOf(el, Boolean(named));
  const frame = frameOf(el);
  const selector = selectorOf(el);
  const kind = kindOf(el);
  return {
    tag: localNameOf(el),
    ...(kind && { kind }),
    ...(hasRole && { role }),
    ...(name && { name }),
    ...(label && { label }),
    ...(text && text.length <= MAX_TEXT && { text }),
    ...(testID && { test_id: testID }),
    ...(selector && { selector }),
    ...(frame.length > 0 && { frame }),
    ...(row && { row }),
    ...(several.length > 0 && { several }),
    ...(isSecret(el) && { secret: true }),
  };
}

// All the text of a page is read to find one in it.
const isSmall = (doc: Document): boolean => doc.getElementsByTagName("*").length <= MAX_ELEMENTS;

const isField = (el: Element): boolean => isInput(el) || isSelect(el) || isTextArea(el) || isEditable(el);

function kindOf(el: Element): string | undefined {
  if (isInput(el)) return el.type;
  if (isSelect(el)) return "select";
  if (isTextArea(el)) return "textarea";
  return editingHost(el) ? "rich_text" : undefined;
}

// The text of a label around a field has what stands in it: its name is what is left.
function labelOf(el: Element): string {
  const around = labelsOf(el).find((label) => !label.contains(el));
  const text = around ? textOf(around) : normalize(attributeOf(el, "aria-label") ?? "");
  return text.length <= MAX_TEXT ? text : "";
}

function finds(el: Element, locator: Record<string, unknown>): "it" | "several" | "others" {
  try {
    const found = locate(locator);
    const shown = found.filter(isRendered);
    const pool = shown.length > 0 ? shown : found;
    if (pool.length > 1) return "several";
    return pool[0] === el ? "it" : "others";
  } catch {
    return "others";
  }
}

/** Reports whether another element that is shown has the role and the name. */
function hasTwin(el: Element, role: string, name: string): boolean {
  const alike = queryAll(el.ownerDocument, `:is(${CSS.escape(localNameOf(el))}, [role="${CSS.escape(role)}"])`);
  return alike.slice(0, MAX_COMPARED).some((other) => other !== el && byName(withRole([other], role), name, undefined).length > 0 && isForReaders(other) && isRendered(other));
}

/**
 * The nearest item around the element that a text of its own tells from the others. What has a
 * name alone may be in the only item that a filter has left.
 */
function rowOf(el: Element, named: boolean): MetRow | undefined {
  let at = parentOf(el);
  for (let depth = 0; at && depth < MAX_ROW_DEPTH; depth++, at = parentOf(at)) {
    const item = at;
    if (named ? hasSiblings(item) || !item.matches(ITEMS) : !hasSiblings(item)) continue;
    for (const selector of selectorsOfItems(item)) {
      for (const text of textsOf(item)) {
        for (const inner of innerSelectors(el)) {
          if (finds(el, { selector, text_contains: text, retarget: { selector: inner } }) === "it") return { selector, text, inner };
        }
      }
    }
  }
  return undefined;
}

const hasSiblings = (item: Element): boolean =>
  [item.previousElementSibling, item.nextElementSibling].some((other) => other !== null && localNameOf(other) === localNameOf(item));

function selectorsOfItems(item: Element): string[] {
  const tag = CSS.escape(localNameOf(item));
  const role = attributeOf(item, "role");
  const list = ["li", "tr", "article"].includes(localNameOf(item)) ? [tag] : [];
  if (role) list.push(`[role="${CSS.escape(role)}"]`);
  const [first] = (attributeOf(item, "class") ?? "").split(/\s+/).filter(Boolean);
  if (first && list.length === 0) list.push(`${tag}.${CSS.escape(first)}`);
  return list;
}

// What names an item stands in it first, or as its heading; what stands in its fields is not read.
function* textsOf(item: Element): Generator<string> {
  const leading = item.querySelector("h1, h2, h3, h4, h5, h6, th, strong, b, [role=rowheader], [role=heading]");
  const cells = childElementsOf(item).filter((child) => !isField(child) && !child.querySelector("input, select, textarea, [contenteditable]"));
  const own = normalize([...item.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.nodeValue ?? "").join(" "));
  const texts = [leading ? textOf(leading) : "", own, ...cells.filter(isElement).map(textOf)];
  for (const text of new Set(texts)) if (text.length > 1 && text.length <= MAX_ROW_TEXT) yield text;
}

function innerSelectors(el: Element): string[] {
  const tag = CSS.escape(localNameOf(el));
  const named = ["name", "type", "aria-label", "title"].flatMap((name) => {
    const value = attributeOf(el, name);
    return value && value.length <= MAX_TEXT && !/["\\\p{Cc}]/u.test(value) ? [`${tag}[${name}="${value}"]`] : [];
  });
  const role = attributeOf(el, "role");
  return [tag, ...(role ? [`[role="${CSS.escape(role)}"]`] : []), ...named, `${tag}:first-of-type`, `${tag}:last-of-type`];
}

function frameOf(el: Element): MetFrame[] {
  const inside = framesTo(el);
  return inside === null ? [] : [...pathToHere(), ...inside.map((selector) => ({ selector }))];
}
