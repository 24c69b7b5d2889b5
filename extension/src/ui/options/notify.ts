// Rule of this file: the browser asks the user for the permission to notify when they tick
// the box, and the box shows what the browser says.

import { element, t } from "../shared/text";

const PERMISSION = { permissions: ["notifications"] } satisfies chrome.permissions.Permissions;

/** Makes the box for notifications work. */
export function serveNotifications(): void {
  const box = element<HTMLInputElement>("notify");
  box.addEventListener("change", ({ isTrusted }) => {
    if (isTrusted) void change(box.checked);
  });
  for (const event of [chrome.permissions.onAdded, chrome.permissions.onRemoved]) event.addListener(() => void show());
  void show();
}

async function change(on: boolean): Promise<void> {
  const wrong = element("notify-wrong");
  wrong.textContent = "";
  try {
    const done = on ? await chrome.permissions.request(PERMISSION) : await chrome.permissions.remove(PERMISSION);
    if (!done) wrong.textContent = t("notify_refused");
  } catch (error) {
    wrong.textContent = t("failed", [error instanceof Error ? error.message : String(error)]);
  }
  await show();
}

async function show(): Promise<void> {
  element<HTMLInputElement>("notify").checked = await chrome.permissions.contains(PERMISSION);
}
