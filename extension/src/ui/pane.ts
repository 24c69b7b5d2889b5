// Rule of this file: the pane's frame asks for what its buttons say and decides
// nothing. Whether it is collapsed it sees by its own width.

import { AgentClient } from "./agent-client";
import type { AgentChange } from "./agent-messages";
import { type Act, Approvals } from "./approvals";
import { ask, makeHandle, whenOwned } from "./frame";
import { Composer } from "./pane-composer";
import { Log } from "./pane-log";
import { SessionView } from "./pane-session";
import { Sight } from "./sight";
import { button, element, t, translate } from "./text";
import { ALIVE_MS, failure } from "./user";

whenOwned((key) => {
  translate();
  for (const id of ["collapse", "expand", "hide"] as const) button(id).addEventListener("click", () => void press(id));
  makeHandle("move", element("bar"), element("grip"));
  makeHandle("resize", element("corner"));
  document.body.classList.add("owned");
  showAgent(key);
});

/** The button that undoes it takes the focus, where the user's focus was. */
async function press(what: "collapse" | "expand" | "hide"): Promise<void> {
  await ask({ ask: what });
  const next = what === "collapse" ? "expand" : "collapse";
  if (what === "hide") return;
  await new Promise((resolve) => window.addEventListener("resize", resolve, { once: true }));
  button(next).focus();
}

function showAgent(key: string): void {
  const starting = new Sight(element("start"), ALIVE_MS);
  const act: Act = async (command, args) => {
    notice("");
    if (command === "start" && !starting.clear()) {
      notice(t("start_covered"));
      return false;
    }
    try {
      await client.command(command, args);
      return true;
    } catch (error) {
      // The reason of a failed session stands in its state already.
      if (document.body.dataset["status"] !== "error") notice(failure(error));
      return false;
    }
  };
  const log = new Log(element("log"), element("empty"), element("latest"));
  const approvals = new Approvals(element("approvals"), element("herald"), element("log"), act);
  const composer = new Composer(act);
  const session = new SessionView(act);
  const change = ({ state, row, approvals: questions }: AgentChange): void => {
    if (state) session.show(state);
    if (state) composer.show(state);
    if (row) log.put(row);
    if (questions) approvals.show(questions);
  };
  const client = new AgentClient(
    {
      view: ({ rows, state, approvals: questions }) => {
        session.online();
        log.reset(rows);
        change({ state, approvals: questions });
      },
      change,
      offline: (message) => {
        approvals.show([]);
        session.offline(message);
      },
    },
    key,
  );
}

function notice(text: string): void {
  element("notice").textContent = text;
  element("notice").hidden = text === "";
}
