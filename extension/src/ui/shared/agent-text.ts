// Rule of this file: the texts of the pane and the popup for the agent's state,
// and which of its buttons make sense in which state.

import type { AgentCost, AgentRow, AgentState } from "./agent-messages";
import { toolText } from "../../words";
import { t } from "./text";

export { callerText, sessionText, toolText } from "../../words";

/** Reports whether a session runs or is about to. */
export const isLive = ({ status }: AgentState): boolean => status !== "disconnected" && status !== "error";

/** Reports whether the agent is busy, so that a message would have to wait. */
export const isBusy = ({ status }: AgentState): boolean => status === "thinking" || status === "using_tool" || status === "speaking";

/** Returns why a session ended, and what to do. */
export function problemText({ status, error }: AgentState): string {
  if (status !== "error") return "";
  return [error?.message.replace(/\.?$/, ".") ?? t("agent_error"), error?.next_step ?? ""].join(" ").trim();
}

export function statusText({ status, tool, tool_argument }: AgentState): string {
  return status === "using_tool" && tool ? t("agent_using", [toolText(tool, tool_argument)]) : t(`agent_${status}`);
}

/** Returns which of microphone and loudspeaker are off. */
export function channelText({ text_only, input_muted, output_muted }: AgentState): string {
  if (text_only) return t("text_only");
  return [input_muted ? t("muted") : "", output_muted ? t("silenced") : ""].filter((text) => text !== "").join(", ");
}

/** Returns the text of a tool's row: its name, and the code and reason of its failure if it failed. */
export function toolRowText({ text, done, ok, argument }: AgentRow): string {
  const [, name = "", code = "", why = ""] = /^(.*?)(?:: (.*?))?(?:: (.*))?$/s.exec(text) ?? [];
  const tool = toolText(name, argument);
  if (!done) return t("row_running", [tool]);
  if (ok !== false) return t("row_done", [tool]);
  const reason = [code.replaceAll("_", " "), why].filter((text) => text !== "").join(": ");
  return reason === "" ? t("row_failed", [tool]) : t("row_failed_because", [tool, reason]);
}

const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", minimumFractionDigits: 2, maximumFractionDigits: 3 });

export function costText(cost: AgentCost | undefined): string {
  if (!cost || cost.responses === 0) return "";
  return t("cost", [dollars.format(cost.session_usd), dollars.format(cost.last_usd)]);
}
