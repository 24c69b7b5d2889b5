// Rule of this file: a text stays in the composer until the host has accepted it.
// There is one draft for the panes of all tabs, and one for each tab's side panel; it
// outlives the page that a pane is in.

import type { AgentState } from "../shared/agent-messages";
import { isBusy } from "../shared/agent-text";
import type { SendRequest } from "../shared/cards";
import { button, element, t } from "../shared/text";
import { onClick } from "../shared/user";

/** The text field with its buttons. */
export class Composer {
  private readonly text = element<HTMLTextAreaElement>("text");
  private busy = false;
  private sending = false;

  constructor(
    private readonly act: SendRequest,
    /** Where the draft is kept. */
    private readonly draft = "agent_draft",
  ) {
    this.text.addEventListener("keydown", (event) => this.pressed(event));
    this.text.addEventListener("input", () => this.saveDraft());
    onClick(button("send"), () => this.send("queue"));
    onClick(button("interrupt"), () => this.interrupt());
    chrome.storage.session.onChanged.addListener((changes) => this.follow(changes));
    void this.restore();
  }

  show(state: AgentState): void {
    this.busy = isBusy(state);
    button("interrupt").hidden = !this.busy;
    const [send, hint] = this.busy ? ["queue", "queue_hint"] : ["send", "send_hint"];
    button("send").textContent = t(send);
    button("send").title = t(hint);
  }

  // While an input method composes, Enter is its own.
  private pressed(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || !event.isTrusted) return;
    event.preventDefault();
    void this.send(event.ctrlKey || event.metaKey ? "interrupt" : "queue");
  }

  private async interrupt(): Promise<void> {
    if (this.text.value.trim() === "") await this.act("agent_interrupt", {});
    else await this.send("interrupt");
    this.text.focus();
  }

  private async send(mode: "queue" | "interrupt"): Promise<void> {
    const text = this.text.value;
    if (text.trim() === "" || this.sending) return;
    this.sending = true;
    const sent = await this.act("agent_send", { text, mode: this.busy ? mode : "queue" });
    this.sending = false;
    // What was written meanwhile stays.
    if (sent && this.text.value === text) this.text.value = "";
    this.saveDraft();
  }

  // A draft that cannot be stored is lost with the page, which is not worth an error.
  private saveDraft(): void {
    chrome.storage.session.set({ [this.draft]: this.text.value }).catch(() => {});
  }

  // The user writes in one pane at a time; those of other tabs show the same draft.
  private follow({ [this.draft]: draft }: Record<string, chrome.storage.StorageChange>): void {
    if (draft && !document.hasFocus()) this.text.value = String(draft.newValue ?? "");
  }

  private async restore(): Promise<void> {
    const { [this.draft]: draft } = await chrome.storage.session.get(this.draft).catch((): Record<string, unknown> => ({}));
    if (typeof draft === "string" && this.text.value === "") this.text.value = draft;
  }
}
