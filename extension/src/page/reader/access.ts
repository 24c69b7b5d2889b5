// Rule of this file: only what can be seen in the document is said: a status that the
// browser has, a wall that is drawn, a login in place of a text. "full" means that
// nothing of the kind is there, not that nothing is missing.

import { composedContains } from "../dom/dom";
import { normalize, textOf } from "../dom/read-text";
import type { Article } from "./article";

type AccessState = "full" | "paywall" | "login_required" | "consent" | "error" | "empty";

/** A text of this length is no notice. */
const LONG_TEXT = 1500;

const WALLS = /(^|[-_\s])(paywall|regwall|paygate|paymeter|subscriber-only|subscription-wall|piano-offer|tp-modal)/i;
const CONSENT_IDS = "#onetrust-consent-sdk, #onetrust-banner-sdk, #CybotCookiebotDialog, #didomi-host, #usercentrics-root, #qc-cmp2-container, .fc-consent-root, .truste_overlay, [id^=sp_message_container]";
const CONSENT_WORDS = /cookie|consent|gdpr|einwilligung|zustimm|datenschutz|consentement|consentimiento|privacidad|consenso|toestemming|zgod|согласи|クッキー|同意|쿠키|동의/i;

export function accessOf(doc: Document, article: Article): { access_state: AccessState; status?: number } {
  const status = statusOf(doc);
  const access_state = stateOf(doc, article, status);
  return { access_state, ...(status >= 400 && { status }) };
}

function stateOf(doc: Document, { text, source }: Article, status: number): AccessState {
  if (status === 401 || status === 407) return "login_required";
  if (status === 402) return "paywall";
  if (isCovered(doc)) return "consent";
  if (hasWall(doc)) return "paywall";
  if (status >= 400) return "error";
  if (source !== "readability" && text.length < LONG_TEXT && isDrawn(doc.querySelector("input[type=password]"))) return "login_required";
  return text === "" ? "empty" : "full";
}

/** The status of the document's own request; 0 where the browser does not tell it. */
function statusOf(doc: Document): number {
  const [entry] = doc.defaultView?.performance.getEntriesByType("navigation") ?? [];
  return (entry as PerformanceNavigationTiming | undefined)?.responseStatus ?? 0;
}

const isDrawn = (el: Element | null): boolean => el?.checkVisibility({ visibilityProperty: true, opacityProperty: true }) === true && el.getBoundingClientRect().height > 0;

/** Reports whether a question for consent lies over the middle of the page: a strip at its edge bars nothing. */
function isCovered(doc: Document): boolean {
  const at = doc.elementFromPoint(innerWidth / 2, innerHeight / 2);
  if (!at) return false;
  if (at.closest(CONSENT_IDS)) return true;
  const dialog = at.closest("dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]");
  return dialog !== null && CONSENT_WORDS.test(normalize(dialog.textContent ?? "").slice(0, 3000));
}

/** Reports whether a wall is drawn, or what the page itself declares as not free is not. */
function hasWall(doc: Document): boolean {
  const named = [...doc.querySelectorAll("[class*=wall i], [id*=wall i], [class*=paygate i], [class*=subscri i], [class*=piano i], [class*=tp-modal i], [class*=paymeter i]")];
  const locked = lockedSelectors(doc).map((selector) => queryAll(doc, selector));
  const holdsLocked = (el: Element): boolean => locked.some((matches) => matches?.some((match) => composedContains(el, match)));
  if (named.some((el) => WALLS.test(`${el.id} ${el.getAttribute("class") ?? ""}`) && isDrawn(el) && isNotice(el, doc) && !holdsLocked(el))) return true;
  return locked.length > 0 && !locked.some((matches) => !matches || matches.some(isDrawn));
}

/** Reports whether the element is not the page, or an article, of which its class only says that it is not free. */
function isNotice(el: Element, doc: Document): boolean {
  const { length } = textOf(el);
  return length > 0 && length < LONG_TEXT && el !== doc.documentElement && el !== doc.body;
}

/** The selectors of the parts that the page's structured data declares as not free. */
function lockedSelectors(doc: Document): string[] {
  const found: string[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (depth > 6 || typeof value !== "object" || value === null) return;
    const { isAccessibleForFree: free, cssSelector } = value as { isAccessibleForFree?: unknown; cssSelector?: unknown };
    const isLocked = free === false || (typeof free === "string" && free.toLowerCase() === "false");
    if (isLocked) found.push(...[cssSelector].flat().filter((selector) => typeof selector === "string"));
    for (const inner of Object.values(value)) visit(inner, depth + 1);
  };
  for (const script of [...doc.querySelectorAll("script[type='application/ld+json']")].slice(0, 20)) {
    try {
      visit(JSON.parse(script.textContent ?? ""), 0);
    } catch {
      // The page's own data is broken: it declares nothing.
    }
  }
  return found;
}

/** Undefined where it is no selector: nothing is known of what it means. */
function queryAll(doc: Document, selector: string): Element[] | undefined {
  try {
    return [...doc.querySelectorAll(selector)];
  } catch {
    return undefined;
  }
}
