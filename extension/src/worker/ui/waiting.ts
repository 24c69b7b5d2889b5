// Rule of this file: that something waits for the user must be noticed where no page of
// the extension shows it. It keeps how much waits, not what.

import type { AgentChange } from "../../ui/shared/agent-messages";

/** How much waits for the user's answer. */
export class Waiting {
  /** Called when something begins to wait, and when nothing does any more. */
  onChanged: (waits: boolean) => void = () => {};

  private approvals = 0;
  private questions = 0;

  /** Takes in what a view, or a change of it, says. */
  note({ approvals, questions }: Pick<AgentChange, "approvals" | "questions">): void {
    const before = this.waits();
    if (approvals) this.approvals = approvals.length;
    if (questions) this.questions = questions.length;
    if (this.waits() !== before) this.onChanged(this.waits());
  }

  private waits(): boolean {
    return this.approvals + this.questions > 0;
  }
}
