// Rule of this file: the pane's frame requests what its buttons are for and decides
// nothing. Its own width shows whether it is collapsed.

import { AgentClient } from "../shared/agent-client";
import type { AgentChange } from "../shared/agent-messages";
import { Approvals } from "../shared/approvals";
import { Cards, type SendRequest } from "../shared/cards";
import { watchEscape } from "../shared/escape";
import { ask, focusWhenShown, makeHandle, whenOwned } from "../shared/frame";
import { PressGuard } from "../shared/occlusion";
import { holdPresses } from "../shared/presses";
import { Questions } from "../shared/questions";
import { button, element, t, translate } from "../shared/text";
import { ACCIDENTAL_PRESS_DELAY_MS, failure, onClick } from "../shared/user";
import { Composer } from "./composer";
import { Log } from "./log";
import { watchScale } from "./scale";
import { SessionView } from "./session";

whenOwned((key) => {
  translate();
  holdPresses();
  for (const id of ["collapse", "expand", "hide"] as const) button(id).addEventListener("click", () => void press(id));
  makeHandle("move", element("bar"), element("grip"));
  makeHandle("resize", element("corner"));
  document.body.classList.add("owned");
  watchEscape();
  watchScale();
  showAgent(key);
});

/** Sends the request; the button that undoes it gets the focus. */
async function press(what: "collapse" | "expand" | "hide"): Promise<void> {
  await ask({ ask: what });
  if (what !== "hide") focusWhenShown(button(what === "collapse" ? "expand" : "collapse"));
}

function showAgent(key: string): void {
  const act: SendRequest = async (method, params) => {
    notice("");
    if (method === "agent_start" && !startGuard.allowsPress()) {
      notice(t("start_covered"));
      return false;
    }
    try {
      await client.request(method, params);
      return true;
    } catch (error) {
      // Why a session did not start is shown with its state already.
      if (method !== "agent_start" || document.body.dataset["status"] !== "error") notice(failure(error));
      return false;
    }
  };
  const log = new Log(element("log"), element("empty"), element("latest"));
  const cards = new Cards(element("approvals"), element("herald"), element("log"));
  const [approvals, questions] = [new Approvals(cards, act), new Questions(cards, act)];
  const composer = new Composer(act);
  const session = new SessionView(act);
  const startGuard = new PressGuard(element("start"), ACCIDENTAL_PRESS_DELAY_MS, (now) => session.setStartInSight(now));
  const change = (now: AgentChange): void => {
    if (now.state) session.show(now.state);
    if (now.state) composer.show(now.state);
    if (now.row) log.put(now.row);
    if (now.approvals) approvals.show(now.approvals);
    if (now.questions) questions.show(now.questions);
    showWaiting(document.querySelectorAll("#approvals article").length);
  };
  onClick(button("save-action"), () => ask({ ask: "save" }).catch((error: unknown) => notice(failure(error))));
  const client = new AgentClient(
    {
      view: ({ rows, state, approvals: toApprove, questions: asked = [] }) => {
        session.online();
        log.reset(rows);
        change({ state, approvals: toApprove, questions: asked });
      },
      change,
      offline: (message) => {
        approvals.show([]);
        questions.show([]);
        showWaiting(0);
        session.offline(message);
      },
    },
    key,
  );
}

/** Shows on the button of the collapsed pane how much waits. */
function showWaiting(count: number): void {
  element("waits").textContent = count === 0 ? "" : count > 99 ? "99+" : String(count);
  const label = count === 0 ? t("pane_expand") : t("pane_expand_waiting", [String(count)]);
  button("expand").setAttribute("aria-label", label);
  button("expand").title = label;
}

function notice(text: string): void {
  element("notice").textContent = text;
  element("notice").hidden = text === "";
}
