// Rule of this file: the user's stop in the page or by the keyboard is the user's own.
// A key or a click that the host sends looks the same to the page: as many as it has
// sent are left out, so that a user can stop while an agent types.

import type { EscapeMessage } from "../../page/input/escape";
import type { StopMessage } from "../../page/overlay/bar";
import type { Link } from "../connection/link";
import type { InputTracker } from "../input/inputs";
import { inject } from "../page/inject";
import type { Claims } from "../tabs/claims";

type Sender = chrome.runtime.MessageSender;

/** Two presses of Escape within this time stop the agents; code that runs is aborted by one. */
const DOUBLE_PRESS_TIMEOUT_MS = 600;

/** The first protocol whose host is told where the user stopped. */
const FACES_PROTOCOL = 11;

/** The command of the manifest. */
const STOP_COMMAND = "stop-agents";

/** The script that reports Escape from a frame. */
const ESCAPE_SCRIPT = "escape.js";

/** Stops the agents for the user. */
export class UserStop {
  private readonly pressed = new Map<number, number>();

  constructor(
    private readonly claims: Claims,
    private readonly inputs: InputTracker,
    private readonly link: Link,
    private readonly runsCode: (tabId: number) => boolean,
  ) {}

  /** Has a frame of a claimed tab report Escape too, or all that it has now. A frame that takes no script reports nothing. */
  watchFrames(tabId: number, documentId?: string): void {
    const target = documentId === undefined ? { tabId, allFrames: true } : { tabId, documentIds: [documentId] };
    if (this.claims.has(tabId)) void inject(target, ESCAPE_SCRIPT).catch(() => {});
  }

  /** Reports whether the message is of the content script of a tab. */
  handles(message: unknown, sender: Sender): message is EscapeMessage | StopMessage {
    if (sender.id !== chrome.runtime.id || sender.tab?.id === undefined) return false;
    const { kind, x, y } = (message ?? {}) as Record<string, unknown>;
    return kind === "escape_pressed" || (kind === "stop_pressed" && sender.frameId === 0 && typeof x === "number" && typeof y === "number");
  }

  /** The page of the tab got an Escape, or the bar in it a click. */
  async receive(message: EscapeMessage | StopMessage, sender: Sender): Promise<void> {
    const tabId = sender.tab?.id;
    await this.claims.restored();
    if (tabId === undefined || !this.claims.has(tabId)) return;
    if (message.kind === "escape_pressed") return this.receiveEscape(tabId);
    if (!this.inputs.pressedAt(tabId, message)) await this.stop("page", tabId);
  }

  private async receiveEscape(tabId: number): Promise<void> {
    if (this.inputs.takeOwnEscape(tabId)) return;
    if (this.runsCode(tabId)) return this.stop("page", tabId);
    const now = performance.now();
    const before = this.pressed.get(tabId) ?? -Infinity;
    this.pressed.set(tabId, now);
    if (now - before > DOUBLE_PRESS_TIMEOUT_MS) return;
    this.pressed.delete(tabId);
    await this.stop("page", tabId);
  }

  /** The user pressed the keys of a command. */
  async command(name: string): Promise<void> {
    if (name === STOP_COMMAND) await this.stop("keyboard");
  }

  private async stop(face: "page" | "keyboard", tabId?: number): Promise<void> {
    if (this.link.state.state !== "connected") return; // nothing runs
    const known = this.link.protocol >= FACES_PROTOCOL;
    await this.link.request("ui_stop", known ? { face, ...(tabId !== undefined && { tab_id: tabId }) } : {});
  }
}
