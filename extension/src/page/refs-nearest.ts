// Rule of this file: nearest means of the same role and of a like name. The
// search is for a person who lost a control: over controls, and bounded.

import { nameOf, roleOf } from "./aria";
import { queryAll } from "./selectors";
import { isRendered } from "./visibility";

export interface Near {
  el: Element;
  role: string;
  name: string;
}

const CONTROLS = "a[href], button, input, select, textarea, summary, [role], [contenteditable], [tabindex]";
const MAX_SEARCHED = 3000;
const MAX_OFFERED = 6;

/** At most six shown controls, the likest first. */
export function nearestTo(role: string, name: string): Near[] {
  const wanted = words(name);
  const scored: { near: Near; score: number }[] = [];
  // One :is keeps the order of the document: without it a page of many links
  // would have no buttons.
  for (const el of queryAll(document, `:is(${CONTROLS})`).slice(0, MAX_SEARCHED)) {
    if (!isRendered(el)) continue;
    const near = { el, role: roleOf(el), name: nameOf(el) };
    const score = likeness(near, role, name, wanted);
    if (score > 0) scored.push({ near, score });
  }
  // The sort is stable: among equals the order of the page stays.
  scored.sort((a, b) => b.score - a.score);
  return scored.slice(0, MAX_OFFERED).map(({ near }) => near);
}

// The same name outweighs the same role, and either is better than a shared word.
function likeness(near: Near, role: string, name: string, wanted: Set<string>): number {
  const sameRole = near.role === role ? 1 : 0;
  if (name && near.name === name) return 4 + sameRole;
  const shared = [...words(near.name)].filter((word) => wanted.has(word)).length;
  return sameRole + (wanted.size ? (2 * shared) / wanted.size : 0);
}

function words(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}
