// Rule of this file: announcements are passed on only from the content script in
// the current main document of a claimed tab, and acknowledged only when the
// host has been sent them: the page keeps them until then.

import type { AnnouncementsMessage } from "../page/outbox";
import type { Announcement } from "../protocol";
import type { Claims } from "./claims";
import type { Documents } from "./documents";
import type { Link } from "./port";
import { definitions } from "./validators";

type Sender = chrome.runtime.MessageSender;

/** Passes what live regions say on to the host. */
export class Announcer {
  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
    private readonly link: Link,
  ) {}

  /** Takes the message; false says that it is nobody's here. */
  concerns(message: unknown, sender: Sender): message is AnnouncementsMessage {
    const kind = (message as { kind?: unknown } | null)?.kind;
    return kind === "announcements" && sender.id === chrome.runtime.id && sender.tab?.id !== undefined && sender.frameId === 0;
  }

  /** Tells whether the page may forget them. */
  async pass(message: AnnouncementsMessage, sender: Sender): Promise<boolean> {
    await this.claims.restored();
    const tab_id = sender.tab?.id;
    if (tab_id === undefined || !this.claims.has(tab_id)) return true;
    const runtime = this.documents.current(tab_id) ?? (await this.documents.refresh(tab_id));
    if (!runtime || runtime.id !== sender.documentId) return true;
    const told = { tab_id, runtime_id: runtime.id, items: message.items as Announcement[], ...(message.dropped !== undefined && { dropped: message.dropped }) };
    if (!definitions["Announcements"]?.(told)) return true; // not of our making
    if (this.link.state.state !== "connected") return false;
    this.link.notify("announcements", told);
    return true;
  }
}
