// Rule of this file: pure functions over addresses: where a content script can
// run at all, and where a tab may be sent.

import { Fault } from "./fault";

/** Sites that browsers close to extensions, by host and start of the path. */
const closed: readonly (readonly [host: string, path: string])[] = [
  ["chromewebstore.google.com", "/"],
  ["chrome.google.com", "/webstore"],
  ["microsoftedge.microsoft.com", "/addons"],
  ["addons.opera.com", "/"],
];

/** Reports whether no content script can run on the address. */
export function restricted(url: string): boolean {
  const at = parse(url);
  if (!at || !["http:", "https:", "file:"].includes(at.protocol)) return true;
  return closed.some(([host, path]) => at.hostname === host && at.pathname.startsWith(path));
}

/** Returns the address in its normal form; throws unless a tab may be sent to it. */
export function navigable(url: string): string {
  const at = parse(url);
  if (!at) throw Fault.new("unsafe_url", "the address cannot be read", { dispatched: "no" });
  if (at.protocol !== "http:" && at.protocol !== "https:") {
    throw Fault.new("unsafe_url", `addresses of the kind ${at.protocol} cannot be opened`, { dispatched: "no" });
  }
  return at.href;
}

/** Reports whether going from one address to the other leaves the document in place: only the fragment is new. */
export function sameDocument(from: string, to: string): boolean {
  return to.includes("#") && from.split("#", 1)[0] === to.split("#", 1)[0];
}

/** Returns the origin of an address: scheme, host and port. */
export function originOf(url: string): string {
  return parse(url)?.origin ?? "null";
}

/** Returns the host of an address for display; empty where it has none, or a meaningless one as browser pages do. */
export function hostOf(url: string): string {
  const at = parse(url);
  return at && /^https?:$/.test(at.protocol) ? at.host : "";
}

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}
