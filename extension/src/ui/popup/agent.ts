// Rule of this file: the agent in the popup works without a pane: it shows the
// same state and approvals and sends the same commands.

import { AgentClient } from "../shared/agent-client";
import type { AgentState } from "../shared/agent-messages";
import { channelText, costText, isLive, problemText, statusText } from "../shared/agent-text";
import { Approvals } from "../shared/approvals";
import { Cards, type SendRequest } from "../shared/cards";
import { Questions } from "../shared/questions";
import { button, element, t } from "../shared/text";
import { failure, onClick } from "../shared/user";

let state: AgentState = { status: "disconnected" };

/** Shows the agent as long as the popup is open. */
export function showAgent(): void {
  const act: SendRequest = async (method, params) => {
    showProblem(problemText(state));
    try {
      await client.request(method, params);
      return true;
    } catch (error) {
      // Why a session did not start is shown with its state already.
      if (method !== "agent_start" || state.status !== "error") showProblem(failure(error));
      return false;
    }
  };
  const cards = new Cards(element("approvals"), element("herald"), element("agent-settings"));
  const [approvals, questions] = [new Approvals(cards, act), new Questions(cards, act)];
  const client = new AgentClient({
    view: (view) => {
      draw(view.state);
      approvals.show(view.approvals);
      questions.show(view.questions ?? []);
    },
    change: (change) => {
      if (change.state) draw(change.state);
      if (change.approvals) approvals.show(change.approvals);
      if (change.questions) questions.show(change.questions);
    },
    offline: () => {
      element("agent").hidden = true; // the reason is shown in the connection section
      approvals.show([]);
      questions.show([]);
    },
  });
  onClick(button("agent-voice"), () => act("agent_start", { text_only: false }));
  onClick(button("agent-text"), () => act("agent_start", { text_only: true }));
  onClick(button("agent-stop"), () => act("agent_stop", {}));
  onClick(button("agent-mute"), () => act("agent_mute", { input: !state.input_muted, output: state.output_muted === true }));
  onClick(button("agent-settings"), () => chrome.runtime.openOptionsPage());
}

function draw(now: AgentState): void {
  state = now;
  const live = isLive(state);
  element("agent").hidden = false;
  element("agent").dataset["status"] = state.status;
  write("agent-state", [statusText(state), live ? channelText(state) : ""].filter((text) => text !== "").join(", "));
  write("agent-cost", costText(state.cost));
  button("agent-voice").hidden = button("agent-text").hidden = live;
  button("agent-stop").hidden = !live;
  button("agent-mute").hidden = !live || state.text_only === true;
  write("agent-mute", t(state.input_muted ? "unmute_short" : "mute_short"));
  showProblem(problemText(state));
}

const showProblem = (text: string): void => write("agent-problem", text);

function write(id: string, text: string): void {
  const target = element(id);
  if (target.textContent !== text) target.textContent = text;
}
