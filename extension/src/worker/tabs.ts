// Rule of this file: one function turns a browser tab into the protocol's Tab,
// and the host hears of every change of a claimed one, each state once.

import type { Tab } from "../protocol";
import { asked } from "./bounded";
import type { Claims } from "./claims";
import type { Documents } from "./documents";
import { Fault, textOf } from "./fault";
import type { Link } from "./port";

/** The tab as the protocol sees it. */
export function describe(tab: chrome.tabs.Tab, documents: Documents): Tab {
  const tab_id = tab.id ?? chrome.tabs.TAB_ID_NONE;
  const runtime = documents.current(tab_id);
  const described: Tab = {
    tab_id,
    window_id: tab.windowId,
    url: tab.url ?? "",
    title: tab.title ?? "",
    active: tab.active,
    loading: tab.status === "loading",
  };
  if (runtime) described.runtime_id = runtime.id;
  return described;
}

/** Asks the browser for the tab; one that is gone is runtime_not_found. */
export async function browserTab(tabId: number): Promise<chrome.tabs.Tab> {
  try {
    return await asked("chrome.tabs.get", chrome.tabs.get(tabId));
  } catch (error) {
    if (!noSuchTab(error)) throw error;
    throw Fault.new("runtime_not_found", `tab ${tabId} is closed`, { dispatched: "no" });
  }
}

/** Looks the tab up and describes it. */
export async function tabOf(tabId: number, documents: Documents): Promise<Tab> {
  return describe(await browserTab(tabId), documents);
}

/** Whether Chrome says that there is no such tab (any longer). */
export function noSuchTab(error: unknown): boolean {
  return /no tab with (given )?id/i.test(textOf(error));
}

/** All claimed tabs that still exist. */
export async function tabsOf(claims: Claims, documents: Documents): Promise<Tab[]> {
  const open = await asked("chrome.tabs.query", chrome.tabs.query({}));
  return open.filter((tab) => tab.id !== undefined && claims.has(tab.id)).map((tab) => describe(tab, documents));
}

/** Tells the host what changes in claimed tabs. */
export class TabReports {
  private readonly last = new Map<number, string>();

  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
    private readonly link: Link,
  ) {}

  /** Reports the tab's state unless it is the one reported before. */
  private status(tab: chrome.tabs.Tab): void {
    if (tab.id === undefined || !this.claims.has(tab.id)) return;
    const described = describe(tab, this.documents);
    const text = JSON.stringify(described);
    if (this.last.get(tab.id) === text) return;
    this.last.set(tab.id, text);
    this.link.notify("runtime_status", { tab: described });
  }

  /** Looks the tab up first, as what an event carries may be older than the last report. */
  async changed(tabId: number): Promise<void> {
    if (!this.claims.has(tabId)) return;
    try {
      this.status(await browserTab(tabId));
    } catch (error) {
      // A closed tab is told by its own event.
      if (Fault.of(error).data.code !== "runtime_not_found") throw error;
    }
  }

  /** Selecting a tab also deselects another one, which no event names. */
  async activated(windowId: number): Promise<void> {
    for (const tab of await asked("chrome.tabs.query", chrome.tabs.query({ windowId }))) this.status(tab);
  }

  ready(tabId: number, runtimeId: string): void {
    this.link.notify("runtime_ready", { tab_id: tabId, runtime_id: runtimeId });
  }

  /** Must be called before anything forgets the document. */
  removed(tabId: number, runtimeId: string): void {
    this.link.notify("runtime_removed", { tab_id: tabId, runtime_id: runtimeId });
  }

  /** The tab is no longer claimed, or a new connection knows nothing yet. */
  forget(tabId?: number): void {
    if (tabId === undefined) this.last.clear();
    else this.last.delete(tabId);
  }
}
