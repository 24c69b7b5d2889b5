// Rule of this file: a question is answered by the user's own hand only, and not
// by a click or key that was meant for what stood there before: its buttons
// come alive a moment after it is shown.

import type { AgentCommand } from "../protocol";
import type { AgentApproval } from "./agent-messages";
import { callerWords, toolWords } from "./agent-words";
import { t } from "./text";
import { onClick } from "./user";

const ALIVE_MS = 600;
const TICK_MS = 1000;

const ANSWERS = [
  { verdict: "allow", scope: "once", label: "allow_once", primary: true },
  { verdict: "allow", scope: "session", label: "allow_session", primary: false },
  { verdict: "allow", scope: "always", label: "allow_always", primary: false },
  { verdict: "deny", scope: "once", label: "deny", primary: false },
] as const;

type Answer = (typeof ANSWERS)[number];

/** Carries a command out and shows its failure. */
export type Act = (command: AgentCommand["command"], args?: Record<string, unknown>) => Promise<boolean>;

/** The questions that wait. */
export class Approvals {
  private readonly shown = new Map<string, { card: HTMLElement; tick(): void }>();

  constructor(
    private readonly list: HTMLElement,
    /** Speaks to screen readers at once. */
    private readonly herald: HTMLElement,
    /** Where the focus goes when its question is gone. */
    private readonly retreat: HTMLElement,
    private readonly act: Act,
  ) {
    setInterval(() => this.tick(), TICK_MS);
  }

  show(approvals: readonly AgentApproval[]): void {
    const open = new Set(approvals.map(({ id }) => id));
    for (const [id, { card }] of this.shown) {
      if (open.has(id)) continue;
      const focused = card.contains(document.activeElement);
      card.remove();
      this.shown.delete(id);
      if (focused) this.retreat.focus();
    }
    for (const approval of approvals) if (!this.shown.has(approval.id)) this.add(approval);
    this.list.hidden = this.shown.size === 0;
  }

  private add(approval: AgentApproval): void {
    const { id, name, origin, summary, effects } = approval;
    const card = document.createElement("article");
    const title = line("h2", t("approval_title", [toolWords(name)]));
    title.id = `approval-${id}`;
    card.setAttribute("aria-labelledby", title.id);
    const kinds = effects.map((effect) => t(`effect_${effect}`) || effect).join(", ");
    const about = line("p", `${t("approval_effects", [kinds])} `, "quiet");
    const expiry = document.createElement("span");
    about.append(expiry);
    const buttons = document.createElement("div");
    buttons.className = "answers";
    buttons.append(...ANSWERS.map((answer) => this.button(id, answer, card)));
    card.append(title, line("p", origin, "origin"), line("p", t("approval_by", [callerWords(approval)]), "quiet"), about);
    if (summary !== "") card.append(line("p", summary, "summary"));
    card.append(buttons);
    const tick = (): void => {
      const left = Math.ceil((Date.parse(approval.expires_at) - Date.now()) / 1000);
      expiry.textContent = left > 0 ? t("approval_left", [String(left)]) : t("approval_over");
      if (left <= 0) for (const button of buttons.querySelectorAll("button")) button.disabled = true;
    };
    tick();
    this.shown.set(id, { card, tick });
    this.list.append(card);
    this.herald.textContent = t("approval_herald", [toolWords(name), origin]);
  }

  private button(id: string, { verdict, scope, label, primary }: Answer, card: HTMLElement): HTMLElement {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = t(label);
    button.className = primary ? "primary" : "";
    button.disabled = true;
    setTimeout(() => (button.disabled = false), ALIVE_MS);
    onClick(button, async () => {
      const all = card.querySelectorAll("button");
      for (const each of all) each.disabled = true;
      if (!(await this.act("approve", { id, verdict, scope }))) for (const each of all) each.disabled = false;
    });
    return button;
  }

  private tick(): void {
    for (const { tick } of this.shown.values()) tick();
  }
}

function line(tag: "h2" | "p", text: string, className = ""): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}
