// Rule of this file: the side panel shows the chat of the tab that its address names, and
// asks for what its buttons are for. It owns nothing: closing it ends nothing.

import { Approvals } from "../shared/approvals";
import { Cards, type SendRequest } from "../shared/cards";
import type { UiAnswer, UiRequest } from "../shared/messages";
import type { PanelChange, PanelView } from "../shared/panel-messages";
import { holdPresses } from "../shared/presses";
import { Questions } from "../shared/questions";
import { button, element, t, translate } from "../shared/text";
import { failure, onClick } from "../shared/user";
import { Composer } from "../pane/composer";
import { Log } from "../pane/log";
import { ChatState } from "./chat-state";
import { PanelClient, requestOf } from "./client";

const tabId = Number(new URLSearchParams(location.search).get("tab"));

translate();
holdPresses();
if (Number.isInteger(tabId) && tabId > 0) showChat();
else new ChatState().offline(t("chat_no_tab"));

function showChat(): void {
  const send = async (work: () => Promise<unknown>): Promise<boolean> => {
    notice("");
    try {
      await work();
      return true;
    } catch (error) {
      notice(failure(error));
      return false;
    }
  };
  const act: SendRequest = (method, params) => send(() => requestOf(client, method, params));
  const log = new Log(element("log"), element("empty"), element("latest"));
  const cards = new Cards(element("approvals"), element("herald"), element("log"));
  const [approvals, questions] = [new Approvals(cards, act), new Questions(cards, act)];
  const composer = new Composer(act, `chat_draft_${tabId}`);
  const state = new ChatState();
  const change = (now: PanelChange): void => {
    state.change(now);
    if (now.state) composer.show(now.state);
    if (now.rows) log.reset(now.rows);
    if (now.row) log.put(now.row);
    if (now.approvals) approvals.show(now.approvals);
    if (now.questions) questions.show(now.questions);
  };
  const client = new PanelClient(tabId, {
    view: (view: PanelView) => change(view.claimed ? view : { ...view, rows: [] }),
    change,
    offline: (message) => {
      change({ approvals: [], questions: [] });
      state.offline(message);
    },
  });
  onClick(button("stop"), () => send(() => client.request("stop", {})));
  onClick(button("clear"), () => send(() => client.request("clear", {})));
  onClick(button("summarise"), () => send(() => client.request("say", { text: t("summarise_request"), mode: "queue", summary: true })));
  onClick(button("claim"), () => send(claim));
  for (const id of ["settings", "gate-settings"]) onClick(button(id), () => chrome.runtime.openOptionsPage());
  const code = element<HTMLInputElement>("code");
  code.addEventListener("click", (event) => {
    if (!event.isTrusted) return event.preventDefault();
    void send(() => client.request("settings", { code: code.checked })).then((done) => {
      if (!done) code.checked = !code.checked;
    });
  });
}

/** Takes control of the tab, as the popup does. */
async function claim(): Promise<void> {
  const answer = await chrome.runtime.sendMessage<UiRequest, UiAnswer>({ kind: "ui_claim", tab_id: tabId });
  if (!answer.ok) throw new Error(answer.error.message);
}

function notice(text: string): void {
  element("notice").textContent = text;
  element("notice").hidden = text === "";
}
