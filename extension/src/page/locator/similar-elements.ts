// Rule of this file: similar means of the same role and of a similar name. Only
// controls are searched, and only so many.

import { nameOf, roleOf } from "../dom/aria";
import { attributeOf } from "../dom/dom";
import { queryAll } from "../dom/selectors";
import { isRendered } from "../dom/visibility";

export interface SimilarElement {
  el: Element;
  role: string;
  name: string;
}

const CONTROLS = "a[href], button, input, select, textarea, summary, [role], [contenteditable], [tabindex]";
const MAX_SEARCHED = 3000;
const MAX_OFFERED = 6;

/** Returns at most six rendered controls, the most similar first. */
export function findSimilar(role: string, name: string): SimilarElement[] {
  const wanted = words(name);
  return best((candidate) => similarity(candidate, role, name, wanted));
}

/** Returns at most six rendered controls that have most of the selector's words in their attributes and name. */
export function findBySelector(selector: string): SimilarElement[] {
  const wanted = [...words(separated(selector))];
  return best(({ el, name }) => {
    const own = words(separated([name, ...IDENTIFIERS.map((attribute) => attributeOf(el, attribute) ?? "")].join(" ")));
    return wanted.filter((word) => own.has(word)).length;
  });
}

const IDENTIFIERS = ["id", "class", "name", "data-testid", "data-test", "placeholder", "title"];

// submitButton is two words.
const separated = (text: string): string => text.replace(/(\p{Ll})(?=\p{Lu})/gu, "$1 ").replaceAll("_", " ");

function best(scoreOf: (candidate: SimilarElement) => number): SimilarElement[] {
  const scored: { candidate: SimilarElement; score: number }[] = [];
  // One :is keeps document order: without it the buttons of a page of many links
  // would never be reached.
  for (const el of queryAll(document, `:is(${CONTROLS})`).slice(0, MAX_SEARCHED)) {
    if (!isRendered(el)) continue;
    const candidate = { el, role: roleOf(el), name: nameOf(el) };
    const score = scoreOf(candidate);
    if (score > 0) scored.push({ candidate, score });
  }
  // The sort is stable: among equals the order of the page stays.
  scored.sort((a, b) => b.score - a.score);
  return scored.slice(0, MAX_OFFERED).map(({ candidate }) => candidate);
}

// The same name outweighs the same role, and either is better than a shared word.
function similarity(candidate: SimilarElement, role: string, name: string, wanted: Set<string>): number {
  const sameRole = candidate.role === role ? 1 : 0;
  if (name && candidate.name === name) return 4 + sameRole;
  const shared = [...words(candidate.name)].filter((word) => wanted.has(word)).length;
  return sameRole + (wanted.size ? (2 * shared) / wanted.size : 0);
}

function words(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}
