// Rule of this file: a question that no page of the extension shows is shown by the
// operating system, where the user has allowed that. One question at a time: a button must
// not change its meaning under the pointer. The answer is for this call alone.

import type { AgentApproval, AgentChange } from "../../ui/shared/agent-messages";
import { approvalText, callerText, siteText } from "../../words";
import type { Link } from "../connection/link";
import { report } from "../shared/fault";

/** From this protocol on an answer says where the user gave it. */
export const FACE_PROTOCOL = 11;

const PREFIX = "approval:";
const [ALLOW, DENY] = [0, 1];
/** A press sooner than this was meant for what was there before. */
const ACCIDENTAL_PRESS_DELAY_MS = 600;

/** The notifications about what waits for the user. */
export class Notices {
  private open: readonly AgentApproval[] = [];
  /** Closed by the user, who may still answer elsewhere. */
  private readonly dismissed = new Set<string>();
  private shown: { id: string; at: number } | undefined;

  constructor(private readonly link: Link) {}

  /** Reports whether the user permits notifications. */
  get canShow(): boolean {
    return chrome.notifications !== undefined;
  }

  /** Registers what the user does with a notification; does nothing without the permission. */
  listen(): void {
    const { notifications } = chrome;
    if (!notifications || notifications.onButtonClicked.hasListener(this.onButton)) return;
    notifications.onButtonClicked.addListener(this.onButton);
    notifications.onClosed.addListener(this.onClosed);
    notifications.onClicked.addListener(this.onClicked);
    this.update();
  }

  /** Takes in what a view, or a change of it, says. */
  note({ approvals }: Pick<AgentChange, "approvals">): void {
    if (!approvals) return;
    this.open = approvals;
    for (const id of this.dismissed) if (!approvals.some((each) => each.id === id)) this.dismissed.delete(id);
    this.update();
  }

  private update(): void {
    if (!chrome.notifications) return;
    const { shown } = this;
    if (shown && this.open.some(({ id }) => id === shown.id)) return;
    if (shown) this.hide(shown.id);
    const next = this.open.find(({ id }) => !this.dismissed.has(id));
    if (next) this.show(next);
  }

  private show(approval: AgentApproval): void {
    const { id, code } = approval;
    const others = this.open.length - 1;
    const lines = [chrome.i18n.getMessage("approval_by", [callerText(approval), siteText(approval.origin)])];
    if (code) lines.push(chrome.i18n.getMessage("approval_code", [code]));
    this.shown = { id, at: Date.now() };
    chrome.notifications
      .create(PREFIX + id, {
        type: "basic",
        iconUrl: "icons/128.png",
        title: approvalText(approval),
        message: lines.join("\n"),
        ...(others > 0 && { contextMessage: chrome.i18n.getMessage("notice_more", [String(others)]) }),
        buttons: [{ title: chrome.i18n.getMessage("allow_once") }, { title: chrome.i18n.getMessage("deny") }],
        requireInteraction: true,
      })
      .catch((error: unknown) => report("A notification was not shown", error));
  }

  private hide(id: string): void {
    this.shown = undefined;
    void chrome.notifications.clear(PREFIX + id);
  }

  private readonly onButton = (notification: string, button: number): void => {
    const id = notification.slice(PREFIX.length);
    if (!notification.startsWith(PREFIX) || (button !== ALLOW && button !== DENY)) return;
    if (this.shown?.id === id && Date.now() - this.shown.at < ACCIDENTAL_PRESS_DELAY_MS) return;
    this.link
      .request("agent_approve", {
        id,
        verdict: button === ALLOW ? "allow" : "deny",
        scope: "once",
        ...(this.link.protocol >= FACE_PROTOCOL && { face: "notification" as const }),
      })
      .catch((error: unknown) => report("An answer did not reach the host", error));
  };

  private readonly onClosed = (notification: string, byUser: boolean): void => {
    const id = notification.slice(PREFIX.length);
    if (!byUser || this.shown?.id !== id) return;
    this.shown = undefined;
    this.dismissed.add(id);
    this.update();
  };

  /** The rest of the question stands in the popup. */
  private readonly onClicked = (notification: string): void => {
    if (notification.startsWith(PREFIX)) chrome.action.openPopup().catch((error: unknown) => report("The popup did not open", error));
  };
}
