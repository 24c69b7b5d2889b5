// Rule: a scroll is instant and reports the new position. Zero distance and the end
// of the scroll range are successes with moved:false, not errors.

import { type Args, object, text } from "../base/args";
import { PageError } from "../base/errors";
import { isHTML, localNameOf, styleOf, viewOf } from "../dom/dom";
import { round } from "../dom/geometry";
import { labelOf } from "../dom/labels";
import { truncate, textOf } from "../dom/read-text";
import { isVisible } from "../dom/visibility";
import { resolveScope } from "../locator/scope";
import { nextFrame } from "../wait/schedule";

interface Position {
  scroll_x: number;
  scroll_y: number;
}

function delta(args: Args, name: string): number {
  const value = args[name];
  if (value === undefined) return 0;
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw new PageError("scroll_failed", `${name} must be a finite number`, { [name]: value ?? null });
  }
  return value;
}

const viewport = () => ({ width: innerWidth, height: innerHeight, scroll_x: round(scrollX), scroll_y: round(scrollY) });

/** viewport.scroll */
export async function scroll(args: Args): Promise<unknown> {
  const [left, top] = [delta(args, "delta_x"), delta(args, "delta_y")];
  const scope = object(args, "scope");
  const target = scope ? scrollable(resolveScope(scope, text(args, "item_selector")).root, Math.abs(left) > Math.abs(top)) : null;
  const kind = target ? "element" : "viewport";
  const view = viewport();
  const before = positionOf(target);
  (target ?? window).scrollBy({ left, top, behavior: "instant" });
  // Lazy lists fill in their rows at the next frame.
  await nextFrame();
  const after = positionOf(target);
  return {
    moved: before.scroll_x !== after.scroll_x || before.scroll_y !== after.scroll_y,
    target: kind,
    before,
    after,
    delta_x: left,
    delta_y: top,
    diagnostics: {
      viewport_before: view,
      viewport: viewport(),
      target_element: target && { tag_name: localNameOf(target), label: labelOf(target), text: truncate(textOf(target), 120), before, after },
      scroll_target: { kind, before, after },
    },
  };
}

function positionOf(target: Element | null): Position {
  if (!target) return { scroll_x: round(scrollX), scroll_y: round(scrollY) };
  return { scroll_x: round(target.scrollLeft), scroll_y: round(target.scrollTop) };
}

// The first visible descendant-or-self that overflows and scrolls on the axis.
// A scope that is the whole document is the viewport.
function scrollable(root: Element, horizontal: boolean): Element | null {
  if (root === document.body || root === document.documentElement) return null;
  for (const el of [root, ...root.querySelectorAll("*")]) {
    if (isHTML(el) && overflows(el, horizontal) && isVisible(el)) return el;
  }
  throw new PageError("target_not_scrollable", `nothing in ${labelOf(root)} scrolls ${horizontal ? "sideways" : "up or down"}`, {
    label: labelOf(root),
    axis: horizontal ? "x" : "y",
  });
}

function overflows(el: Element, horizontal: boolean): boolean {
  const room = horizontal ? el.scrollWidth - el.clientWidth : el.scrollHeight - el.clientHeight;
  if (room <= 0) return false;
  // The root of a frame's document scrolls whatever its overflow property is.
  if (el === viewOf(el).document.scrollingElement) return true;
  const style = styleOf(el);
  return /auto|scroll|overlay/.test(horizontal ? style.overflowX : style.overflowY);
}
