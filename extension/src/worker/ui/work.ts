// Rule of this file: what runs and what the user has stopped is the host's word. The
// debugger, which the user has refused in the browser's own bar, may be attached again
// once they let agents go on.

import type { Work as WorkState } from "../../protocol";
import type { Claims } from "../tabs/claims";

/** What runs in the claimed tabs. */
export class Work {
  private state: WorkState = { running: [], stops: [] };

  constructor(private readonly claims: Claims) {}

  /** Takes the host's view. */
  accept(state: WorkState): void {
    this.state = state;
    if (!this.isStopped()) this.allowDebugger();
  }

  private isStopped(): boolean {
    return this.state.stops.some(({ tab_id }) => tab_id === undefined);
  }

  private allowDebugger(): void {
    for (const tabId of this.claims.ids()) {
      if (this.claims.stateOf(tabId).debugger_refused) this.claims.update(tabId, { debugger_refused: false });
    }
  }
}
