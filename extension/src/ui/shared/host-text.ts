// Rule of this file: the popup's texts for calls and their outcomes.

import { sessionText, toolText } from "./agent-text";
import type { Activity, Running } from "./host-client";
import { t } from "./text";

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** Returns what a call does. A stored action keeps its name in the map. */
export function callText({ name = "", action, argument }: Pick<Running, "name" | "action" | "argument"> | Activity): string {
  return action || capital(toolText(name, argument));
}

/** Returns what runs, its current step, for how long and for whom. */
export function runningText(running: Running, now: number): string {
  const { name, action, step, argument, session_id, session_name, started_at } = running;
  const what = step === undefined ? callText(running) : t("running_step", [callText({ name, ...(action && { action }) }), toolText(step, argument)]);
  const seconds = Math.max(0, Math.round((now - Date.parse(started_at)) / 1000));
  return t("running_for", [what, String(seconds), session_name || sessionText(session_id)]);
}

/** Returns what was done. */
export function activityText(done: Activity): string {
  return done.type === "claim" || done.type === "release" ? t(`activity_${done.type}`) : callText(done);
}

/** Returns the outcome: good, bad, or neutral (told). */
export function outcomeOf({ type, ok, code = "", message = "" }: Activity): { kind: "good" | "bad" | "told"; text: string; reason: string } {
  if (type === "claim" || type === "release") return { kind: "told", text: "", reason: "" };
  if (ok) return { kind: "good", text: t("outcome_ok"), reason: "" };
  const text = t(`outcome_${code}`);
  return { kind: code === "cancelled" || code === "needs_approval" ? "told" : "bad", text: text || t("outcome_failed"), reason: text === "" ? capital(message) : "" };
}

export const timeText = (at: string): string => clock.format(new Date(at));

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
