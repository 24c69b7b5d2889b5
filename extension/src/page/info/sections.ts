// Rule of this file: the outline of a page is a list of its sections: heading, item
// count and position. All rendered sections are listed, on screen or not, and the
// total number is reported.

import { type Args, number, text } from "../base/args";
import { localNameOf } from "../dom/dom";
import { round } from "../dom/geometry";
import { truncate, normalize, textOf, textOrLabel } from "../dom/read-text";
import { queryAll } from "../dom/selectors";
import { isRendered, isVisible } from "../dom/visibility";
import { enterFrames, frameOfArgs } from "../frames/path";
import { containsText } from "../locator/scope";

const SECTIONS = "section, [role='region']";
const HEADINGS = "h1, h2, h3, h4, h5, h6, [role='heading'], [aria-label]";

/** Controls of carousels, which follow the heading's text. */
const TRAILING = /\s*\b(Forward|Back|See more)\b.*$/s;

const MAX_TEXT = 240;

/** dom.list_sections */
export function listSections(args: Args): unknown {
  const max = number(args, "max_sections", 100, 1, 500);
  const substring = text(args, "text_contains");
  const doc = enterFrames(frameOfArgs(args));
  const found = queryAll(doc, text(args, "selector") ?? SECTIONS).filter((el) => isRendered(el) && containsText(el, substring));
  const view = doc.defaultView ?? window;
  const sections = found.slice(0, max).map((el, index) => ({ index, ...describe(el, args, view) }));
  return {
    sections,
    section_count: sections.length,
    total_count: found.length,
    truncated: found.length > sections.length,
    scroll_y: round(view.scrollY),
    viewport_height: view.innerHeight,
    url: doc.URL,
  };
}

function describe(el: Element, args: Args, view: Window) {
  const rect = el.getBoundingClientRect();
  const items = text(args, "item_selector");
  return {
    tag_name: localNameOf(el),
    heading: headingOf(el, text(args, "heading_selector") ?? HEADINGS, number(args, "max_heading_length", 120, 12, 500)),
    text: truncate(textOf(el), MAX_TEXT),
    scroll_y: round(rect.top + view.scrollY),
    top: round(rect.top),
    bottom: round(rect.bottom),
    height: round(rect.height),
    // A section that only touches the edge of the viewport is not visible.
    visible: rect.bottom > 0 && rect.top < view.innerHeight && isVisible(el),
    item_count: items === undefined ? 0 : queryAll(el, items).filter((item) => item !== el).length,
  };
}

// The section itself comes first where it matches, as by its own label; a text
// too long for a heading is skipped.
function headingOf(section: Element, selector: string, max: number): string {
  const found = queryAll(section, selector);
  const candidates = found.includes(section) ? [section, ...found] : found;
  for (const el of candidates) {
    const heading = normalize(el.getAttribute("aria-label") ?? "") || textOrLabel(el);
    if (heading && heading.length <= max) return heading;
  }
  return truncate(textOf(section).replace(TRAILING, ""), max);
}
