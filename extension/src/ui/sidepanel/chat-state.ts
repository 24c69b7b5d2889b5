// Rule of this file: the side panel states in text what the chat does, why it does nothing and
// what to do then.

import { runsScript } from "../../tool-text";
import type { AgentState } from "../shared/agent-messages";
import { costText, isBusy, statusText } from "../shared/agent-text";
import type { PanelChange } from "../shared/panel-messages";
import { button, element, t } from "../shared/text";

/** State, gates, reasons and cost. */
export class ChatState {
  private isClaimed = false;

  /** Shows what has changed. */
  change({ claimed, state, settings, code }: PanelChange): void {
    if (claimed !== undefined) this.claimed(claimed);
    if (settings) {
      const works = settings.automationEnabled === true;
      element("gate").hidden = works;
      element("code-label").hidden = !works || !settings.allow_code;
      element("code-off").hidden = !works || settings.allow_code === true;
    }
    if (code !== undefined) element<HTMLInputElement>("code").checked = code;
    if (state) this.state(state);
  }

  /** Shows that the chat's state is unknown. Who writes just then writes on. */
  offline(message: string): void {
    for (const id of ["free", "work", "clear", "stop"]) element(id).hidden = true;
    document.body.dataset["status"] = "offline";
    write("state", t("agent_offline"));
    this.problem(message, undefined);
  }

  private claimed(claimed: boolean): void {
    this.isClaimed = claimed;
    element("free").hidden = claimed;
    element("work").hidden = element("composer").hidden = !claimed;
    element("empty").textContent = t(claimed ? "chat_empty" : "chat_empty_unclaimed");
    button("clear").hidden = !claimed;
  }

  private state(state: AgentState): void {
    const ready = state.status === "listening" || state.status === "disconnected";
    document.body.dataset["status"] = ready && this.isClaimed ? "listening" : state.status;
    write("state", ready && this.isClaimed ? t("chat_ready") : statusText(state));
    button("stop").hidden = !isBusy(state);
    button("stop").title = t(state.tool && runsScript(state.tool) ? "abort_short" : "chat_stop");
    button("stop").setAttribute("aria-label", button("stop").title);
    this.problem(state.status === "error" ? (state.error?.message ?? t("agent_error")) : "", state.error?.next_step);
    write("cost", costText(state.cost));
  }

  private problem(reason: string, nextStep: string | undefined): void {
    element("problem").hidden = reason === "";
    write("reason", reason);
    write("next-step", nextStep ?? "");
  }
}

function write(id: string, text: string): void {
  const target = element(id);
  // A live region announces changes only.
  if (target.textContent !== text) target.textContent = text;
}
