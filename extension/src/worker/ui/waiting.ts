// Rule of this file: that something waits for the user must be noticed where no page of
// the extension shows it. It keeps how much waits, not what.

import type { AgentChange } from "../../ui/shared/agent-messages";

/** How much waits for the user's answer. */
export class Waiting {
  /** Called when the number of what waits has changed. */
  onChanged: (count: number) => void = () => {};

  private approvals = 0;
  private questions = 0;

  /** How much waits now. */
  get count(): number {
    return this.approvals + this.questions;
  }

  /** Takes in what a view, or a change of it, says. */
  note({ approvals, questions }: Pick<AgentChange, "approvals" | "questions">): void {
    const before = this.count;
    if (approvals) this.approvals = approvals.length;
    if (questions) this.questions = questions.length;
    if (this.count !== before) this.onChanged(this.count);
  }
}
