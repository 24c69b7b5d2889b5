// Rule of this file: the clipboard is used for a claimed tab whose page is of the
// origin that the call was decided for. What was read for a page that has gone
// meanwhile is discarded.

import type { ClipboardContent, ClipboardRead, ClipboardWrite } from "../../protocol";
import type { Claims } from "../tabs/claims";
import type { Documents } from "../tabs/documents";
import { askOffscreen } from "./offscreen";

/** The system's clipboard, for claimed tabs. */
export class Clipboard {
  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
  ) {}

  async read({ tab_id, origin }: ClipboardRead): Promise<ClipboardContent> {
    await this.demand(tab_id, origin);
    const { text, html } = await askOffscreen({ to: "offscreen", kind: "clipboard_read" });
    await this.demand(tab_id, origin);
    return { text, html };
  }

  async write({ tab_id, text, html, origin }: ClipboardWrite): Promise<Record<string, never>> {
    await this.demand(tab_id, origin);
    await askOffscreen({ to: "offscreen", kind: "clipboard_write", text, ...(html !== undefined && { html }) });
    return {};
  }

  private async demand(tabId: number, origin: string | undefined): Promise<void> {
    this.claims.demand(tabId);
    if (origin !== undefined) await this.documents.demandOrigin(tabId, origin);
  }
}
