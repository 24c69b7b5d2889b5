// Rule of this file: announcements are passed on only from the content script in
// the current main document of a claimed tab, and acknowledged only when the
// host has been sent them: the page keeps them until then.

import type { AnnouncementsMessage } from "../../page/a11y/outbox";
import type { Announcement, Announcements } from "../../protocol";
import type { Link } from "../connection/link";
import { definitions } from "../connection/validators";
import type { Claims } from "../tabs/claims";
import type { Documents } from "../tabs/documents";

type Sender = chrome.runtime.MessageSender;

/** Passes the announcements of live regions on to the host. */
export class Announcer {
  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
    private readonly link: Link,
  ) {}

  /** Reports whether the message holds announcements for this class. */
  handles(message: unknown, sender: Sender): message is AnnouncementsMessage {
    const { kind } = (message ?? {}) as { kind?: unknown };
    if (kind !== "announcements" || sender.id !== chrome.runtime.id || sender.tab?.id === undefined || sender.frameId !== 0) return false;
    return definitions["Announcements"]?.(reported(message as AnnouncementsMessage, sender.tab.id, "")) === true;
  }

  /** Forwards the announcements to the host and reports whether the page may discard them. */
  async forward(message: AnnouncementsMessage, sender: Sender): Promise<boolean> {
    await this.claims.restored();
    const tab_id = sender.tab?.id;
    if (tab_id === undefined || !this.claims.has(tab_id)) return true;
    const runtime = this.documents.current(tab_id) ?? (await this.documents.refresh(tab_id));
    if (!runtime || runtime.id !== sender.documentId) return true;
    if (this.link.state.state !== "connected") return false;
    this.link.notify("announcements", reported(message, tab_id, runtime.id));
    return true;
  }
}

function reported({ items, dropped }: AnnouncementsMessage, tab_id: number, runtime_id: string): Announcements {
  return { tab_id, runtime_id, items: items as Announcement[], ...(dropped !== undefined && { dropped }) };
}
