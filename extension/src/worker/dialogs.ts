// Rule of this file: it knows which claimed tabs show a dialog, by the browser's
// events alone, and keeps that over a restart of this worker: a host that starts
// anew must learn of a dialog that opened before it.

import type { Claims } from "./claims";
import type { Link } from "./port";

const OPENING = "Page.javascriptDialogOpening";
const CLOSED = "Page.javascriptDialogClosed";

/** The open dialogs of the claimed tabs. */
export class Dialogs {
  constructor(
    private readonly claims: Claims,
    private readonly link: Link,
  ) {}

  /** Takes note of an event of a tab's own debugger session. */
  see(tabId: number, method: string, params: Record<string, unknown>): void {
    if (method === OPENING) this.claims.note(tabId, { dialog: params });
    if (method === CLOSED) this.forget(tabId);
  }

  open(tabId: number): boolean {
    return this.claims.notesOf(tabId).dialog !== undefined;
  }

  forget(tabId: number): void {
    if (this.open(tabId)) this.claims.note(tabId, { dialog: undefined });
  }

  /** Tells a new host of the dialogs that it has not seen opening. */
  announce(): void {
    for (const tab_id of this.claims.ids()) {
      const params = this.claims.notesOf(tab_id).dialog;
      if (params) this.link.notify("debugger_event", { tab_id, method: OPENING, params });
    }
  }
}
