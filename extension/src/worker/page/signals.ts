// Rule of this file: an event is passed on only from the content script in the
// current main document of a claimed tab. Who speaks, and from which address,
// is the browser's word; the rest is data of the page.

import type { SignalMessage } from "../../page/info/signals";
import type { Link } from "../connection/link";
import type { Claims } from "../tabs/claims";
import type { Documents } from "../tabs/documents";

type Sender = chrome.runtime.MessageSender;

/** Passes the events of observed pages on to the host. */
export class Signals {
  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
    private readonly link: Link,
  ) {}

  /** Reports whether the message is an event for this class. */
  handles(message: unknown, sender: Sender): message is SignalMessage {
    return isSignal(message) && sender.id === chrome.runtime.id && sender.tab?.id !== undefined && sender.frameId === 0;
  }

  async forward(message: SignalMessage, sender: Sender): Promise<void> {
    await this.claims.restored();
    const tab_id = sender.tab?.id;
    if (tab_id === undefined || !this.claims.has(tab_id)) return;
    const runtime = this.documents.current(tab_id) ?? (await this.documents.refresh(tab_id));
    if (!runtime || runtime.id !== sender.documentId) return;
    const { name, payload, at, dropped } = message;
    this.link.notify("dom_event", {
      event_id: crypto.randomUUID(),
      runtime_id: runtime.id,
      tab_id,
      name,
      payload,
      url: sender.url ?? runtime.url,
      observed_at_ms: at,
      ...(dropped !== undefined && { dropped }),
    });
  }
}

function isSignal(message: unknown): message is SignalMessage {
  if (typeof message !== "object" || message === null) return false;
  const { kind, name, payload, at, dropped } = message as Record<string, unknown>;
  const count = (n: unknown): boolean => Number.isSafeInteger(n) && (n as number) >= 0;
  return (
    kind === "dom_event" &&
    typeof name === "string" &&
    payload !== undefined &&
    count(at) &&
    (dropped === undefined || (count(dropped) && dropped !== 0))
  );
}
