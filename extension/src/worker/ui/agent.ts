// Rule of this file: it passes on between the host, where the agent's session
// lives, and the extension's pages that show it. It keeps nothing of the view:
// a page that connects, or connects again, gets the whole of it from the host. Only pages
// of the extension are accepted, and a frame in a web page only as the pane that
// the extension itself put into a claimed tab.

import type { QuestionPages } from "../../protocol";
import { AGENT_PORT, isAgentRequest, type AgentChange, type AgentMessage, type AgentRequest, type AgentView } from "../../ui/shared/agent-messages";
import type { Link } from "../connection/link";
import { stateText } from "../connection/states";
import type { InputTracker } from "../input/inputs";
import { pause } from "../shared/async";
import type { Dropped } from "../shared/dropped";
import { Fault, report } from "../shared/fault";
import type { Claims } from "../tabs/claims";
import type { Overlays } from "./overlays";
import { countAnswerPages, fromOwnPage, isOwnFrame } from "./own-pages";
import { Asked } from "./asked";
import { FACE_PROTOCOL, Notices } from "./notices";
import { type Viewer, showView } from "./views";
import { Waiting } from "./waiting";

/** How long a pane that is shown may take to connect. */
const PANE_CONNECT_TIMEOUT_MS = 1_000;
const PANE_CONNECT_INTERVAL_MS = 50;

/** A page that is open. */
interface Page extends Viewer<AgentChange> {
  port: chrome.runtime.Port;
  /** The tab of a pane, and its key there; its messages are accepted only while the tab is claimed. */
  tabId?: number;
  key?: string;
  /** The launcher's, which shows no questions of models. */
  launcher?: boolean;
}

type Hello = Extract<AgentRequest, { kind: "hello" }>;
type HostRequest = Extract<AgentRequest, { kind: "request" }>;

/** Connects the pages that show the agent with the host. */
export class AgentBridge {
  readonly waiting = new Waiting();
  readonly notices: Notices;

  readonly asked: Asked;
  /** Called with each change that the pages get. */
  onChange: (change: AgentChange) => void = () => {};

  private naming: Promise<void> = Promise.resolve();
  private readonly pages = new Map<chrome.runtime.Port, Page>();

  constructor(
    private readonly claims: Claims,
    private readonly overlays: Overlays,
    private readonly link: Link,
    private readonly inputs: InputTracker,
    private readonly dropped: Dropped,
  ) {
    this.notices = new Notices(link);
    this.asked = new Asked(claims);
    this.asked.onLateName = () => void this.showApprovalsAgain();
  }

  /** Serves the port; returns false if it is not for this class. */
  acceptPort(port: chrome.runtime.Port): boolean {
    if (port.name !== AGENT_PORT || !port.sender || !(fromOwnPage(port.sender) || isOwnFrame(port.sender))) return false;
    let admitted: Promise<Page | undefined> = Promise.resolve(undefined);
    port.onDisconnect.addListener(() => this.pages.delete(port));
    port.onMessage.addListener((message: unknown) => {
      if (!isAgentRequest(message)) return this.dropped.add("ports", port.sender);
      let handled: Promise<void>;
      if (message.kind === "hello") {
        admitted = this.admit(port, message).catch((error: unknown) => {
          report("A page connects again", error); // its tab is busy, so whether it is the extension's own is not known
          port.disconnect();
          return undefined;
        });
        handled = admitted.then((page) => page && this.show(page));
      } else {
        handled = this.run(admitted, message).then((answer) => this.post(port, answer));
      }
      handled.catch((error: unknown) => report("A page's message was not handled", error));
    });
    return true;
  }

  /** Sends a change that the host reports to all pages. */
  broadcast(change: AgentChange): void {
    if (!change.approvals) return this.deliver(change);
    this.naming = this.naming.then(() => this.broadcastApprovals(change));
  }

  /** Sends the change when the targets of its approvals have names, in the order in which changes came. */
  private async broadcastApprovals(change: AgentChange): Promise<void> {
    this.deliver({ ...change, approvals: await this.asked.mark(change.approvals ?? []) });
  }

  /** Shows the open questions again, as the target of one has its name now. */
  private async showApprovalsAgain(): Promise<void> {
    try {
      const { approvals } = (await this.link.request("agent_view", {})) as unknown as AgentView;
      this.broadcast({ approvals });
    } catch (error) {
      report("The questions were not shown again", error); // a new connection shows all anew
    }
  }

  private deliver(change: AgentChange): void {
    this.note(change);
    this.onChange(change);
    if (change.stale && this.pages.size === 0) void this.look();
    for (const page of this.pages.values()) this.sendChange(page, change);
  }

  private note(change: Pick<AgentChange, "approvals" | "questions">): void {
    this.waiting.note(change);
    this.notices.note(change);
  }

  private sendChange(page: Page, change: AgentChange): void {
    if (page.pendingChanges) page.pendingChanges.push(change);
    else if (change.stale) void this.show(page);
    else this.send(page, { kind: "change", change });
  }

  /** Sends all pages a new view after a reconnect, as what they show may be old. */
  async refresh(): Promise<void> {
    if (this.link.state.state !== "connected") this.note({ approvals: [], questions: [] });
    await Promise.all([...this.pages.values()].map((page) => this.show(page)));
  }

  /** Returns how many pages could show the user a question now. */
  async questionPages(): Promise<QuestionPages> {
    await this.claims.restored();
    const deadline = Date.now() + PANE_CONNECT_TIMEOUT_MS;
    for (;;) {
      const open = await this.countQuestionPages();
      // A pane that has just been shown, or whose page has, connects a moment later.
      if (open > 0 || Date.now() > deadline || !(await this.expectsPane())) return this.withLaunchers(open);
      await pause(PANE_CONNECT_INTERVAL_MS);
    }
  }

  private withLaunchers(open: number): QuestionPages {
    if (this.link.protocol < FACE_PROTOCOL) return { open };
    const launchers = [...this.pages.values()].filter(({ launcher }) => launcher).length;
    return { open, approvals: open + launchers + (this.notices.canShow ? 1 : 0) };
  }

  private async countQuestionPages(): Promise<number> {
    const panes = [...this.pages.values()].map(({ tabId, key }) =>
      tabId !== undefined && key !== undefined && this.claims.has(tabId) ? this.overlays.isShowing(tabId, key) : false,
    );
    const showing = (await Promise.all(panes)).filter(Boolean).length;
    return showing + (await countAnswerPages());
  }

  private async expectsPane(): Promise<boolean> {
    return (await Promise.all(this.claims.ids().map((id) => this.overlays.wasShown(id)))).includes(true);
  }

  /** Looks at what waits, where no page asks for the view. */
  private async look(): Promise<void> {
    try {
      this.note((await this.link.request("agent_view", {})) as unknown as AgentView);
    } catch (error) {
      report("What waits for the user is not known", error);
    }
  }

  private async admit(port: chrome.runtime.Port, { key, launcher }: Hello): Promise<Page | undefined> {
    await this.claims.restored();
    const { sender } = port;
    let page: Page | undefined;
    if (sender && fromOwnPage(sender)) page = launcher ? { port, launcher } : { port };
    else if (sender && key !== undefined && (await this.overlays.owns(sender, key))) page = { port, tabId: sender.tab?.id, key };
    if (page) this.pages.set(port, page);
    else this.post(port, { kind: "refused" });
    return page;
  }

  private async show(page: Page): Promise<void> {
    if (this.link.state.state !== "connected") return this.offline(page, stateText(this.link.state, chrome.i18n.getMessage));
    const request = async () => {
      const view = (await this.link.request("agent_view", {})) as unknown as AgentView;
      view.approvals = await this.asked.mark(view.approvals);
      return view;
    };
    const send = (message: AgentMessage) => {
      if (message.kind === "view") this.note(message.view);
      this.send(page, message);
    };
    await showView(page, request, send, (change) => this.sendChange(page, change));
  }

  /** Runs a request of a page, which may come before the page is admitted. */
  private async run(admitted: Promise<Page | undefined>, request: HostRequest): Promise<AgentMessage> {
    const { id, method } = request;
    try {
      const page = await admitted;
      if (!page) throw Fault.new("permission_denied", "this page was not admitted", { dispatched: "no" });
      if (!this.isAllowed(page)) throw Fault.new("tab_not_claimed", "this tab is not under control", { dispatched: "no" });
      if (agreesOrAnswers(request) && this.mayBeEcho(page)) {
        throw Fault.new("permission_denied", "an agent was sending keys to this tab just now, so this answer may be its own", {
          dispatched: "no",
          next_step: "Answer again, or in the extension's popup.",
        });
      }
      await this.link.request(method, this.withFace(page, request));
      return { kind: "answer", id };
    } catch (error) {
      return { kind: "answer", id, error: Fault.of(error).data };
    }
  }

  /** Returns the parameters; an answer says where the user gave it, which no page decides. */
  private withFace({ tabId }: Page, { method, params }: HostRequest): HostRequest["params"] {
    if (method !== "agent_approve") return params;
    const { id, verdict, scope } = params;
    return this.link.protocol < FACE_PROTOCOL ? { id, verdict, scope } : { id, verdict, scope, face: tabId === undefined ? "popup" : "pane" };
  }

  /** Reports whether an agent may have caused the message. It can reach only the pane in a tab, not the extension's own pages. */
  private mayBeEcho({ tabId }: Page): boolean {
    return tabId !== undefined && this.inputs.mayBeEcho(tabId);
  }

  private isAllowed({ tabId }: Page): boolean {
    return tabId === undefined || this.claims.has(tabId);
  }

  private offline(page: Page, message: string): void {
    this.send(page, { kind: "offline", message });
  }

  private send(page: Page, message: AgentMessage): void {
    if (this.pages.has(page.port) && this.isAllowed(page)) this.post(page.port, message);
  }

  private post(port: chrome.runtime.Port, message: AgentMessage): void {
    try {
      port.postMessage(message);
    } catch {
      this.pages.delete(port); // the page closed just now
    }
  }
}

/** Reports whether the request is one that an agent must not make in the user's place. */
function agreesOrAnswers({ method, params }: HostRequest): boolean {
  switch (method) {
    case "agent_approve":
      return params.verdict !== "deny";
    case "agent_answer":
      return params.option !== undefined || params.text !== undefined;
    default:
      return false;
  }
}
