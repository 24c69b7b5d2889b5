// Rule of this file: an approval shows in words what would be done, where and for whom, and
// folded the exact call; the user's answer is all that it sends. To deny is as easy as to
// allow once; what allows more says what it covers.

import type { AgentApproval, PlannedStep } from "./agent-messages";
import { callerText } from "./agent-text";
import { approvalPieces, approvalText, plannedText, siteText } from "../../words";
import { answerButton, type CardContent, type Cards, line, type SendRequest } from "./cards";
import { t } from "./text";
import { onClick } from "./user";

interface Answer {
  verdict: "allow" | "deny";
  scope: "once" | "session" | "always";
  label: string;
}

const ONCE: readonly Answer[] = [
  { verdict: "allow", scope: "once", label: "allow_once" },
  { verdict: "deny", scope: "once", label: "deny" },
];
const WIDER: readonly Answer[] = [
  { verdict: "allow", scope: "session", label: "allow_session" },
  { verdict: "allow", scope: "always", label: "allow_always" },
];

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
    const { id, origin, code = "" } = approval;
    const expiry = line("p", "", "quiet expiry");
    const about = [line("p", t("approval_by", [callerText(approval), siteText(origin)]), "quiet"), exactCall(approval)];
    if (code !== "") about.push(line("p", t("approval_code", [code]), "quiet code"));
    const once = ONCE.map((answer) => this.button(id, answer));
    const wider = approval.about?.once_only ? [] : WIDER.map((answer) => this.button(id, answer));
    const answers = document.createElement("div");
    answers.className = "answers";
    answers.append(...once, expiry);
    if (wider.length > 0) expiry.before(widerMenu(approval, wider));
    return {
      title: approvalPieces(approval).map(({ text, marked }) => (marked ? line("strong", text, "foreign") : text)),
      about,
      answers,
      controls: [...once, ...wider],
      showLeft: (left) => {
        expiry.textContent = left > 0 ? t("approval_left", [clock(left)]) : t("approval_over");
      },
      herald: t("approval_herald", [approvalText(approval)]),
    };
  }

  private button(id: string, { verdict, scope, label }: Answer): HTMLButtonElement {
    const button = answerButton(t(label), verdict === "allow" && scope === "once");
    onClick(button, () => this.cards.answer("approval", id, () => this.act("agent_approve", { id, verdict, scope })));
    return button;
  }
}

/** Returns the call as the caller wrote it, and what an action would do, folded. */
function exactCall({ name, origin, summary, about }: AgentApproval): HTMLElement {
  const details = document.createElement("details");
  const fold = document.createElement("summary");
  fold.textContent = t("approval_exact");
  details.className = "exact";
  details.append(fold, line("p", origin, "origin"), line("p", [name, summary].filter((text) => text !== "").join(" "), "summary"));
  if (about?.plan?.length) details.append(line("p", t("plan_title"), "quiet"), planList(about.plan));
  return details;
}

function planList(plan: readonly PlannedStep[]): HTMLElement {
  const list = document.createElement("ol");
  list.className = "plan";
  for (const step of plan) {
    const item = document.createElement("li");
    item.textContent = plannedText(step);
    list.append(item);
  }
  return list;
}

/** Returns the answers that allow more than this call, folded, with what they cover. */
function widerMenu({ origin, effects }: AgentApproval, [session, always]: HTMLButtonElement[]): HTMLElement {
  const kinds = effects.map((effect) => t(`effect_${effect}`) || effect).join(", ");
  const details = document.createElement("details");
  const fold = document.createElement("summary");
  fold.textContent = t("approval_wider");
  details.className = "wider";
  details.append(fold);
  if (session) details.append(session, line("p", t("covers_session", [kinds, siteText(origin)]), "quiet"));
  if (always) details.append(always, line("p", t("covers_always", [kinds, siteText(origin)]), "quiet"));
  return details;
}

const clock = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
