// Rule of this file: one line with the number of grants for the site of the
// current tab, hidden where there are none. The grants and the buttons that revoke
// them are in the options page.

import { button, element, t } from "../shared/text";
import { onClick } from "../shared/user";

let origin = "";
let granted: Readonly<Record<string, number>> = {};

/** Makes the button open the options page. */
export function serveGrants(): void {
  onClick(button("show-grants"), () => chrome.runtime.openOptionsPage());
}

/** Shows the grants for this address of the current tab. */
export function showSite(url: string): void {
  origin = URL.canParse(url) ? new URL(url).origin : "";
  draw();
}

/** Shows the numbers of grants, by origin. */
export function showGrantCounts(now: Readonly<Record<string, number>>): void {
  granted = now;
  draw();
}

function draw(): void {
  const count = Object.hasOwn(granted, origin) ? granted[origin] : 0;
  element("tab-grants").hidden = !count;
  const text = count ? t("site_grants", [String(count)]) : "";
  if (element("tab-grants-count").textContent !== text) element("tab-grants-count").textContent = text;
}
