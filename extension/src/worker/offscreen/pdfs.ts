// Rule of this file: the bytes of a PDF go from the tab that shows it to the offscreen
// document, its text back, and nothing is kept. Only a claimed tab's own document
// is listened to.

import { askOffscreen } from "./offscreen";
import { Fault } from "../shared/fault";
import type { Claims } from "../tabs/claims";

type Sender = chrome.runtime.MessageSender;

interface PdfMessage {
  kind: "pdf_text";
  data: string;
  from_page: number;
  to_page?: number;
  offset: number;
  timeout_ms: number;
}

const MAX_TIMEOUT_MS = 60_000;
/** The offscreen document enforces the timeout itself. */
const GRACE_MS = 1_000;

/** The text of PDFs. */
export class Pdfs {
  constructor(private readonly claims: Claims) {}

  /** Reports whether the message is a PDF that a content script wants to be read. */
  handles(message: unknown, sender: Sender): message is PdfMessage {
    const { kind, data, from_page, offset, timeout_ms } = (message ?? {}) as Record<string, unknown>;
    const own = sender.id === chrome.runtime.id && sender.tab?.id !== undefined && sender.frameId === 0;
    return own && kind === "pdf_text" && typeof data === "string" && [from_page, offset, timeout_ms].every((value) => typeof value === "number");
  }

  /** Returns the text, or why there is none, in the form in which the content script takes it. */
  async read({ data, from_page, to_page, offset, timeout_ms }: PdfMessage, sender: Sender): Promise<object> {
    try {
      await this.claims.restored();
      this.claims.demand(sender.tab?.id ?? -1);
      const limit = Math.min(MAX_TIMEOUT_MS, timeout_ms);
      const request = { to: "offscreen", kind: "pdf_text", data, from_page, ...(to_page !== undefined && { to_page }), offset, timeout_ms: limit } as const;
      const { page_count, title, texts, rest } = await askOffscreen(request, limit + GRACE_MS);
      return { ok: true, output: { page_count, title, texts, ...(rest && { rest }) } };
    } catch (error) {
      const { code, message, evidence } = Fault.of(error).data;
      return { ok: false, code, message, evidence };
    }
  }
}
