// Rule of this file: a branch of a tree, or an item of a menu, may contain the
// items below it, which are no part of it: a press on one of those is theirs.

import { ancestorsOf, childrenOf, isElement } from "./dom";
import { isDrawnTwice } from "./drawn-twice";
import { type Box, area, bounds, intersect } from "./geometry";

/** Items that may contain others, and what the others stand in. */
const NESTINGS = [
  { items: "[role=treeitem i]", groups: ":is([role=group i], [role=tree i])" },
  { items: ":is([role=menuitem i], [role=menuitemcheckbox i], [role=menuitemradio i])", groups: ":is([role=group i], [role=menu i])" },
];

type Nesting = (typeof NESTINGS)[number];

const matches = (el: Element, selector: string): boolean => Element.prototype.matches.call(el, selector);

const nestingOf = (el: Element): Nesting | undefined => NESTINGS.find(({ items }) => matches(el, items));

// A group of an item's own buttons is a part of it, and so is the same item once more.
function isNested(item: Element, el: Element, { items, groups }: Nesting): boolean {
  return (matches(el, items) && !isDrawnTwice(item, el)) || (matches(el, groups) && Element.prototype.querySelector.call(el, items) !== null);
}

/** Reports whether what the pointer hits is the element or in it, and of no item within it. */
export function takesHit(el: Element, hit: Element | null): boolean {
  const nesting = nestingOf(el);
  for (const at of ancestorsOf(hit)) {
    if (at === el) return true;
    if (nesting && isNested(el, at, nesting)) return false;
  }
  return false;
}

/** The boxes of an item around the items nested in it, the one above them first; none where nothing is nested. */
export function ownBoxes(el: Element): Box[] {
  const nesting = nestingOf(el);
  if (!nesting) return [];
  const { own, nested } = splitBoxes(el, el, nesting);
  const inner = bounds(nested);
  if (!inner) return [];
  const whole = el.getBoundingClientRect();
  const { left, top, right, bottom } = whole;
  const around = [{ left, top, right, bottom: inner.top }, { left, top, right: inner.left, bottom }, { left: inner.right, top, right, bottom }, { left, top: inner.bottom, right, bottom }];
  return around.flatMap((side) => {
    const room = intersect(side, whole);
    const drawn = room && bounds(own.map((box) => intersect(box, room)).filter((box) => box !== null));
    return drawn ? [drawn] : [];
  });
}

function splitBoxes(item: Element, el: Element, nesting: Nesting): { own: Box[]; nested: Box[] } {
  const boxes: { own: Box[]; nested: Box[] } = { own: [], nested: [] };
  for (const child of childrenOf(el)) {
    if (!isElement(child)) {
      if (child.nodeType === Node.TEXT_NODE) boxes.own.push(...textBoxes(child));
      continue;
    }
    const box = child.getBoundingClientRect();
    if (isNested(item, child, nesting)) boxes.nested.push(box);
    else {
      const inner = splitBoxes(item, child, nesting);
      boxes.nested.push(...inner.nested);
      boxes.own.push(...(inner.nested.length === 0 && area(box) > 0 ? [box] : inner.own));
    }
  }
  boxes.nested = boxes.nested.filter((box) => area(box) > 0);
  return boxes;
}

function textBoxes(text: Node): DOMRect[] {
  const range = (text.ownerDocument as Document).createRange();
  range.selectNodeContents(text);
  return [...range.getClientRects()];
}
