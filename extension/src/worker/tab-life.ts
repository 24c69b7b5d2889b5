// Rule of this file: tabs are opened and closed behind the user's back as little
// as possible: in the background unless the call says otherwise, and a new tab
// is claimed only where the host passes on the user's setting, and only this one.

import type { Ping, TabClose, TabOpen, TabOpenResult } from "../protocol";
import { asked, within } from "./bounded";
import type { DebuggerOwner } from "./debugger";
import type { Claims } from "./claims";
import type { Documents } from "./documents";
import { Fault, report, textOf } from "./fault";
import type { Handover } from "./handover";
import { browserTab, describe, noSuchTab } from "./tabs";
import { navigable } from "./urls";

/** Opens and closes tabs. */
export class TabLife {
  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
    private readonly owner: DebuggerOwner,
    private readonly handover: Handover,
  ) {}

  /** Opens a tab; it is the user's until a claim says otherwise. */
  async open(call: TabOpen): Promise<TabOpenResult> {
    const wanted: chrome.tabs.CreateProperties = { active: call.active };
    if (call.url !== undefined) wanted.url = navigable(call.url);
    if (call.window_id !== undefined) wanted.windowId = call.window_id;
    const limit = Date.now() + call.timeout_ms;
    const made = await create(wanted);
    const tab = { ...describe(made, this.documents), url: made.pendingUrl ?? made.url ?? wanted.url ?? "" };
    if (!call.claim) return { tab, claimed: false };
    try {
      await arrival(tab.tab_id, limit - Date.now());
      return { tab: await this.handover.claim(tab.tab_id), claimed: true };
    } catch (error) {
      // The tab is open all the same, and its id is what the caller needs.
      report(`The opened tab ${tab.tab_id} was not claimed`, error);
      return { tab, claimed: false };
    }
  }

  /** Closes the tab; its page may ask the user first, which the debugger tells of. */
  async close({ tab_id: tabId, timeout_ms }: TabClose): Promise<Ping> {
    this.claims.demand(tabId);
    await this.owner.watch(tabId);
    try {
      await within(timeout_ms, "the closing of the tab", chrome.tabs.remove(tabId), "timeout");
    } catch (error) {
      if (error instanceof Fault) throw Fault.pass({ ...error.data, dispatched: "yes" });
      throw Fault.new(noSuchTab(error) ? "runtime_not_found" : "handler_failed", textOf(error), { dispatched: "no" });
    }
    await this.handover.release(tabId, "closed");
    return {};
  }
}

async function create(wanted: chrome.tabs.CreateProperties): Promise<chrome.tabs.Tab> {
  try {
    return await asked("chrome.tabs.create", chrome.tabs.create(wanted));
  } catch (error) {
    throw error instanceof Fault ? error : Fault.new("handler_failed", textOf(error), { dispatched: "no" });
  }
}

/** Waits until the tab has gone to its first address. */
async function arrival(tabId: number, ms: number): Promise<void> {
  let stop = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    const see = (id: number, change: { url?: string }): void => {
      if (id === tabId && change.url) resolve();
    };
    chrome.tabs.onUpdated.addListener(see);
    stop = () => chrome.tabs.onUpdated.removeListener(see);
  });
  try {
    // It may have arrived before anybody listened.
    if ((await browserTab(tabId)).url) return;
    await within(Math.max(1, ms), "the opened page", arrived, "timeout");
  } finally {
    stop();
  }
}
