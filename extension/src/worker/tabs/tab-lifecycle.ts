// Rule of this file: tabs are opened and closed behind the user's back as little
// as possible: in the background unless the call asks otherwise, and a new tab
// is claimed only where the host passes on the user's setting, or where the page of a
// claimed tab opened it during a call.
// A tab is selected and its window raised only by the call that asks for it.

import type { Ping, TabActivate, TabClaimOpened, TabClose, TabOpen, TabOpenResult, TabUpdate } from "../../protocol";
import type { DebuggerOwner } from "../debugger/debugger";
import { withApiTimeout, withTimeout } from "../shared/async";
import { Fault, report, textOf } from "../shared/fault";
import { navigable, originOf } from "../shared/urls";
import type { Claims } from "./claims";
import type { Documents } from "./documents";
import type { Handover } from "./handover";
import { browserTab, describe, noSuchTab, tabOf } from "./tabs";

/** So many opened tabs are remembered for a claim. */
const MAX_OPENED = 50;

/** Opens and closes tabs. */
export class TabLifecycle {
  /** The tab whose page opened each tab. */
  private readonly openers = new Map<number, number>();

  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
    private readonly owner: DebuggerOwner,
    private readonly handover: Handover,
  ) {}

  /** Opens a tab; it is the user's until it is claimed. */
  async open(call: TabOpen): Promise<TabOpenResult> {
    const wanted: chrome.tabs.CreateProperties = { active: call.active };
    if (call.url !== undefined) wanted.url = navigable(call.url);
    if (call.window_id !== undefined) wanted.windowId = call.window_id;
    const limit = Date.now() + call.timeout_ms;
    const made = await create(wanted);
    const tab = { ...describe(made, this.documents), url: made.pendingUrl ?? made.url ?? wanted.url ?? "" };
    if (!call.claim) return { tab, claimed: false };
    try {
      await waitForFirstUrl(tab.tab_id, limit - Date.now());
      return { tab: await this.handover.claim(tab.tab_id), claimed: true };
    } catch (error) {
      // The tab is open all the same, and its id is what the caller needs.
      report(`The opened tab ${tab.tab_id} was not claimed`, error);
      return { tab, claimed: false };
    }
  }

  /** The page of a claimed tab has opened another tab. */
  onOpened(openerId: number, tabId: number): void {
    this.openers.set(tabId, openerId);
    for (const oldest of this.openers.keys()) if (this.openers.size > MAX_OPENED) this.openers.delete(oldest);
  }

  /** Claims a tab that the page of a claimed one has opened. */
  async claimOpened(call: TabClaimOpened): Promise<TabOpenResult> {
    const { tab_id: tabId, opener_tab_id: openerId, origin, timeout_ms } = call;
    this.claims.demand(openerId);
    if (this.openers.get(tabId) !== openerId) throw Fault.new("tab_not_claimed", `tab ${tabId} was not opened by tab ${openerId}`, { dispatched: "no" });
    this.openers.delete(tabId); // once
    await waitForFirstUrl(tabId, timeout_ms);
    const tab = await tabOf(tabId, this.documents);
    if (origin !== undefined && originOf(tab.url) !== origin) return { tab, claimed: false };
    return { tab: await this.handover.claim(tabId), claimed: true };
  }

  /** Closes the tab; its page may ask the user first, which the debugger reports. */
  async close({ tab_id: tabId, timeout_ms }: TabClose, signal: AbortSignal): Promise<Ping> {
    this.claims.demand(tabId);
    await this.owner.attachIfPossible(tabId);
    this.claims.demandStill(tabId, signal);
    try {
      await withTimeout(timeout_ms, "the closing of the tab", chrome.tabs.remove(tabId), "timeout");
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
    return await withApiTimeout("chrome.tabs.create", chrome.tabs.create(wanted));
  } catch (error) {
    throw error instanceof Fault ? error : Fault.new("handler_failed", textOf(error), { dispatched: "no" });
  }
}

// A window that a script opens shows an empty page before the first.
const isAddress = (url: string | undefined): boolean => url !== undefined && url !== "" && url !== "about:blank";

/** Waits until the tab has gone to its first address. */
async function waitForFirstUrl(tabId: number, ms: number): Promise<void> {
  let stop = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    const onUpdated = (id: number, change: { url?: string }): void => {
      if (id === tabId && isAddress(change.url)) resolve();
    };
    chrome.tabs.onUpdated.addListener(onUpdated);
    stop = () => chrome.tabs.onUpdated.removeListener(onUpdated);
  });
  try {
    // It may have arrived before the listener was added.
    if (isAddress((await browserTab(tabId)).url)) return;
    await withTimeout(Math.max(1, ms), "the opened page", arrived, "timeout");
  } finally {
    stop();
  }
}

/** Selects the claimed tab and raises its window. */
export async function activate(call: TabActivate, claims: Claims, documents: Documents): Promise<TabUpdate> {
  claims.demand(call.tab_id);
  try {
    const tab = await withApiTimeout("chrome.tabs.update", chrome.tabs.update(call.tab_id, { active: true }));
    if (tab) await withApiTimeout("chrome.windows.update", chrome.windows.update(tab.windowId, { focused: true }));
  } catch (error) {
    throw error instanceof Fault ? error : Fault.new("handler_failed", textOf(error), { dispatched: "unknown" });
  }
  return { tab: await tabOf(call.tab_id, documents) };
}
