// Rule of this file: it knows which claimed tabs show a dialog, by the browser's
// events alone, and keeps that over a restart of this worker: a host that starts
// anew must learn of a dialog that opened before it.

import type { Link } from "../connection/link";
import type { Claims } from "../tabs/claims";

const OPENING = "Page.javascriptDialogOpening";
const CLOSED = "Page.javascriptDialogClosed";

/** The open dialogs of the claimed tabs. */
export class Dialogs {
  constructor(
    private readonly claims: Claims,
    private readonly link: Link,
  ) {}

  /** Follows an event of a tab's own debugger session. */
  onEvent(tabId: number, method: string, params: Record<string, unknown>): void {
    if (method === OPENING) this.claims.update(tabId, { dialog: params });
    if (method === CLOSED) this.forget(tabId);
  }

  isOpen(tabId: number): boolean {
    return this.claims.stateOf(tabId).dialog !== undefined;
  }

  forget(tabId: number): void {
    if (this.isOpen(tabId)) this.claims.update(tabId, { dialog: undefined });
  }

  /** Announces to a new host the dialogs that opened before it started. */
  announce(): void {
    for (const tab_id of this.claims.ids()) {
      const params = this.claims.stateOf(tab_id).dialog;
      if (params) this.link.notify("debugger_event", { tab_id, method: OPENING, params });
    }
  }
}
