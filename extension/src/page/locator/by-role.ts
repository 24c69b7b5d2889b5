// Rule of this file: what a snapshot prints as an element's role and name finds
// the element by them.

import { fullNameOf, mayHaveRole, roleOf, selectorOfRole, withAriaCaches } from "../dom/aria";
import { isDrawn, isHiddenForAria } from "../dom/accessible-name";
import { documentAround, isElement, parentElementOf } from "../dom/dom";
import { isExtensionElement } from "../dom/extension-elements";
import { normalize, textOf, visibleTextOf } from "../dom/read-text";
import { rootsIn } from "../dom/shadow";
import { shownNameOf } from "./refs";

/** Roles whose line holds their text, which stands for a name there. */
const LINES_OF_TEXT = new Set("article cell columnheader definition gridcell listitem row rowheader term treeitem".split(" "));

/** A snapshot cuts no name that is shorter. */
const MIN_CUT = 80;

const NAMED = "[aria-label], [aria-labelledby], [alt], [title], svg";

/** Those of the elements that have the role, also if a reader does not come to them. */
export function withRole(elements: Iterable<Element>, role: string): Element[] {
  const wanted = canonical(role);
  const found: Element[] = [];
  for (const el of elements) if (mayHaveRole(el, wanted) && roleOf(el) === wanted) found.push(el);
  return found;
}

/** Reports whether a reader comes to the element. */
export const isForReaders = (el: Element): boolean => !isExtensionElement(el) && !isHiddenForAria(el);

/** The elements of the document that may have the role, shadow trees included. */
export function* mayBeOfRole(doc: Document, role: string): Generator<Element> {
  const selector = selectorOfRole(canonical(role));
  // Right below a shadow root an element may have a role by its host's doing.
  for (const root of rootsIn(doc)) yield* root.querySelectorAll(root === doc ? selector : "*");
}

const canonical = (role: string): string => (role.toLowerCase() === "image" ? "img" : role.toLowerCase());

/** The elements with the name, or with a name that contains the other one in any case. */
export function byName(found: Element[], name: string | undefined, substring: string | undefined): Element[] {
  if (name === undefined && substring === undefined) return found;
  const whole = name === undefined ? undefined : normalize(name);
  const contained = normalize(substring ?? "").toLowerCase();
  const fits = (text: string): boolean => (whole === undefined || isCalled(text, whole)) && text.toLowerCase().includes(contained);
  return withAriaCaches(() => found.filter((el) => fits(fullNameOf(el)) || (fits(shownNameOf(el)) && isStillCalled(el, shownNameOf(el))) || isLineOf(el, fits)));
}

// The page may have made another one of the element since it was shown.
function isStillCalled(el: Element, shown: string): boolean {
  const present = new Set(textsIn(el).flatMap((text) => normalize(text).split(" ")));
  const words = shown.split(" ");
  const cut = isCut(shown) ? words.pop()?.slice(0, -1) : undefined;
  return words.every((word) => present.has(word)) && (cut === undefined || [...present].some((word) => word.startsWith(cut)));
}

// A name in a snapshot is made of these: of the texts as they are drawn, together or each by itself.
function textsIn(el: Element): string[] {
  const texts = [fullNameOf(el), visibleTextOf(el)];
  const walker = documentAround(el).createTreeWalker(el, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const around = isElement(node) ? node : parentElementOf(node);
    if (!around || !isDrawn(around)) continue;
    if (!isElement(node)) texts.push(node.nodeValue ?? "");
    else if (node.matches(NAMED)) texts.push(fullNameOf(node));
  }
  return texts;
}

const isCut = (name: string): boolean => name.length >= MIN_CUT && name.endsWith("…");

const isCalled = (text: string, name: string): boolean => text === name || (isCut(name) && text.startsWith(name.slice(0, -1)));

function isLineOf(el: Element, fits: (text: string) => boolean): boolean {
  if (!LINES_OF_TEXT.has(roleOf(el))) return false;
  return [textOf, visibleTextOf].some((read) => fits(read(el)));
}
