// Rule: a locator that matches several elements is reported, not resolved by
// chance: the first visible one is primary and the others are listed beside it. A
// point is reported only where a click there really hits the element.

import { type Args, flag } from "../base/args";
import { PageError } from "../base/errors";
import { isButton, isHTML, isInput, isSelect, isTextArea, localNameOf } from "../dom/dom";
import { isEditable } from "../dom/editable";
import type { Rect } from "../dom/geometry";
import { labelOf } from "../dom/labels";
import { truncate, normalize, textOf, textOrLabel } from "../dom/read-text";
import { isSecret, lengthClass, secretIn } from "../dom/secrets";
import { isRendered, isVisible } from "../dom/visibility";
import { type Measured, measureInTop, measureManyInTop } from "../frames/ancestors";
import { type Context, nextFrame } from "../wait/schedule";
import { hiddenTarget, locate, locateForReading, locatorOf, noTarget } from "./locate";
import { noteMet } from "./met";
import { scrollIntoView } from "./scroll-into-view";

const MAX_CANDIDATES = 10;

function describe(el: Element, { visibility, point }: Measured) {
  return {
    tag_name: localNameOf(el),
    text: truncate(textOf(el), 240),
    label: labelOf(el),
    bounding_box: visibility.bounding_box,
    clickable: visibility.clickable,
    clickable_center: point,
    visibility,
  };
}

/** locator.element_info */
export async function elementInfo(args: Args): Promise<unknown> {
  const locator = locatorOf(args, "locator");
  const found = locate(locator);
  if (found.length === 0) throw noTarget(locator);
  const rendered = found.filter(isRendered);
  if (rendered.length === 0) throw hiddenTarget(locator, found);
  const visible = rendered.filter(isVisible);
  const pool = visible.length > 0 ? visible : rendered;
  const primary = pool[0] as Element;
  const initial = (await measureInTop(primary)).visibility;
  const operations = flag(args, "auto_scroll", true) ? await scrollIntoView(primary) : [];
  if (!primary.isConnected) throw new PageError("target_not_found", "the target was removed while it was scrolled into view", { locator });
  const candidates = pool.slice(0, MAX_CANDIDATES);
  const measured = await measureManyInTop([primary, ...candidates]);
  const info = describe(primary, measured(primary));
  if (!info.clickable_center) {
    const evidence = { locator, label: info.label, initial_visibility: initial, visibility: info.visibility, scroll_operations_performed: operations };
    throw new PageError("target_not_actionable", `${info.label} cannot be clicked: ${info.visibility.blockers.join(", ")}`, evidence);
  }
  return {
    locator,
    ...info,
    ambiguous: pool.length > 1,
    candidate_count: pool.length,
    match_count: found.length,
    candidates: candidates.map((el) => describe(el, measured(el))),
    initial_visibility: initial,
    scroll_operations_performed: operations,
  };
}

/** locator.text_content */
export function textContent(args: Args, ctx: Context): unknown {
  const locator = locatorOf(args, "locator");
  const { el, visible } = locateForReading(locator);
  noteMet(ctx, el);
  return { locator, text: textOrLabel(el), visible };
}

/** locator.value */
export function value(args: Args, ctx: Context): unknown {
  const locator = locatorOf(args, "locator");
  const { el, visible } = locateForReading(locator);
  noteMet(ctx, el);
  const common = { locator, tag_name: localNameOf(el), visible };
  if (isSecret(el)) return { ...common, value: null, settable: isEditable(el), redacted: true, length_class: lengthClass(secretIn(el).length) };
  if (isInput(el) && (el.type === "checkbox" || el.type === "radio")) return { ...common, value: el.value, settable: false, checked: el.checked };
  if (isInput(el) || isTextArea(el)) return { ...common, value: el.value, settable: isEditable(el) };
  if (isSelect(el) || isButton(el)) return { ...common, value: el.value, settable: false };
  if (isHTML(el) && el.isContentEditable) return { ...common, value: normalize(textOf(el)), settable: false };
  return { ...common, value: null, settable: false };
}

/**
 * locator.box. What an inner scroller hides is not drawn, so the element is
 * brought into view as far as it fits.
 */
export async function box(args: Args): Promise<{ box: Rect }> {
  const { el } = locateForReading(locatorOf(args, "locator"));
  let { visibility } = await measureInTop(el);
  if (!visibility.fully_visible) {
    el.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    await nextFrame();
    ({ visibility } = await measureInTop(el));
  }
  return { box: visibility.bounding_box };
}
