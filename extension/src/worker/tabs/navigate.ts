// Rule of this file: a navigation answers with what the browser's events have
// proven: a new document and its id, or the old one that moved within itself,
// or an error. The old document's id is never passed off as the new one's.

import type { TabNavigate, TabNavigateResult } from "../../protocol";
import type { DebuggerOwner } from "../debugger/debugger";
import type { Injector } from "../page/inject";
import { cancelledFault, withApiTimeout } from "../shared/async";
import { Fault, report, textOf } from "../shared/fault";
import { navigable, sameDocument } from "../shared/urls";
import type { Claims } from "./claims";
import type { Documents } from "./documents";
import { NavigationWatch } from "./navigation-watch";
import { browserTab, noSuchTab, tabOf } from "./tabs";

/** Loads addresses in claimed tabs. */
export class Navigation {
  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
    private readonly injector: Injector,
    private readonly owner: DebuggerOwner,
  ) {}

  /** Loads the address, or reloads, and waits for the parsed document within the call's time. */
  async navigate(call: TabNavigate, signal: AbortSignal): Promise<TabNavigateResult> {
    const tabId = call.tab_id;
    this.claims.demand(tabId);
    const url = call.url === undefined ? undefined : navigable(call.url);
    await this.owner.attachIfPossible(tabId); // the page may ask whether to leave it
    // A browser page has no document that can be seen, and so no id.
    const previous = (await this.documents.refresh(tabId))?.id ?? "";
    const { url: from = "" } = await browserTab(tabId);
    this.claims.demandStill(tabId, signal);
    const mayStay = url !== undefined && sameDocument(from, url);
    const watch = new NavigationWatch(this.documents, tabId, previous, mayStay);
    const limit = setTimeout(() => watch.onTimeout(), call.timeout_ms);
    const cancel = (): void => watch.fail(cancelledFault("yes"));
    signal.addEventListener("abort", cancel, { once: true });
    try {
      await start(tabId, url);
      const replaced = await watch.moved;
      const complete = replaced ? await this.ready(tabId, watch) : true;
      return { tab: await tabOf(tabId, this.documents), previous_runtime_id: previous, replaced, complete };
    } finally {
      clearTimeout(limit);
      signal.removeEventListener("abort", cancel);
      watch.stop();
    }
  }

  /** Waits for the parsed document and its content script; false when the time was over first. */
  private async ready(tabId: number, watch: NavigationWatch): Promise<boolean> {
    for (;;) {
      if (!(await watch.parsed)) return false;
      const runtime = this.documents.current(tabId);
      if (!runtime) return false;
      try {
        await Promise.race([this.injector.ensure(tabId, runtime), watch.over]);
        return !watch.ended;
      } catch (error) {
        const { code } = Fault.of(error).data;
        if (code === "restricted_page") return true; // loaded, and no script can run there
        if (code !== "runtime_replaced" || watch.ended) {
          report(`The content script did not start in tab ${tabId}`, error);
          return false;
        }
        // The page navigated on: its new document counts.
      }
    }
  }
}

async function start(tabId: number, url: string | undefined): Promise<void> {
  try {
    if (url === undefined) await withApiTimeout("chrome.tabs.reload", chrome.tabs.reload(tabId));
    else await withApiTimeout("chrome.tabs.update", chrome.tabs.update(tabId, { url }));
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw Fault.new(noSuchTab(error) ? "runtime_not_found" : "navigation_failed", textOf(error), { dispatched: "no" });
  }
}
