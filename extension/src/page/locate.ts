// Rule: every primitive that names elements comes through here, so that a
// locator means the same everywhere: candidates by selector, XPath or role,
// then the filters on text and name, then retarget, then nth, then strict.

import { beginAriaCaches, endAriaCaches, getElementAccessibleName } from "ivya/utils";
import { type Args, flag, isObject, needText, number, object, text, texts } from "./args";
import { composedClosest } from "./dom";
import { type Evidence, PageError } from "./errors";
import { enterFrames } from "./frames";
import { labelOf } from "./labels";
import { cut, normalize, textOf } from "./read-text";
import { safeAttribute } from "./secrets";
import { ivya, queryAll } from "./selectors";
import { isRendered, isVisible } from "./visibility";

/** What a locator without selector, XPath and role chooses from. */
const CONTROLS = "button, a, input, textarea, select, [role], [aria-label], [data-testid], [data-test], [data-actions-json-target]";

/** The frame argument: one selector or several. */
export function frameOfArgs(args: Args): string | string[] | undefined {
  return typeof args.frame === "string" ? args.frame : texts(args, "frame");
}

/** All matches in their order; an empty list is no error here. */
export function locate(locator: Args): Element[] {
  const doc = enterFrames(frameOfArgs(locator));
  let found = candidates(doc, locator);
  found = filterByText(found, locator);
  const retarget = object(locator, "retarget");
  if (retarget) found = retargeted(found, retarget);
  const nth = locator.nth === undefined ? undefined : Math.trunc(number(locator, "nth", 0, -1e9, 1e9));
  if (nth !== undefined) found = found.slice(nth, nth === -1 ? undefined : nth + 1);
  if (flag(locator, "strict", false) && found.length > 1) throw severalTargets(locator, found);
  return found;
}

function candidates(doc: Document, locator: Args): Element[] {
  const selector = text(locator, "selector");
  const xpath = text(locator, "xpath");
  const role = text(locator, "role");
  let found: Element[] | undefined;
  if (xpath !== undefined) found = byXPath(doc, xpath);
  if (selector !== undefined) found = common(found, queryAll(doc, selector));
  // Hidden elements have no role for a reader, so ivya leaves them out.
  if (role !== undefined) found = common(found, ivya().queryAllByRole(role, {}, doc));
  found ??= queryAll(doc, CONTROLS);
  const name = text(locator, "name");
  return name === undefined ? found : byName(found, name);
}

/** What is in both; without a first list the second. */
export function common(a: Element[] | undefined, b: Element[]): Element[] {
  if (!a) return b;
  const set = new Set(b);
  return a.filter((el) => set.has(el));
}

/** The elements that the XPath selects from the root; what else it selects is left out. */
export function byXPath(root: Document | Element, xpath: string): Element[] {
  const found: Element[] = [];
  const doc = root.nodeType === Node.DOCUMENT_NODE ? (root as Document) : (root as Element).ownerDocument;
  try {
    const nodes = doc.evaluate(xpath, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
    for (let i = 0; i < nodes.snapshotLength; i++) {
      const node = nodes.snapshotItem(i);
      if (node?.nodeType === Node.ELEMENT_NODE) found.push(node as Element);
    }
  } catch {
    throw new PageError("invalid_selector", `not a valid XPath to elements: ${xpath}`, { xpath });
  }
  return found;
}

function byName(found: Element[], name: string): Element[] {
  const want = normalize(name);
  beginAriaCaches();
  try {
    return found.filter((el) => normalize(getElementAccessibleName(el, false)) === want);
  } finally {
    endAriaCaches();
  }
}

function filterByText(found: Element[], locator: Args): Element[] {
  const parts = [text(locator, "text"), text(locator, "text_contains")].filter((p) => p !== undefined).map(normalize);
  const equals = text(locator, "text_equals");
  if (parts.length === 0 && equals === undefined) return found;
  const want = equals === undefined ? undefined : normalize(equals);
  return found.filter((el) => {
    const pieces = [textOf(el), ...["aria-label", "title", "value"].map((name) => normalize(safeAttribute(el, name) ?? ""))];
    const whole = normalize(pieces.join(" "));
    return parts.every((part) => whole.includes(part)) && (want === undefined || whole === want || pieces.includes(want));
  });
}

function retargeted(found: Element[], retarget: Args): Element[] {
  const selector = needText(retarget, "selector");
  const closest = text(retarget, "closest");
  if (!selector.trim()) return [];
  const union = new Set<Element>();
  for (const identity of found) {
    const from = closest === undefined ? identity : climb(identity, closest);
    if (from) for (const el of queryAll(from, selector)) union.add(el);
  }
  return [...union];
}

/** The closest ancestor that matches, the element itself included. */
export function climb(el: Element, selector: string): Element | null {
  try {
    return composedClosest(el, selector);
  } catch {
    throw new PageError("invalid_selector", `not a valid CSS selector: ${selector}`, { selector });
  }
}

/** The locator of the arguments; a CSS string stands for {selector}. */
export function locatorOf(args: Args, name: string): Args {
  const value = args[name];
  if (typeof value === "string") return { selector: value };
  if (!isObject(value)) throw new PageError("invalid_arguments", `${name} must be a locator`, { argument: name });
  return value;
}

export function noTarget(locator: Args, more?: Evidence): PageError {
  return new PageError("target_not_found", "nothing matches the locator", { locator, match_count: 0, ...more });
}

/** Something matches but nothing of it has a box: existence and visibility are told apart. */
export function hiddenTarget(locator: Args, found: Element[]): PageError {
  const message = `${found.length} matched, none is rendered`;
  return new PageError("target_not_visible", message, { locator, match_count: found.length, candidates: briefly(found) });
}

function severalTargets(locator: Args, found: Element[]): PageError {
  const message = `${found.length} elements match a strict locator`;
  return new PageError("multiple_targets", message, { locator, match_count: found.length, candidates: briefly(found) });
}

function briefly(found: Element[]): Evidence[] {
  return found.slice(0, 6).map((el) => ({ label: labelOf(el), text: cut(textOf(el), 80), rendered: isRendered(el) }));
}

/** The match to read: the first visible one, else the first rendered one. */
export function locateForReading(locator: Args): { el: Element; visible: boolean } {
  const found = locate(locator);
  if (found.length === 0) throw noTarget(locator);
  const seen = found.find(isVisible);
  const el = seen ?? found.find(isRendered);
  if (!el) throw hiddenTarget(locator, found);
  return { el, visible: seen !== undefined };
}
