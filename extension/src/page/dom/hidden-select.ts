// Rule of this file: a page that draws its own select may keep a native one for its form,
// or an input for its keys, where nobody sees it. What is drawn beside it is what a person
// uses.

import { ancestorsOf, childElementsOf, composedContains, isInput, isSelect, parentElementOf, styleOf } from "./dom";
import { deepElementAt } from "./hit-test";
import { queryAll } from "./selectors";
import { isRendered, isShown, visibleCenter } from "./visibility";

/** No more than this is drawn of what is hidden but must not be display:none. */
const MAX_HIDDEN_SIDE = 2;

/** A field is hidden by itself, or by a wrapper or two of its own. */
const MAX_WRAPPERS = 3;

const DRAWN = ":is(button, [role=combobox], [role=listbox], [aria-haspopup], [tabindex])";
const OPENERS = ":is([role=combobox], [aria-haspopup=listbox], [aria-haspopup=menu], [aria-haspopup=tree], [aria-haspopup=true])";

/** Reports whether a control is drawn in place of the field. */
export const hasDrawnTwin = (field: Element): boolean => drawnTwins(field).length > 0;

/** Returns what says that it opens a list, of what is drawn in place of the field. */
export function openersBeside(field: Element): Element[] {
  const openers = drawnTwins(field).flatMap((twin) => queryAll(twin, OPENERS)).filter(isSeen);
  return openers.filter((opener) => !openers.some((other) => other !== opener && composedContains(other, opener)));
}

function drawnTwins(field: Element): Element[] {
  const root = hiddenRoot(field);
  const parent = root && parentElementOf(root);
  const twins = (parent ? childElementsOf(parent) : []).filter((other) => other !== root && queryAll(other, DRAWN).some((control) => !isSelect(control) && isSeen(control)));
  // A transparent one that lies over its picture takes the press itself.
  return root && (isClipped(root) || !isRendered(root)) ? twins : twins.filter(takesPress);
}

// The outermost element that hides the field and no other.
function hiddenRoot(field: Element): Element | undefined {
  let [root, steps]: [Element | undefined, number] = [undefined, 0];
  for (const at of ancestorsOf(field)) {
    if (steps++ > MAX_WRAPPERS || at === at.ownerDocument.body || (at !== field && queryAll(at, field.localName).length > 1)) break;
    if (isClipped(at) || (at === field && (styleOf(at).opacity === "0" || styleOf(at).display === "none"))) root = at;
  }
  return root;
}

// Nothing is seen of a field without a size, nor of what a wrapper without one clips.
function isClipped(el: Element): boolean {
  const { width, height } = el.getBoundingClientRect();
  if (isSelect(el) || isInput(el)) return Math.min(width, height) <= MAX_HIDDEN_SIDE;
  if (Math.max(width, height) > MAX_HIDDEN_SIDE) return false;
  const { display, overflowX, position } = styleOf(el);
  return display !== "none" && overflowX !== "visible" && position !== "static";
}

function isSeen(el: Element): boolean {
  const { width, height } = el.getBoundingClientRect();
  if (width <= MAX_HIDDEN_SIDE || height <= MAX_HIDDEN_SIDE || !isShown(el)) return false;
  return ![...ancestorsOf(el)].some(isClipped);
}

function takesPress(twin: Element): boolean {
  const middle = visibleCenter(twin);
  const hit = middle && deepElementAt(middle)?.element;
  return !!hit && twin.contains(hit);
}
