// Rule of this file: a list that the page draws is open if its opener says so, or names or
// holds it. Its options are those of that list, else what is shown since it was opened:
// what was shown before is of other widgets, unless it is laid over the page right beside
// an opener that is open. Some pages keep the named options apart from the drawn rows.

import { ancestorsOf, composedClosest, composedContains, isInput, styleOf } from "../dom/dom";
import { queryAll } from "../dom/selectors";
import { isRendered, isShown } from "../dom/visibility";

const LIST_OPTIONS = ":is([role=option], option)";
const OPTIONS = `:is(${LIST_OPTIONS}, [role=menuitem], [role=menuitemradio], [role=menuitemcheckbox], [role=treeitem])`;
export const LISTS = ":is([role=listbox], [role=menu], [role=tree])";

/** A list that a page lays over itself lies this near to its opener, which may be a part of a control. */
const MAX_POPUP_GAP = 24;

/** What around an element may be the one that opens its list: not the row or the branch that it is in. */
const AROUND = ":is([role=combobox], [role=button], [aria-haspopup], button)";

/** The lists and options that were shown before the list was opened. */
const shownBefore = new WeakMap<Element, Set<Element>>();

/** Those that an earlier call found to be of the element; they may still fade away as the next one begins. */
const own = new WeakMap<Element, Set<Element>>();

/** Reports whether the element's list is open; what is shown now is not of a list that is opened later. */
export function beginList(el: Element): boolean {
  shownBefore.delete(el);
  const open = isOpen(el);
  if (!open) {
    const shown = [...shownOptions(el), ...queryAll(el.ownerDocument, `:is(${OPTIONS}, ${LISTS})`).filter(isDrawn)];
    shownBefore.set(el, new Set(shown.filter((other) => !isAmong(own.get(el), other))));
  }
  return open;
}

/** Remembers what was found to be of the element. */
export function keepOptions(el: Element, options: Element[]): void {
  own.set(el, new Set(options.flatMap((option) => [option, composedClosest(option, LISTS) ?? option])));
}

function isAmong(known: Set<Element> | undefined, option: Element): boolean {
  const list = composedClosest(option, LISTS);
  return known !== undefined && (known.has(option) || (list !== null && known.has(list)));
}

/** Reports whether a person sees the element's list. */
export function isOpen(el: Element): boolean {
  const expanded = expandedOf(el);
  if (expanded === "false") return false;
  if (isList(el)) return true;
  return expanded === "true" ? shownOptions(el).length > 0 : optionsIn([...listsOf(el), el]).some(isDrawn);
}

/** Reports whether the opener says that the list is open. */
export const isExpanded = (el: Element): boolean => expandedOf(el) === "true";

// The items of a list that is a tree have such states, too.
const expandedOf = (el: Element): string | null => (isList(el) ? el : openerWith(el, "[aria-expanded]"))?.getAttribute("aria-expanded") ?? null;

const isList = (el: Element): boolean => el.matches(LISTS) && !isInput(el) && !el.hasAttribute("aria-haspopup");

function openerWith(el: Element, attributes: string): Element | null {
  if (el.matches(attributes)) return el;
  return composedClosest(el, `${AROUND}:is(${attributes})`) ?? el.querySelector(attributes);
}

/** Returns the options that a person sees. */
export function shownOptions(el: Element): Element[] {
  const isOther = (option: Element): boolean => shownBefore.get(el)?.has(option) ?? false;
  const lists = listsOf(el);
  const listed = optionsIn(lists);
  const drawn = listed.filter(isDrawn);
  // A list that is shown empty gets its options yet.
  if (drawn.length > 0 || (listed.length === 0 && lists.some((list) => list.matches(LISTS) && isDrawn(list)))) return drawn;
  if (listed.length > 0) return lists.flatMap((list) => rowsBeside(list, el)).filter((row) => !isOther(row));
  const held = optionsIn([el]).filter((option) => isDrawn(option) && !isOther(option));
  return held.length > 0 ? held : untiedOptions(el);
}

// The options that nothing ties to the opener. Of a list that is open already nobody knows
// where it came from: it must be the only one.
function untiedOptions(el: Element): Element[] {
  const before = shownBefore.get(el);
  const drawn = queryAll(el.ownerDocument, OPTIONS).filter(isDrawn);
  if (before) return drawn.filter((option) => !isAmong(before, option) && (isOfKind(el, option) || composedClosest(option, LISTS) !== null));
  const known = drawn.filter((option) => isAmong(own.get(el), option));
  const fitting = known.length > 0 ? known : drawn.filter((option) => isOfKind(el, option));
  if (isOneList(fitting)) return fitting;
  const beside = isExpanded(el) ? fitting.filter((option) => isPopupOf(el, option)) : [];
  return isOneList(beside) ? beside : [];
}

const isOneList = (options: Element[]): boolean => new Set(options.map((option) => composedClosest(option, LISTS))).size <= 1;

// Laid over the page right below or above the opener.
function isPopupOf(el: Element, option: Element): boolean {
  for (const around of ancestorsOf(option)) {
    if (composedContains(around, el)) return false;
    if (!["absolute", "fixed"].includes(styleOf(around).position)) continue;
    const [popup, opener] = [around.getBoundingClientRect(), el.getBoundingClientRect()];
    const gap = Math.min(Math.abs(popup.top - opener.bottom), Math.abs(opener.top - popup.bottom));
    if (gap <= MAX_POPUP_GAP && popup.left < opener.right && popup.right > opener.left) return true;
  }
  return false;
}

/** Reports whether options are drawn in the element. */
export const holdsOptions = (el: Element): boolean => optionsIn([el]).some(isDrawn);

// As they are drawn: the options of a list may be in slots.
function optionsIn(around: Element[]): Element[] {
  const [first] = around;
  if (!first) return [];
  return queryAll(first.ownerDocument, OPTIONS).filter((option) => around.some((each) => each !== option && composedContains(each, option)));
}

// The lists that the element is, is in or controls.
function listsOf(el: Element): Element[] {
  const around = isList(el) ? el : composedClosest(el, "[role=listbox]");
  const opener = openerWith(el, "[aria-controls], [aria-owns]");
  const ids = [opener?.getAttribute("aria-controls"), opener?.getAttribute("aria-owns")].join(" ").split(/\s+/).filter(Boolean);
  const root = (opener ?? el).getRootNode() as Document | ShadowRoot;
  const controlled = ids.map((id) => root.getElementById(id)).filter((list) => list !== null);
  return [...(around && isList(around) ? [around] : []), ...controlled];
}

// What opens a list of options opens a tree or a menu only if that comes as a whole.
function isOfKind(el: Element, option: Element): boolean {
  if (option.matches(LIST_OPTIONS)) return true;
  const opener = openerWith(el, "[aria-haspopup], [role=combobox]");
  const popup = opener?.getAttribute("aria-haspopup");
  return popup ? popup !== "listbox" : opener === null;
}

const isDrawn = (el: Element): boolean => isRendered(el) && isShown(el);

// The rows that the page draws beside a list that only screen readers find: they say
// that they can be selected, or show a hand.
function rowsBeside(list: Element, owner: Element): Element[] {
  for (let around = list.parentElement; around && around !== around.ownerDocument.body && !composedContains(around, owner); around = around.parentElement) {
    const drawn = queryAll(around, "*").filter(isDrawn);
    const rows = drawn.filter((el) => el.matches("[aria-selected]:not([role=option])"));
    if (rows.length > 0) return rows;
    const pressable = drawn.filter((el) => showsHand(el) && !(el.parentElement && showsHand(el.parentElement)));
    if (pressable.length > 0) return pressable;
  }
  return [];
}

const showsHand = (el: Element): boolean => styleOf(el).cursor === "pointer";
