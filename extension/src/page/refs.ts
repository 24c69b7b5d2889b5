// Rule of this file: a ref belongs to one document and to the route it showed.
// It gives back the very element it was made for or fails; it never falls to
// another that looks alike: those are only offered.

import { nameOf, readingNames, roleOf } from "./aria";
import { EnterFrame } from "./enter-frame";
import { PageError } from "./errors";
import { frameOf } from "./frames";
import { nearestTo } from "./refs-nearest";

/** A ref with what it names. */
export interface Offer {
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

/** More than the controls of a large page; beyond it the refs not used for longest are forgotten. */
const MAX_REFS = 20_000;
const LETTERS = 3;
const FORM = new RegExp(`^([a-z]{${LETTERS}})[0-9]{1,9}$`);

const refs = new WeakMap<Element, string>();
const entries = new Map<string, Entry>();
let last = 0;

const randomToken = (): string => String.fromCharCode(...[...crypto.getRandomValues(new Uint32Array(LETTERS))].map((n) => 97 + (n % 26)));

let token = randomToken();

/** Names this content script in its refs; other letters than the taken ones, unless a ref has been given. */
export function tokenBeside(taken: readonly string[]): string {
  while (last === 0 && taken.includes(token)) token = randomToken();
  return token;
}

/** The ref of the element, the same each time. */
export function refOf(el: Element): string {
  return readingNames((enter) => {
    enter(el.ownerDocument);
    return refAs(el, roleOf(el), nameOf(el));
  });
}

/** refOf for a caller that knows the role and the name. */
export function refAs(el: Element, role: string, name: string): string {
  const ref = refs.get(el) ?? `${token}${++last}`;
  refs.set(el, ref);
  entries.delete(ref); // set anew, an entry is the youngest
  entries.set(ref, { el: new WeakRef(el), role, name, route: routeOf(el.ownerDocument) });
  const [oldest] = entries.keys();
  if (entries.size > MAX_REFS && oldest !== undefined) entries.delete(oldest);
  return ref;
}

/** The element of the ref; stale_ref where it is gone or of another route, EnterFrame where another document gave the ref. */
export function elementOfRef(ref: string): Element {
  const owner = FORM.exec(ref)?.[1];
  if (owner === undefined) throw new PageError("invalid_arguments", `${ref} is no ref: page.snapshot gives three letters and a number`, { ref });
  if (owner !== token) throw EnterFrame.byToken(owner, ref);
  const entry = entries.get(ref);
  const el = entry?.el.deref();
  if (!entry || !el || !isShown(el)) throw stale(ref, "elementGone", "its element is gone", entry);
  if (entry.route !== routeOf(el.ownerDocument)) throw stale(ref, "routeChanged", "the page has changed its address since", entry);
  return el;
}

function stale(ref: string, reason: string, why: string, entry?: Entry): PageError {
  const nearest = entry ? offer(entry.role, entry.name) : [];
  return new PageError("stale_ref", `the ref ${ref} is stale: ${why}`, { ref, reason, nearest });
}

/** What comes nearest to the role and the name now. */
export function offer(role: string, name: string): Offer[] {
  return readingNames(() => nearestTo(role, name).map((near) => ({ ref: refAs(near.el, near.role, near.name), role: near.role, name: near.name })));
}

// An element of a document that its frame no longer shows is still connected to
// that document.
function isShown(el: Element): boolean {
  if (!el.isConnected) return false;
  const doc = el.ownerDocument;
  if (doc === document) return true;
  const frame = frameOf(doc);
  return frame !== null && frame.contentDocument === doc && isShown(frame);
}

// A fragment only moves the view, except where the page keeps its route in it.
function routeOf(doc: Document): string {
  const [address = "", fragment = ""] = doc.URL.split("#", 2);
  return /^[/!]/.test(fragment) ? `${address}#${fragment}` : address;
}
