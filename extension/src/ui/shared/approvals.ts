// Rule of this file: an approval is answered by the user's own input only, and not
// by a click or key that was meant for what was there before, or for what covers
// it: its buttons are enabled a moment after it became visible.

import type { AgentApproval, AgentMethod, AgentParams } from "./agent-messages";
import { callerText, toolText } from "./agent-text";
import { watchOcclusion } from "./occlusion";
import { t } from "./text";
import { ACCIDENTAL_PRESS_DELAY_MS, onClick } from "./user";

const TICK_INTERVAL_MS = 1000;

const ANSWERS = [
  { verdict: "allow", scope: "once", label: "allow_once", primary: true },
  { verdict: "allow", scope: "session", label: "allow_session", primary: false },
  { verdict: "allow", scope: "always", label: "allow_always", primary: false },
  { verdict: "deny", scope: "once", label: "deny", primary: false },
] as const;

type Answer = (typeof ANSWERS)[number];

/** Sends a request to the host and shows its failure. */
export type SendRequest = <M extends AgentMethod>(method: M, params: AgentParams<M>) => Promise<boolean>;

/** One approval as it is shown. */
interface ShownApproval {
  card: HTMLElement;
  buttons: HTMLButtonElement[];
  /** Shows the remaining time. */
  tick(): void;
  /** An answer is under way, or the time is over. */
  closed: boolean;
  covered: boolean;
  unwatch(): void;
}

/** The approvals that wait. */
export class Approvals {
  private readonly shown = new Map<string, ShownApproval>();
  private enableTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly list: HTMLElement,
    /** An assertive live region for screen readers. */
    private readonly liveRegion: HTMLElement,
    /** Gets the focus when the approval that had it is gone. */
    private readonly fallbackFocus: HTMLElement,
    private readonly act: SendRequest,
  ) {
    setInterval(() => this.shown.forEach((one) => one.tick()), TICK_INTERVAL_MS);
  }

  show(approvals: readonly AgentApproval[]): void {
    const open = new Set(approvals.map(({ id }) => id));
    let moved = false;
    for (const [id, { card, unwatch }] of this.shown) {
      if (open.has(id)) continue;
      const focused = card.contains(document.activeElement);
      unwatch();
      card.remove();
      this.shown.delete(id);
      if (focused) this.fallbackFocus.focus();
      moved = true;
    }
    for (const approval of approvals) {
      if (this.shown.has(approval.id)) continue;
      this.add(approval);
      moved = true;
    }
    this.list.hidden = this.shown.size === 0;
    if (moved) this.disableBriefly();
  }

  private add(approval: AgentApproval): void {
    const { id, name, origin, summary, effects } = approval;
    const card = document.createElement("article");
    const title = line("h2", t("approval_title", [toolText(name)]));
    title.id = `approval-${id}`;
    card.setAttribute("aria-labelledby", title.id);
    const kinds = effects.map((effect) => t(`effect_${effect}`) || effect).join(", ");
    const about = line("p", `${t("approval_effects", [kinds])} `, "quiet");
    const expiry = document.createElement("span");
    about.append(expiry);
    const answers = document.createElement("div");
    answers.className = "answers";
    const buttons = ANSWERS.map((answer) => this.button(id, answer));
    answers.append(...buttons);
    card.append(title, line("p", origin, "origin"), line("p", t("approval_by", [callerText(approval)]), "quiet"), about);
    if (summary !== "") card.append(line("p", summary, "summary"));
    const covered = line("p", t("approval_covered"));
    covered.hidden = true;
    card.append(covered, answers);
    const one: ShownApproval = {
      card,
      buttons,
      tick: () => {
        const left = Math.ceil((Date.parse(approval.expires_at) - Date.now()) / 1000);
        expiry.textContent = left > 0 ? t("approval_left", [String(left)]) : t("approval_over");
        if (left <= 0) close(one, true);
      },
      closed: false,
      covered: false,
      unwatch: watchOcclusion(answers, (now) => {
        covered.hidden = !now;
        if (one.covered === now) return;
        one.covered = now;
        this.disableBriefly();
      }),
    };
    one.tick();
    this.shown.set(id, one);
    this.list.append(card);
    this.liveRegion.textContent = t("approval_herald", [toolText(name), origin]);
  }

  private button(id: string, { verdict, scope, label, primary }: Answer): HTMLButtonElement {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = t(label);
    button.className = primary ? "primary" : "";
    button.disabled = true;
    onClick(button, async () => {
      const one = this.shown.get(id);
      if (!one) return;
      close(one, true);
      if (!(await this.act("agent_approve", { id, verdict, scope }))) close(one, false);
    });
    return button;
  }

  /** Disables the buttons for a moment, as a press may be meant for what was in their place before; a focused button stays enabled. */
  private disableBriefly(): void {
    for (const { buttons, covered } of this.shown.values()) {
      for (const button of buttons) if (covered || button !== document.activeElement) button.disabled = true;
    }
    clearTimeout(this.enableTimer);
    this.enableTimer = setTimeout(() => {
      for (const { buttons, closed, covered } of this.shown.values()) for (const button of buttons) button.disabled = closed || covered;
    }, ACCIDENTAL_PRESS_DELAY_MS);
  }
}

/** Closes the approval for answers, or opens it again. */
function close(one: ShownApproval, closed: boolean): void {
  one.closed = closed;
  for (const button of one.buttons) button.disabled = closed || one.covered;
}

function line(tag: "h2" | "p", text: string, className = ""): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}
