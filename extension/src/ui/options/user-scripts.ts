// Rule of this file: it says what this browser wants before an extension may run scripts of its
// own in a page, and asks for what can be asked for. Without it code runs over the debugger.

import { button, element, t } from "../shared/text";
import { failure, onClick } from "../shared/user";

const PERMISSION = { permissions: ["userScripts"] } satisfies chrome.permissions.Permissions;

/** What the browser wants: nothing more, the permission, a switch of its own, or another version of itself. */
export type Wanted = "nothing" | "permission" | "details_switch" | "developer_mode" | "newer_browser";

/** Returns what is missing in a browser of the version. */
export function wanted(version: number, { granted, usable }: { granted: boolean; usable: boolean }): Wanted {
  if (version < 135) return "newer_browser"; // it cannot run a script at once
  if (!granted) return "permission";
  if (usable) return "nothing";
  return version >= 138 ? "details_switch" : "developer_mode";
}

/** Makes the notice about user scripts work. */
export function serveUserScripts(): void {
  onClick(button("user-scripts-allow"), async () => {
    element("user-scripts-wrong").textContent = "";
    try {
      await act();
    } catch (error) {
      element("user-scripts-wrong").textContent = failure(error);
    }
    await show();
  });
  for (const event of [chrome.permissions.onAdded, chrome.permissions.onRemoved]) event.addListener(() => void show());
  // The switches are on pages of the browser, from which the user comes back.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) void show();
  });
  void show();
}

async function state(): Promise<Wanted> {
  const version = Number(/Chrom(?:e|ium)\/(\d+)/.exec(navigator.userAgent)?.[1] ?? 0);
  const usable = (chrome as { userScripts?: { execute?: unknown } }).userScripts?.execute !== undefined;
  return wanted(version, { granted: await chrome.permissions.contains(PERMISSION), usable });
}

async function show(): Promise<void> {
  const missing = await state();
  element("user-scripts").textContent = t(`user_scripts_${missing}`);
  button("user-scripts-allow").hidden = missing === "nothing" || missing === "newer_browser";
}

/** Asks for the permission, or opens the page of the browser that has the switch. */
async function act(): Promise<void> {
  const missing = await state();
  if (missing === "permission") {
    if (!(await chrome.permissions.request(PERMISSION))) throw new Error(t("notify_refused"));
    return;
  }
  const page = missing === "developer_mode" ? "chrome://extensions" : `chrome://extensions/?id=${chrome.runtime.id}`;
  await chrome.tabs.create({ url: page });
}
