// Rule of this file: what the user is asked about is marked in its page, and the question
// says what the page calls it. A question does not wait for a slow page: the name that comes
// late is shown then.

import type { AskedMessage } from "../../page/overlay/asked";
import type { AgentApproval } from "../../ui/shared/agent-messages";
import { pause } from "../shared/async";
import type { Claims } from "../tabs/claims";

/** How long a question waits for its target's name. */
const NAME_WAIT_MS = 300;

/** The marks of what is asked, and the names of their targets. */
export class Asked {
  /** The question whose target is marked, by tab, and the wait for its name. */
  private readonly marked = new Map<number, { id: string; wait: Promise<void> }>();
  private readonly names = new Map<string, string>();

  /** Called when the target of a question that is shown got its name. */
  onLateName: () => void = () => {};

  constructor(private readonly claims: Claims) {}

  /** Marks what the open questions are about; returns them with the names of their targets. */
  async mark(approvals: readonly AgentApproval[]): Promise<AgentApproval[]> {
    const open = new Set(approvals.map(({ id }) => id));
    for (const id of this.names.keys()) if (!open.has(id)) this.names.delete(id);
    const first = new Map<number, AgentApproval>();
    for (const approval of approvals) {
      const tabId = approval.about?.tab_id;
      if (tabId !== undefined && this.claims.has(tabId) && !first.has(tabId)) first.set(tabId, approval);
    }
    for (const tabId of [...this.marked.keys()]) {
      if (first.has(tabId)) continue;
      this.marked.delete(tabId);
      void this.send(tabId, { kind: "asked" });
    }
    await Promise.all([...first].map(([tabId, approval]) => this.markIn(tabId, approval)));
    return approvals.map((approval) => this.named(approval));
  }

  private markIn(tabId: number, { id, about }: AgentApproval): Promise<void> {
    const known = this.marked.get(tabId);
    if (known?.id === id) return known.wait;
    let waiting = true;
    const naming = this.send(tabId, { kind: "asked", locator: about?.locator }).then((name) => {
      if (name === "" || this.marked.get(tabId)?.id !== id) return;
      this.names.set(id, name);
      if (!waiting) this.onLateName();
    });
    const wait = Promise.race([naming, pause(NAME_WAIT_MS)]).then(() => {
      waiting = false;
    });
    this.marked.set(tabId, { id, wait });
    return wait;
  }

  private async send(tabId: number, message: AskedMessage): Promise<string> {
    const name = await chrome.tabs.sendMessage<AskedMessage, unknown>(tabId, message, { frameId: 0 }).catch(() => "");
    return typeof name === "string" ? name : "";
  }

  private named(approval: AgentApproval): AgentApproval {
    const target = this.names.get(approval.id);
    return target === undefined ? approval : { ...approval, about: { ...approval.about, target } };
  }
}
