// Rule of this file: an approval shows what would be done, where and for whom; the
// user's answer is all that it sends.

import type { AgentApproval } from "./agent-messages";
import { callerText, toolText } from "./agent-text";
import { answerButton, type CardContent, type Cards, line, type SendRequest } from "./cards";
import { t } from "./text";
import { onClick } from "./user";

const ANSWERS = [
  { verdict: "allow", scope: "once", label: "allow_once", primary: true },
  { verdict: "allow", scope: "session", label: "allow_session", primary: false },
  { verdict: "allow", scope: "always", label: "allow_always", primary: false },
  { verdict: "deny", scope: "once", label: "deny", primary: false },
] as const;

type Answer = (typeof ANSWERS)[number];

/** The approvals that wait. */
export class Approvals {
  constructor(
    private readonly cards: Cards,
    private readonly act: SendRequest,
  ) {}

  show(approvals: readonly AgentApproval[]): void {
    this.cards.show("approval", approvals, (approval) => this.content(approval));
  }

  private content(approval: AgentApproval): CardContent {
    const { id, name, origin, summary, effects, code } = approval;
    const kinds = effects.map((effect) => t(`effect_${effect}`) || effect).join(", ");
    const expiry = line("span", "");
    const effect = line("p", `${t("approval_effects", [kinds])} `, "quiet");
    effect.append(expiry);
    const about = [line("p", origin, "origin"), line("p", t("approval_by", [callerText(approval)]), "quiet"), effect];
    if (summary !== "") about.push(line("p", summary, "summary"));
    if (code !== undefined) about.push(line("p", t("approval_code", [code]), "quiet code"));
    const controls = ANSWERS.map((answer) => this.button(id, answer));
    const answers = document.createElement("div");
    answers.className = "answers";
    answers.append(...controls);
    return {
      title: t("approval_title", [toolText(name)]),
      about,
      answers,
      controls,
      showLeft: (left) => {
        expiry.textContent = left > 0 ? t("approval_left", [String(left)]) : t("approval_over");
      },
      herald: t("approval_herald", [toolText(name), origin]),
    };
  }

  private button(id: string, { verdict, scope, label, primary }: Answer): HTMLButtonElement {
    const button = answerButton(t(label), primary);
    onClick(button, () => this.cards.answer("approval", id, () => this.act("agent_approve", { id, verdict, scope })));
    return button;
  }
}
