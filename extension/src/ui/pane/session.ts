// Rule of this file: the pane states in text what the session does, why it does
// nothing and what to do then; colour and motion only repeat it.

import type { AgentState } from "../shared/agent-messages";
import { channelText, costText, isLive, statusText } from "../shared/agent-text";
import type { SendRequest } from "../shared/cards";
import { button, element, t } from "../shared/text";
import { onClick } from "../shared/user";

/** State, buttons, reasons and cost. */
export class SessionView {
  private state: AgentState = { status: "disconnected" };
  private connected = false;
  private starting = false;
  /** The focus was on Start when it was pressed: the browser takes it from what is disabled. */
  private startHadFocus = false;
  private startInSight = false;

  constructor(act: SendRequest) {
    onClick(button("start-voice"), () => this.start(act, false));
    onClick(button("start-text"), () => this.start(act, true));
    onClick(button("stop"), () => act("agent_stop", {}));
    onClick(button("mute"), () => act("agent_mute", { input: !this.state.input_muted, output: this.state.output_muted === true }));
    onClick(button("silence"), () => act("agent_mute", { input: this.state.input_muted === true, output: !this.state.output_muted }));
    for (const id of ["settings", "problem-settings"]) onClick(button(id), () => chrome.runtime.openOptionsPage());
    this.enableStart();
  }

  show(state: AgentState): void {
    this.state = state;
    const live = isLive(state);
    document.body.dataset["status"] = state.status;
    write("state", statusText(state));
    write("channels", live ? channelText(state) : "");
    button("stop").hidden = !live;
    // Text has no microphone and no voice.
    button("mute").hidden = button("silence").hidden = !live || state.text_only === true;
    press("mute", state.input_muted === true, "unmute", "mute");
    press("silence", state.output_muted === true, "unsilence", "silence");
    const focused = element("start").contains(document.activeElement);
    element("start").hidden = live;
    element("composer").hidden = !live;
    const lost = this.startHadFocus && document.hasFocus() && document.activeElement === document.body;
    if (live && (focused || lost)) element("text").focus();
    if (live) this.startHadFocus = false;
    this.problem(state.status === "error" ? (state.error?.message ?? t("agent_error")) : "", state.error?.next_step);
    this.cost(state);
  }

  /** Shows that the session's state is unknown, as the host is not connected. */
  offline(message: string): void {
    this.show({ status: "disconnected" });
    document.body.dataset["status"] = "offline";
    write("state", t("agent_offline"));
    this.problem(message, undefined);
    this.connected = false;
    this.enableStart();
  }

  online(): void {
    this.connected = true;
    this.enableStart();
  }

  /** Takes whether the buttons that start a session have been in sight for a while. */
  setStartInSight(now: boolean): void {
    this.startInSight = now;
    this.enableStart();
  }

  private async start(act: SendRequest, textOnly: boolean): Promise<void> {
    this.starting = true;
    this.startHadFocus = element("start").contains(document.activeElement);
    this.enableStart();
    await act("agent_start", { text_only: textOnly });
    this.starting = false;
    this.enableStart();
  }

  private enableStart(): void {
    for (const id of ["start-voice", "start-text"]) button(id).disabled = !this.connected || this.starting || !this.startInSight;
  }

  private problem(reason: string, nextStep: string | undefined): void {
    element("problem").hidden = reason === "";
    write("reason", reason);
    write("next-step", nextStep ?? "");
    button("problem-settings").hidden = nextStep === undefined;
  }

  private cost({ cost }: AgentState): void {
    write("cost", costText(cost));
    const missed = cost?.cache === "miss";
    element("cache").hidden = !missed;
  }
}

function press(id: string, pressed: boolean, undo: string, label: string): void {
  const target = button(id);
  target.classList.toggle("off", pressed);
  const text = t(pressed ? undo : label);
  target.setAttribute("aria-label", text);
  target.title = text;
}

function write(id: string, text: string): void {
  const target = element(id);
  // A live region announces changes only.
  if (target.textContent !== text) target.textContent = text;
}
