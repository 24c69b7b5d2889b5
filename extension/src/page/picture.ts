// Rule: a picture of an element needs its box in the top viewport, and the
// element in view as far as it fits: what an inner scroller hides is not drawn.

import { measureThrough } from "./above";
import type { Args } from "./args";
import type { Rect } from "./geometry";
import { locateForReading, locatorOf } from "./locate";
import { frame } from "./settle";

/** locator.box */
export async function box(args: Args): Promise<{ box: Rect }> {
  const { el } = locateForReading(locatorOf(args, "locator"));
  let { visibility } = await measureThrough(el);
  if (!visibility.fully_visible) {
    el.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    await frame();
    ({ visibility } = await measureThrough(el));
  }
  return { box: visibility.bounding_box };
}
