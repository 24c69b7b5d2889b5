// Rule of this file: the outline of a page is what its sections say of
// themselves: a heading, how much stands in them, and where. All rendered
// sections are listed, on screen or not, and the whole number is told.

import { type Args, number, text } from "./args";
import { enterFrames, frameOfArgs } from "./frame-path";
import { round } from "./geometry";
import { cut, normalize, textOf, textOrLabel } from "./read-text";
import { containsText } from "./scope";
import { queryAll } from "./selectors";
import { isRendered, isVisible } from "./visibility";

const SECTIONS = "section, [role='region']";
const HEADINGS = "h1, h2, h3, h4, h5, h6, [role='heading'], [aria-label]";

/** Controls of carousels, which stand behind the heading's text. */
const TRAILING = /\s*\b(Forward|Back|See more)\b.*$/s;

const MAX_TEXT = 240;

/** dom.list_sections */
export function listSections(args: Args): unknown {
  const max = number(args, "max_sections", 100, 1, 500);
  const part = text(args, "text_contains");
  const doc = enterFrames(frameOfArgs(args));
  const found = queryAll(doc, text(args, "selector") ?? SECTIONS).filter((el) => isRendered(el) && containsText(el, part));
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
    tag_name: el.localName,
    heading: headingOf(el, text(args, "heading_selector") ?? HEADINGS, number(args, "max_heading_length", 120, 12, 500)),
    text: cut(textOf(el), MAX_TEXT),
    scroll_y: round(rect.top + view.scrollY),
    top: round(rect.top),
    bottom: round(rect.bottom),
    height: round(rect.height),
    // What only touches the edge of the viewport shows nothing.
    visible: rect.bottom > 0 && rect.top < view.innerHeight && isVisible(el),
    item_count: items === undefined ? 0 : queryAll(el, items).filter((item) => item !== el).length,
  };
}

// The section itself comes first where it matches, as by its own label; a text
// too long to be a heading is none.
function headingOf(section: Element, selector: string, max: number): string {
  const found = queryAll(section, selector);
  const candidates = found.includes(section) ? [section, ...found] : found;
  for (const el of candidates) {
    const words = normalize(el.getAttribute("aria-label") ?? "") || textOrLabel(el);
    if (words && words.length <= max) return words;
  }
  return cut(textOf(section).replace(TRAILING, ""), max);
}
