// Rule of this file: the user chooses what agents may do, for all sites and for the one of
// the current tab. A choice for a site only takes away from what holds for all.

import type { HostSettings } from "../shared/host-client";
import { siteText } from "../../words";
import { element, t } from "../shared/text";

/** A change of the settings, by their names at the host. */
type Change = (changes: Record<string, unknown>) => Promise<void>;

let origin = "";
let settings: HostSettings | undefined;

/** Sends what the user chooses. */
export function serveModes(change: Change): void {
  for (const choice of ["act", "first", "ask"]) {
    element(`mode-${choice}`).addEventListener("change", () => void change(modeChange(choice)));
  }
  const site = element<HTMLSelectElement>("site-mode");
  site.addEventListener("change", () => {
    if (!settings) return;
    const { [origin]: _, ...sites } = settings.sites ?? {};
    void change({ sites: site.value === "" ? sites : { ...sites, [origin]: site.value } });
  });
}

/** An older host does not know that agents can ask first. */
function modeChange(choice: string): Record<string, unknown> {
  const mode = choice === "ask" ? "ask" : "act";
  return settings?.ask_first === undefined ? { mode } : { mode, ask_first: choice === "first" };
}

/** Shows the host's settings. */
export function showModes(now: HostSettings): void {
  settings = now;
  const chosen = now.mode === "act" && now.ask_first ? "first" : now.mode;
  element<HTMLInputElement>(`mode-${chosen}`).checked = true;
  draw();
}

/** Shows the choice for the site of the current tab. */
export function showModeOf(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  origin = parsed && /^https?:$/.test(parsed.protocol) ? parsed.origin : "";
  draw();
}

function draw(): void {
  const known = settings?.ask_first !== undefined;
  element("mode-first-label").hidden = !known;
  element("mode-site").hidden = !known || origin === "";
  const label = t("site_mode", [siteText(origin)]);
  if (element("site-mode-label").textContent !== label) element("site-mode-label").textContent = label;
  const choice = settings?.sites?.[origin] ?? "";
  const select = element<HTMLSelectElement>("site-mode");
  if (select.value !== choice) select.value = choice;
}
