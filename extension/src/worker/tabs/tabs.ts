// Rule of this file: one function turns a browser tab into the protocol's Tab,
// and every change of a claimed one is reported to the host, each state once.

import type { Tab } from "../../protocol";
import type { Link } from "../connection/link";
import { coalesced, withApiTimeout } from "../shared/async";
import { Fault, report, textOf } from "../shared/fault";
import type { Claims } from "./claims";
import type { Documents } from "./documents";

/** Returns the tab in the form of the protocol. */
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
    return await withApiTimeout("chrome.tabs.get", chrome.tabs.get(tabId));
  } catch (error) {
    if (!noSuchTab(error)) throw error;
    throw Fault.new("runtime_not_found", `tab ${tabId} is closed`, { dispatched: "no" });
  }
}

/** Looks the tab up and describes it. */
export async function tabOf(tabId: number, documents: Documents): Promise<Tab> {
  return describe(await browserTab(tabId), documents);
}

/** Reports whether Chrome's error means that there is no such tab (any longer). */
export function noSuchTab(error: unknown): boolean {
  return /no tab with (given )?id/i.test(textOf(error));
}

/** Returns all claimed tabs that still exist. */
export async function tabsOf(claims: Claims, documents: Documents): Promise<Tab[]> {
  const open = await withApiTimeout("chrome.tabs.query", chrome.tabs.query({}));
  return open.filter((tab) => tab.id !== undefined && claims.has(tab.id)).map((tab) => describe(tab, documents));
}

/** How often at most a tab's title is reported. */
const TITLE_INTERVAL_MS = 100;

/** Reports changes of claimed tabs to the host. */
export class TabReports {
  private readonly last = new Map<number, string>();
  /** Tabs whose title was reported within the interval, and whether it has changed since. */
  private readonly titled = new Map<number, boolean>();

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

  /** Reports the tab after looking it up, as an event's data may be older than the last report. */
  readonly changed = coalesced(async (tabId: number): Promise<void> => {
    if (!this.claims.has(tabId)) return;
    try {
      this.status(await browserTab(tabId));
    } catch (error) {
      // A closed tab has an event of its own.
      if (Fault.of(error).data.code !== "runtime_not_found") throw error;
    }
  });

  /**
   * Reports the tab, whose title or the like has changed: a page may change that all the time, and
   * what lies between two reports is of no use. An address is never reported late.
   */
  async retitled(tabId: number): Promise<void> {
    if (this.titled.has(tabId)) {
      this.titled.set(tabId, true);
      return;
    }
    this.titled.set(tabId, false);
    setTimeout(() => {
      const changed = this.titled.get(tabId);
      this.titled.delete(tabId);
      if (changed) this.retitled(tabId).catch((error: unknown) => report("The tab's title was not reported", error));
    }, TITLE_INTERVAL_MS);
    await this.changed(tabId);
  }

  /** Reports all tabs of the window: selecting a tab also deselects another, which has no event. */
  async activated(windowId: number): Promise<void> {
    for (const tab of await withApiTimeout("chrome.tabs.query", chrome.tabs.query({ windowId }))) this.status(tab);
  }

  ready(tabId: number, runtimeId: string): void {
    this.link.notify("runtime_ready", { tab_id: tabId, runtime_id: runtimeId });
  }

  /** Must be called before anything forgets the document. */
  removed(tabId: number, runtimeId: string): void {
    this.link.notify("runtime_removed", { tab_id: tabId, runtime_id: runtimeId });
  }

  /** Forgets the last report: the tab is no longer claimed, or, without a tab, the connection is new. */
  forget(tabId?: number): void {
    if (tabId === undefined) this.last.clear();
    else this.last.delete(tabId);
  }
}
