// Rule of this file: a question is answered by the user's own hand only, and not
// by a click or key that was meant for what stood there before, or for what lies
// over it: its buttons come alive a moment after it came into sight.

import type { AgentCommand } from "../protocol";
import type { AgentApproval } from "./agent-messages";
import { callerWords, toolWords } from "./agent-words";
import { watchCover } from "./sight";
import { t } from "./text";
import { ALIVE_MS, onClick } from "./user";

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

/** One question as it is shown. */
interface Shown {
  card: HTMLElement;
  buttons: HTMLButtonElement[];
  /** Tells how much time is left. */
  tick(): void;
  /** An answer is under way, or the time is over. */
  closed: boolean;
  covered: boolean;
  unwatch(): void;
}

/** The questions that wait. */
export class Approvals {
  private readonly shown = new Map<string, Shown>();
  private resting: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly list: HTMLElement,
    /** Speaks to screen readers at once. */
    private readonly herald: HTMLElement,
    /** Where the focus goes when its question is gone. */
    private readonly retreat: HTMLElement,
    private readonly act: Act,
  ) {
    setInterval(() => this.shown.forEach((one) => one.tick()), TICK_MS);
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
      if (focused) this.retreat.focus();
      moved = true;
    }
    for (const approval of approvals) {
      if (this.shown.has(approval.id)) continue;
      this.add(approval);
      moved = true;
    }
    this.list.hidden = this.shown.size === 0;
    if (moved) this.rest();
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
    const answers = document.createElement("div");
    answers.className = "answers";
    const buttons = ANSWERS.map((answer) => this.button(id, answer));
    answers.append(...buttons);
    card.append(title, line("p", origin, "origin"), line("p", t("approval_by", [callerWords(approval)]), "quiet"), about);
    if (summary !== "") card.append(line("p", summary, "summary"));
    const covered = line("p", t("approval_covered"));
    covered.hidden = true;
    card.append(covered, answers);
    const one: Shown = {
      card,
      buttons,
      tick: () => {
        const left = Math.ceil((Date.parse(approval.expires_at) - Date.now()) / 1000);
        expiry.textContent = left > 0 ? t("approval_left", [String(left)]) : t("approval_over");
        if (left <= 0) close(one, true);
      },
      closed: false,
      covered: false,
      unwatch: watchCover(answers, (now) => {
        covered.hidden = !now;
        if (one.covered === now) return;
        one.covered = now;
        this.rest();
      }),
    };
    one.tick();
    this.shown.set(id, one);
    this.list.append(card);
    this.herald.textContent = t("approval_herald", [toolWords(name), origin]);
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
      if (!(await this.act("approve", { id, verdict, scope }))) close(one, false);
    });
    return button;
  }

  /** What stands where another button stood a moment ago takes no press that was meant for that; a button with the focus is meant itself. */
  private rest(): void {
    for (const { buttons, covered } of this.shown.values()) {
      for (const button of buttons) if (covered || button !== document.activeElement) button.disabled = true;
    }
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      for (const { buttons, closed, covered } of this.shown.values()) for (const button of buttons) button.disabled = closed || covered;
    }, ALIVE_MS);
  }
}

/** Takes no answer to the question, or takes one again. */
function close(one: Shown, closed: boolean): void {
  one.closed = closed;
  for (const button of one.buttons) button.disabled = closed || one.covered;
}

function line(tag: "h2" | "p", text: string, className = ""): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}
