// Rule: scroll only if needed, at most four times, and test again after each.
// First to the centre, where sticky headers and footers do not reach; if
// something still covers the target, past that thing by the shortest way.

import { ancestorsOf, styleOf, viewOf } from "../dom/dom";
import { type Box, center, round } from "../dom/geometry";
import { labelOf } from "../dom/labels";
import { ownBoxes } from "../dom/nested-items";
import { ownPlace, toTop, topViewport } from "../dom/viewport";
import type { Visibility } from "../dom/visibility";
import { refreshPlace, measureInTop } from "../frames/ancestors";
import { nextFrame } from "../wait/schedule";

const MAX_OPERATIONS = 4;
const PADDING = 8;

export interface ScrollOperation {
  target: string;
  delta_x: number;
  delta_y: number;
  reason: "off_screen" | "covered";
}

/** Scrolls until the element can be clicked or scrolling does not help. */
export async function scrollIntoView(el: Element): Promise<ScrollOperation[]> {
  const done: ScrollOperation[] = [];
  while (done.length < MAX_OPERATIONS) {
    const { visibility } = await measureInTop(el);
    const reason = reasonToScroll(visibility);
    if (!reason) break;
    const before = boxOf(el);
    const target = done.length === 0 ? toCenter(el) : pastOccluder(el, visibility);
    if (target === null) break;
    await nextFrame();
    await refreshPlace();
    const after = boxOf(el);
    const [delta_x, delta_y] = [round(before.left - after.left), round(before.top - after.top)];
    // In the centre already, or at the end of the page: scrolling past the occluder may still help.
    if (delta_x === 0 && delta_y === 0 && done.length > 0) break;
    done.push({ target, delta_x, delta_y, reason });
  }
  return done.filter((op) => op.delta_x !== 0 || op.delta_y !== 0);
}

// In the top viewport: the ancestor documents scroll too.
const boxOf = (el: Element): Box => toTop(el.getBoundingClientRect(), el.ownerDocument);

// Only what scrolling can fix: a disabled or transparent element stays so.
function reasonToScroll(v: Visibility): ScrollOperation["reason"] | null {
  if (v.blockers.includes("covered")) return v.occluded_by && coversViewport(v.occluded_by.rect) ? null : "covered";
  return v.blockers.includes("off_screen") ? "off_screen" : null;
}

// Under a backdrop every point of the page is covered.
const coversViewport = (rect: Box): boolean =>
  rect.left <= 0 && rect.top <= 0 && rect.right >= widthBesideScrollbar() && rect.bottom >= topViewport().height;

// A backdrop does not cover the scroll bar.
const widthBesideScrollbar = (): number => ownPlace()?.viewport.width ?? document.documentElement.clientWidth;

function toCenter(el: Element): string {
  el.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  const [own] = ownBoxes(el);
  if (!own) return nameOf(scroller(el, 0));
  // The middle of a long branch lies among the items nested in it.
  const dy = center(own).y - center(el.getBoundingClientRect()).y;
  const by = scroller(el, Math.sign(dy));
  scrollBy(by, el, dy);
  return nameOf(by);
}

function scrollBy(by: Element | "viewport", el: Element, top: number): void {
  (by === "viewport" ? viewOf(el) : by).scrollBy({ top, behavior: "instant" });
}

// The shortest vertical way that clears the occluder and keeps the target in
// the viewport.
function pastOccluder(el: Element, v: Visibility): string | null {
  const over = v.occluded_by?.rect;
  if (!over) return null;
  const box = v.bounding_box;
  const distances = [over.bottom - box.top + PADDING, over.top - box.bottom - PADDING]
    .filter((dy) => box.top + dy >= 0 && box.bottom + dy <= topViewport().height)
    .sort((a, b) => Math.abs(a) - Math.abs(b));
  for (const dy of distances) {
    const by = scroller(el, -dy);
    scrollBy(by, el, -dy);
    return nameOf(by);
  }
  return null;
}

// The nearest ancestor that scrolls and has room for the distance, else the window.
function scroller(el: Element, dy: number): Element | "viewport" {
  for (const at of ancestorsOf(el)) {
    if (at === el || at === at.ownerDocument.body || at === at.ownerDocument.documentElement) continue;
    if (!/auto|scroll|overlay/.test(styleOf(at).overflowY) || at.scrollHeight <= at.clientHeight) continue;
    const room = dy < 0 ? at.scrollTop : at.scrollHeight - at.clientHeight - at.scrollTop;
    if (dy === 0 || room >= Math.abs(dy)) return at;
  }
  return "viewport";
}

const nameOf = (by: Element | "viewport"): string => (by === "viewport" ? by : labelOf(by));
