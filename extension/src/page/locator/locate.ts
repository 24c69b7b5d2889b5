// Rule: every primitive that names elements comes through here, so that a
// locator means the same everywhere: candidates by selector, XPath or role,
// then the filters on text and name, then retarget, then nth, then strict.

import { type Args, flag, isObject, requiredText, number, object, text } from "../base/args";
import { type Evidence, PageError } from "../base/errors";
import { withAriaCaches } from "../dom/aria";
import { composedClosest, parentOf } from "../dom/dom";
import { isDrawnTwice } from "../dom/drawn-twice";
import { labelOf } from "../dom/labels";
import { truncate, normalize, textOf } from "../dom/read-text";
import { safeAttribute } from "../dom/secrets";
import { queryAll, queryEngine } from "../dom/selectors";
import { isRendered, isVisible, visibleCenter } from "../dom/visibility";
import { enterFrames, frameOfArgs } from "../frames/path";
import { byName, isForReaders, mayBeOfRole, withRole } from "./by-role";
import { elementOfRef, refOf } from "./refs";
import { elementsWithText } from "./text-search";

/** The candidates of a locator without selector, XPath and role. */
const DEFAULT_CANDIDATES = "button, a, input, textarea, select, [role], [aria-label], [data-testid], [data-test], [data-actions-json-target]";

/** What else may have a name, where no such candidate has it. */
const OTHER_NAMED = "area, details, dialog, fieldset, figure, form, h1, h2, h3, h4, h5, h6, iframe, img, li, option, section, summary, svg, table, td, th, tr, [contenteditable], [tabindex], [title]";

export const TEST_IDS = ["data-testid", "data-test-id", "data-test"];

/** At most this many matches are described in an error. */
const MAX_CANDIDATES = 6;

/** Returns all matches in their order; an empty list is not an error here. */
export function locate(locator: Args): Element[] {
  const found = resolveLocator(locator);
  return flag(locator, "strict", false) ? requireSingle(locator, found) : found;
}

/**
 * Returns the one element that an acting primitive acts on. Several matches are
 * an error unless the locator has strict:false; then a visible one is preferred.
 */
export function locateOne(locator: Args): Element {
  const found = resolveLocator(locator);
  const pool = flag(locator, "strict", true) ? requireSingle(locator, found) : found;
  const el = pool.find(isVisible) ?? pool.find(isRendered) ?? pool[0];
  if (!el) throw noTarget(locator);
  return el;
}

/** Returns the element that is named as a target: by a locator, or by a CSS selector, whose first visible match counts. */
export function targetOf(args: Args): Element {
  return locateOne(typeof args.target === "string" ? { selector: args.target, strict: false } : locatorOf(args, "target"));
}

// Of several matches a single rendered one wins, and of a control drawn twice the inner element.
function requireSingle(locator: Args, found: Element[]): Element[] {
  if (found.length <= 1) return found;
  const rendered = found.filter(isRendered);
  if (rendered.length === 1) return rendered;
  const [outer, inner] = rendered;
  if (rendered.length === 2 && outer && inner && isDrawnTwice(outer, inner)) return [inner];
  throw multipleTargets(locator, found);
}

function resolveLocator(locator: Args): Element[] {
  const lightOnly = !flag(locator, "shadow", true);
  const inScope = (el: Element): boolean => !lightOnly || el.getRootNode() === el.ownerDocument;
  let found = withAriaCaches(() => candidates(locator, inScope));
  const retarget = object(locator, "retarget");
  if (retarget) found = retargeted(found, retarget).filter(inScope);
  const nth = locator.nth === undefined ? undefined : Math.trunc(number(locator, "nth", 0, -1e9, 1e9));
  return nth === undefined ? found : found.slice(nth, nth === -1 ? undefined : nth + 1);
}

function candidates(locator: Args, inScope: (el: Element) => boolean): Element[] {
  const ref = text(locator, "ref");
  const frame = frameOfArgs(locator);
  // A ref leads to its document by itself; a frame beside it must be that one.
  const byRef = ref === undefined || frame ? undefined : elementOfRef(ref);
  const doc = byRef?.ownerDocument ?? enterFrames(frame);
  let found = byRef && [byRef];
  if (ref !== undefined && !found) found = [elementOfRef(ref)].filter((el) => el.ownerDocument === doc);
  const narrow = (by: string, query: (value: string) => Element[]): void => {
    const value = text(locator, by);
    if (value !== undefined) found = intersection(found, query(value));
  };
  narrow("xpath", (xpath) => byXPath(doc, xpath));
  narrow("selector", (selector) => queryAll(doc, selector));
  const role = text(locator, "role");
  if (role !== undefined) found = withRole(found ?? mayBeOfRole(doc, role), role);
  narrow("label", (label) => byLabel(doc, label));
  narrow("placeholder", (value) => queryEngine(doc, (engine) => engine.queryAllByPlaceholder(value, { exact: true }, doc)));
  narrow("test_id", (id) => byTestID(doc, id));
  const name = text(locator, "name");
  const substring = text(locator, "name_contains");
  let fitting = filterByText(byName((found ?? queryAll(doc, DEFAULT_CANDIDATES)).filter(inScope), name, substring), locator);
  // Last, since it is slow for each.
  if (role !== undefined) fitting = fitting.filter(isForReaders);
  if (found || fitting.length > 0) return fitting;
  const named = name !== undefined || substring !== undefined;
  return (named ? filterByText(byName(queryAll(doc, `:is(${OTHER_NAMED})`), name, substring), locator) : byText(doc, locator)).filter(inScope);
}

// A text that no control and no label has may be anywhere else.
function byText(doc: Document, locator: Args): Element[] {
  const [wanted] = ["text_equals", "text", "text_contains"].map((key) => text(locator, key)).filter((value) => value !== undefined);
  return wanted === undefined ? [] : filterByText(elementsWithText(doc, normalize(wanted)), locator);
}

// To ivya the options of a select, or the first text of a textarea, are part of
// the text of a label around it; the accessible name leaves them out.
function byLabel(doc: Document, label: string): Element[] {
  const found = queryEngine(doc, (engine) => engine.queryAllByLabelText(label, { exact: true }, doc));
  const inLabels = byName(queryAll(doc, "label :is(select, textarea)"), label, undefined);
  return inLabels.length === 0 ? found : [...new Set([...found, ...inLabels])];
}

// One :is keeps the order of the document.
function byTestID(doc: Document, id: string): Element[] {
  const marked = queryAll(doc, `:is(${TEST_IDS.map((name) => `[${name}]`).join()})`);
  return marked.filter((el) => TEST_IDS.some((name) => el.getAttribute(name) === id));
}

/** The elements in both lists; without a first list the second. */
export function intersection(a: Element[] | undefined, b: Element[]): Element[] {
  if (!a) return b;
  const set = new Set(b);
  return a.filter((el) => set.has(el));
}

/** The elements that the XPath selects from the root; other nodes are left out. */
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

function filterByText(found: Element[], locator: Args): Element[] {
  const substrings = [text(locator, "text"), text(locator, "text_contains")].filter((p) => p !== undefined).map(normalize);
  const equals = text(locator, "text_equals");
  if (substrings.length === 0 && equals === undefined) return found;
  const want = equals === undefined ? undefined : normalize(equals);
  return found.filter((el) => {
    const pieces = [textOf(el), ...["aria-label", "title", "value"].map((name) => normalize(safeAttribute(el, name) ?? ""))];
    const whole = normalize(pieces.join(" "));
    return substrings.every((substring) => whole.includes(substring)) && (want === undefined || whole === want || pieces.includes(want));
  });
}

function retargeted(found: Element[], retarget: Args): Element[] {
  const selector = requiredText(retarget, "selector");
  const closest = text(retarget, "closest");
  if (!selector.trim()) return [];
  const union = new Set<Element>();
  for (const identity of found) {
    const from = closest === undefined ? identity : closestMatch(identity, closest);
    if (from) for (const el of queryAll(from, selector)) union.add(el);
  }
  return [...union];
}

/** The closest ancestor that matches, the element itself included. */
export function closestMatch(el: Element, selector: string): Element | null {
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

/** The error for matches of which none has a box: existence and visibility are different errors. */
export function hiddenTarget(locator: Args, found: Element[]): PageError {
  const message = `${found.length} matched, none is rendered`;
  return new PageError("target_not_visible", message, { locator, match_count: found.length, candidates: summarize(found) });
}

function multipleTargets(locator: Args, found: Element[]): PageError {
  const message = `${found.length} elements match a strict locator`;
  return new PageError("multiple_targets", message, { locator, match_count: found.length, candidates: summarize(found) });
}

function summarize(found: Element[]): Evidence[] {
  return found.slice(0, MAX_CANDIDATES).map((el) => {
    const above = landmark(el);
    const center = visibleCenter(el);
    return {
      ref: refOf(el),
      label: labelOf(el),
      text: truncate(textOf(el), 80),
      rendered: isRendered(el),
      ...(above && { ancestor: labelOf(above), ancestor_text: truncate(textOf(above), 80) }),
      ...(center && { center }),
    };
  });
}

// The nearest ancestor that distinguishes a candidate from similar ones: its row,
// item, form, dialog or another named element.
function landmark(el: Element): Element | null {
  const parent = parentOf(el);
  const at = parent && composedClosest(parent, "li, tr, form, fieldset, dialog, article, section, nav, header, footer, [role], [id], [aria-label]");
  return at === el.ownerDocument.body ? null : at;
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
