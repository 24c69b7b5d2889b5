// Rule of this file: a ref belongs to one document and to the route it showed.
// It returns the very element it was made for or fails; it never falls back to a
// similar one: those are only suggested.

import { PageError } from "../base/errors";
import { nameOf, withAriaCaches, roleOf } from "../dom/aria";
import { documentAround, isConnected } from "../dom/dom";
import { frameOf } from "../dom/viewport";
import { EnterFrame } from "../frames/enter-frame";
import { type SimilarElement, findBySelector, findSimilar } from "./similar-elements";

/** A ref with the role and the name of its element. */
export interface Suggestion {
  ref: string;
  role: string;
  name: string;
}

interface Entry {
  el: WeakRef<Element>;
  role: string;
  name: string;
  route: string;
}

/** More than the controls of a large page; beyond it the least recently used refs are forgotten. */
const MAX_REFS = 100_000;
const TOKEN_LENGTH = 3;
const REF_PATTERN = new RegExp(`^([a-z]{${TOKEN_LENGTH}})[0-9]{1,9}$`);

const refs = new WeakMap<Element, string>();
const entries = new Map<string, Entry>();
let last = 0;

const randomToken = (): string => String.fromCharCode(...[...crypto.getRandomValues(new Uint32Array(TOKEN_LENGTH))].map((n) => 97 + (n % 26)));

let token = randomToken();

/** Returns the letters of this script's refs, different from the taken ones unless it has made a ref already. */
export function tokenExcept(taken: readonly string[]): string {
  while (last === 0 && taken.includes(token)) token = randomToken();
  return token;
}

const shownNames = new WeakMap<Element, string>();

/** Records the name under which a snapshot shows the element. */
export function showAs(el: Element, name: string): void {
  shownNames.set(el, name);
}

/** The name under which the last snapshot showed the element, empty for none. */
export function shownNameOf(el: Element): string {
  return shownNames.get(el) ?? "";
}

/** Returns the ref of the element, the same each time. */
export function refOf(el: Element): string {
  return refFor(el, roleOf(el), nameOf(el));
}

/** Like refOf, for a caller that knows the role and the name. */
export function refFor(el: Element, role: string, name: string): string {
  const ref = refs.get(el) ?? `${token}${++last}`;
  const known = entries.get(ref);
  if (known) entries.delete(ref); // set again, an entry is the newest
  else refs.set(el, ref);
  entries.set(ref, { el: known?.el ?? new WeakRef(el), role, name, route: routeOf(documentAround(el)) });
  if (entries.size > MAX_REFS) forgetOldest();
  return ref;
}

function forgetOldest(): void {
  const [oldest] = entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
}

/**
 * Returns the element of the ref. Throws stale_ref where it is gone or of another route,
 * EnterFrame where another document made the ref.
 */
export function elementOfRef(ref: string): Element {
  const owner = REF_PATTERN.exec(ref)?.[1];
  if (owner === undefined) throw new PageError("invalid_arguments", `invalid ref ${ref}: page.snapshot returns three letters and a number`, { ref });
  if (owner !== token) throw EnterFrame.byToken(owner, ref);
  const entry = entries.get(ref);
  const el = entry?.el.deref();
  if (!entry || !el || !isInShownDocument(el)) throw stale(ref, "elementGone", "its element is gone", entry);
  if (entry.route !== routeOf(documentAround(el))) throw stale(ref, "routeChanged", "the page has changed its address since", entry);
  return el;
}

function stale(ref: string, reason: string, why: string, entry?: Entry): PageError {
  const nearest = entry ? suggest(entry.role, entry.name) : [];
  return new PageError("stale_ref", `the ref ${ref} is stale: ${why}`, { ref, reason, nearest });
}

/** Returns the elements most similar to the role and the name. */
export function suggest(role: string, name: string): Suggestion[] {
  return withAriaCaches(() => findSimilar(role, name).map(offer));
}

/** Returns the elements whose attributes and names share most words with the selector. */
export function suggestBySelector(selector: string): Suggestion[] {
  return withAriaCaches(() => findBySelector(selector).map(offer));
}

const offer = ({ el, role, name }: SimilarElement): Suggestion => ({ ref: refFor(el, role, name), role, name });

// An element of a document that its frame no longer shows is still connected to
// that document.
function isInShownDocument(el: Element): boolean {
  if (!isConnected(el)) return false;
  const doc = documentAround(el);
  if (doc === document) return true;
  const frame = frameOf(doc);
  return frame !== null && frame.contentDocument === doc && isInShownDocument(frame);
}

// A fragment only moves the view, except where the page keeps its route in it.
function routeOf(doc: Document): string {
  const url = doc.URL;
  if (url !== lastRoute.url) {
    const [address = "", fragment = ""] = url.split("#", 2);
    lastRoute = { url, route: /^[/!]/.test(fragment) ? `${address}#${fragment}` : address };
  }
  return lastRoute.route;
}

/** Thousands of refs of a snapshot have the same. */
let lastRoute = { url: "", route: "" };
