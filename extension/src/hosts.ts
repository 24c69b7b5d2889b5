// Rule of this file: hosts are compared by whole labels, the same in the worker
// and in the page.

/** The form of an address with numbers, which has no domains. */
const NUMERIC = /^[\d.]+$|^\[/;

/** Reports whether the hostname is the wanted host or a subdomain of it. */
export function hostMatches(hostname: string, wanted: string): boolean {
  const want = wanted.trim().toLowerCase();
  if (hostname === want) return want !== "";
  return want !== "" && !NUMERIC.test(hostname) && hostname.endsWith(`.${want}`);
}
