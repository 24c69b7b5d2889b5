// Rule of this file: how the pane and the popup put the agent's state into words,
// and which of its buttons make sense in which state.

import type { AgentApproval, AgentCost, AgentRow, AgentState } from "./agent-messages";
import { t } from "./text";

/** Whether a session runs or is about to. */
export const isLive = ({ status }: AgentState): boolean => status !== "disconnected" && status !== "error";

/** Whether the agent is at something that a message would have to wait for. */
export const isBusy = ({ status }: AgentState): boolean => status === "thinking" || status === "using_tool" || status === "speaking";

/** Why a session ended, and what to do. */
export function problemWords({ status, error }: AgentState): string {
  if (status !== "error") return "";
  return [error?.message.replace(/\.?$/, ".") ?? t("agent_error"), error?.next_step ?? ""].join(" ").trim();
}

/** A tool for people: models know it by a name without dots. */
export function toolWords(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9]+/g, "_");
  return t(`tool_${plain}`) || plain.replaceAll("_", " ");
}

export function statusWords({ status, tool }: AgentState): string {
  return status === "using_tool" && tool ? t("agent_using", [toolWords(tool)]) : t(`agent_${status}`);
}

/** What can be neither said nor heard. */
export function channelWords({ text_only, input_muted, output_muted }: AgentState): string {
  if (text_only) return t("text_only");
  return [input_muted ? t("muted") : "", output_muted ? t("silenced") : ""].filter((part) => part !== "").join(", ");
}

/** A tool's row: its name, and the code and reason of its failure if it failed. */
export function toolRowWords({ text, done, ok }: AgentRow): string {
  const [, name = "", code = "", why = ""] = /^(.*?)(?:: (.*?))?(?:: (.*))?$/s.exec(text) ?? [];
  const tool = toolWords(name);
  if (!done) return t("row_running", [tool]);
  if (ok !== false) return t("row_done", [tool]);
  const reason = [code.replaceAll("_", " "), why].filter((part) => part !== "").join(": ");
  return reason === "" ? t("row_failed", [tool]) : t("row_failed_because", [tool, reason]);
}

const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", minimumFractionDigits: 2, maximumFractionDigits: 3 });

export function costWords(cost: AgentCost | undefined): string {
  if (!cost || cost.responses === 0) return "";
  return t("cost", [dollars.format(cost.session_usd), dollars.format(cost.last_usd)]);
}

/** Who calls, by the id of the session in the log: its kind, and which one of them. */
export function sessionWords(id: string): string {
  const [kind = "", which = ""] = id.split(/:(.*)/s);
  const words = t(`session_${kind}`) || kind;
  return which === "" ? words : t("session_named", [words, which]);
}

/** Who asks a question. */
export function callerWords({ session, session_id: id, caller }: Pick<AgentApproval, "session" | "session_id" | "caller">): string {
  return caller ? t("session_named", [t(`session_${session}`) || session, caller]) : sessionWords(id);
}
