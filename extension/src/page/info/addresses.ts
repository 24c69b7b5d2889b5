// Rule of this file: an address stands in the page where its document, open and closed shadow trees
// included, names it as a link, a form's action, or something to load, or has loaded it. The fragment
// makes no other address; a query does.

import { rootsIn } from "../dom/shadow";

const ATTRIBUTES = ["href", "src", "action", "formaction", "data", "poster", "cite"] as const;
const SELECTOR = [...ATTRIBUTES, "srcset"].map((name) => `[${name}]`).join(",");

/** Reports whether the address stands in the document. */
export function standsInPage(url: URL): boolean {
  const wanted = withoutFragment(url.href);
  if (withoutFragment(document.URL) === wanted) return true;
  if (performance.getEntriesByType("resource").some(({ name }) => withoutFragment(name) === wanted)) return true;
  for (const root of rootsIn(document)) {
    for (const element of root.querySelectorAll(SELECTOR)) {
      if (addressesOf(element).some((address) => resolved(address) === wanted)) return true;
    }
  }
  return false;
}

function addressesOf(element: Element): string[] {
  const named = ATTRIBUTES.map((name) => element.getAttribute(name)).filter((value) => value !== null);
  const candidates = (element.getAttribute("srcset") ?? "").split(/\s*,\s+|\s+[\d.]+[wx]\s*,?\s*/);
  return [...named, ...candidates.filter((candidate) => candidate !== "")];
}

function resolved(address: string): string {
  return URL.canParse(address, document.baseURI) ? withoutFragment(new URL(address, document.baseURI).href) : "";
}

const withoutFragment = (address: string): string => address.split("#", 1)[0] ?? "";
