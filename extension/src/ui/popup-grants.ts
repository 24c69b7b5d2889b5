// Rule of this file: one line that says how many grants hold for the site of the
// current tab; where there are none it is not there. What they are and their end
// stand in the options page.

import { button, element, t } from "./text";
import { onClick } from "./user";

let origin = "";
let granted: Readonly<Record<string, number>> = {};

/** Offers the way to the options page. */
export function serveGrants(): void {
  onClick(button("show-grants"), () => chrome.runtime.openOptionsPage());
}

/** The current tab shows this address. */
export function showSite(url: string): void {
  // The host knows a name with and without its final dot as one.
  origin = URL.canParse(url) ? new URL(url).origin.replace(/\.(?=:\d+$|$)/, "") : "";
  draw();
}

/** So many hold, by origin. */
export function showGranted(now: Readonly<Record<string, number>>): void {
  granted = now;
  draw();
}

function draw(): void {
  const count = Object.hasOwn(granted, origin) ? granted[origin] : 0;
  element("tab-grants").hidden = !count;
  const words = count ? t("site_grants", [String(count)]) : "";
  if (element("tab-grants-count").textContent !== words) element("tab-grants-count").textContent = words;
}
