// Rule of this file: what runs and what the user has stopped is the host's word. Each tab
// is shown what runs in it. The debugger, which the user has refused in the browser's own
// bar, may be attached again once they let agents go on.

import type { WorkMessage } from "../../page/overlay/bar";
import type { Work as WorkState } from "../../protocol";
import { runsScript } from "../../tool-text";
import type { Claims } from "../tabs/claims";

/** What runs in the claimed tabs. */
export class Work {
  private state: WorkState = { running: [], stops: [] };

  constructor(private readonly claims: Claims) {}

  /** Takes the host's view. */
  accept(state: WorkState): void {
    const before = this.state;
    this.state = state;
    if (!this.state.stops.some(({ tab_id }) => tab_id === undefined)) this.allowDebugger();
    for (const tabId of new Set([before, state].flatMap(({ running }) => running.map(({ tab_id }) => tab_id)))) if (this.claims.has(tabId)) this.show(tabId);
  }

  /** Reports whether code of an agent runs for the tab. */
  runsCode(tabId: number): boolean {
    return this.state.running.some(({ tab_id, name }) => tab_id === tabId && runsScript(name));
  }

  /** Shows in the tab what runs there, be it nothing: a document that comes back from the cache shows what ran when it left. */
  show(tabId: number): void {
    const message: WorkMessage = { kind: "work", calls: this.state.running.filter(({ tab_id }) => tab_id === tabId) };
    // A document without a content script shows it when it has one.
    chrome.tabs.sendMessage(tabId, message, { frameId: 0 }).catch(() => {});
  }

  private allowDebugger(): void {
    for (const tabId of this.claims.ids()) {
      if (this.claims.stateOf(tabId).debugger_refused) this.claims.update(tabId, { debugger_refused: false });
    }
  }
}
