// Rule of this file: how the popup puts calls and what became of them into words.

import { sessionWords, toolWords } from "./agent-words";
import type { Activity, Running } from "./desk-client";
import { t } from "./text";

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** What a call does. A stored action keeps the name that its map gives it. */
export function callWords({ name = "", action }: Pick<Running, "name" | "action"> | Activity): string {
  return action || capital(toolWords(name));
}

/** What runs, where it has come to, for how long and for whom. */
export function runningWords(running: Running, now: number): string {
  const { step, session_id, session_name, started_at } = running;
  const what = step === undefined ? callWords(running) : t("running_step", [callWords(running), toolWords(step)]);
  const seconds = Math.max(0, Math.round((now - Date.parse(started_at)) / 1000));
  return t("running_for", [what, String(seconds), session_name || sessionWords(session_id)]);
}

/** What was done. */
export function activityWords(done: Activity): string {
  return done.type === "claim" || done.type === "release" ? t(`activity_${done.type}`) : callWords(done);
}

/** What became of it: well, not well, or only told. */
export function outcomeOf({ type, ok, code = "", message = "" }: Activity): { kind: "good" | "bad" | "told"; words: string; reason: string } {
  if (type === "claim" || type === "release") return { kind: "told", words: "", reason: "" };
  if (ok) return { kind: "good", words: t("outcome_ok"), reason: "" };
  const words = t(`outcome_${code}`);
  return { kind: code === "cancelled" || code === "needs_approval" ? "told" : "bad", words: words || t("outcome_failed"), reason: words === "" ? capital(message) : "" };
}

export const timeWords = (at: string): string => clock.format(new Date(at));

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
