// Rule of this file: the one place where a tab is selected and a window raised,
// because the call asks for exactly that. Nothing is injected again.

import type { TabActivate, TabUpdate } from "../protocol";
import { asked } from "./bounded";
import type { Claims } from "./claims";
import type { Documents } from "./documents";
import { Fault, textOf } from "./fault";
import { tabOf } from "./tabs";

/** Selects the claimed tab and raises its window. */
export async function activate(call: TabActivate, claims: Claims, documents: Documents): Promise<TabUpdate> {
  claims.demand(call.tab_id);
  try {
    const tab = await asked("chrome.tabs.update", chrome.tabs.update(call.tab_id, { active: true }));
    if (tab) await asked("chrome.windows.update", chrome.windows.update(tab.windowId, { focused: true }));
  } catch (error) {
    throw error instanceof Fault ? error : Fault.new("handler_failed", textOf(error), { dispatched: "unknown" });
  }
  return { tab: await tabOf(call.tab_id, documents) };
}
