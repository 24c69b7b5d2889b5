// Rule of this file: words that the pages and the worker show alike. A question says in one
// sentence what would be done and where; what the call is about stands apart from our own
// words, which it must not be taken for.

import { localToolText } from "./tool-text";
import type { AgentApproval, PlannedStep } from "./ui/shared/agent-messages";

const t = (key: string, substitutions?: string[]): string => chrome.i18n.getMessage(key, substitutions);

/** A piece of a sentence; a marked one is not in our words. */
export interface Piece {
  text: string;
  marked: boolean;
}

/** Stands around a marked piece while the sentence is put together; no name has it. */
const MARK = "\u0001";
/** Stands before a site, which is the host's word and needs no quotes. */
const SITE = "\u0002";

/** The sentences by primitive: with a target, and without one. */
const SENTENCES: Record<string, string> = {
  locator_click: "ask_press",
  locator_double_click: "ask_press_twice",
  locator_fill: "ask_type",
  text_insert: "ask_type",
  text_type: "ask_type",
  locator_select_option: "ask_choose",
  locator_set_checked: "ask_tick",
  locator_upload_file: "ask_upload",
  browser_navigate: "ask_go",
  browser_open_tab: "ask_open",
  browser_run_javascript: "ask_code",
  debug_run_javascript: "ask_code",
};

/** Returns what would be done, in pieces: "Press *Place order* on *tea.example*?" */
export function approvalPieces(approval: AgentApproval): Piece[] {
  return sentence(approval)
    .split(MARK)
    .map((text, index) => ({ text: text.replaceAll(SITE, ""), marked: index % 2 === 1 }))
    .filter(({ text }) => text !== "");
}

/** Returns what would be done, as plain text for a notification or a screen reader. */
export function approvalText(approval: AgentApproval): string {
  return sentence(approval)
    .split(MARK)
    .map((text, index) => (index % 2 === 1 && !text.startsWith(SITE) ? quoted(text) : text.replaceAll(SITE, "")))
    .join("");
}

function sentence(approval: AgentApproval): string {
  const { name, origin, about = {} } = approval;
  const site = markSite(origin);
  if (about.action) return t("ask_action", [mark(name), site]);
  const key = SENTENCES[keyOf(name)];
  const target = about.target || about.argument || "";
  const characters = String(about.characters ?? 0);
  switch (key) {
    case "ask_type":
      return target === "" ? t("ask_type_here", [characters, site]) : t("ask_type", [characters, mark(target), site]);
    case "ask_code":
      return t("ask_code", [site]);
    case "ask_go":
    case "ask_open":
      return about.destination ? t(key, [markSite(about.destination)]) : t(`${key}_here`, [site]);
  }
  if (key !== undefined && target !== "") return t(key, [mark(target), site]);
  return t("ask_other", [mark(toolText(name, target)), site]);
}

/** Returns what one step of an action would do: "Type 6 characters into “Search the teas”". */
export function plannedText({ primitive, target, argument, characters = 0, address, unknown }: PlannedStep): string {
  const what = quoted(target || argument || "");
  const types = SENTENCES[keyOf(primitive)] === "ask_type";
  const does = types && characters > 0 ? t(what === "" ? "plan_type_here" : "plan_type", [String(characters), what]) : toolText(primitive, what);
  if (unknown) return t("plan_unknown", [does]);
  return address ? t("plan_address", [does, address]) : does;
}

const keyOf = (name: string): string => name.replace(/[^A-Za-z0-9]+/g, "_");
const quoted = (text: string): string => (text === "" ? "" : t("quoted", [text.replace(/[“”„"]/g, "'")]));

const mark = (text: string): string => `${MARK}${text.replaceAll(MARK, "").replaceAll(SITE, "")}${MARK}`;
const markSite = (origin: string): string => `${MARK}${SITE}${siteText(origin).replaceAll(MARK, "")}${MARK}`;

/** Returns a site as people name it: a host, with its port and scheme where they are not the usual ones. */
export function siteText(origin: string): string {
  if (!URL.canParse(origin)) return origin || t("no_site");
  const { protocol, host } = new URL(origin);
  return protocol === "https:" ? host : origin;
}

/** Returns a tool's name for people, with what the call is about. */
export function toolText(name: string, argument = ""): string {
  return localToolText(name, argument) || name.replace(/[^A-Za-z0-9]+/g, " ");
}

/** Begins the ids of the sessions in which the user tries a saved action. */
const PROOF_PREFIX = "proof-";

/** Begins the ids of the side panel's sessions. */
const PANEL_PREFIX = "panel-";

/** Returns a session by its id in the log: its kind, and its name. */
export function sessionText(id: string): string {
  const [kind = "", which = ""] = id.split(/:(.*)/s);
  if (kind === "agent" && which.startsWith(PANEL_PREFIX)) return t("session_panel");
  if (kind === "cli" && which.startsWith(PROOF_PREFIX)) return t("session_proof");
  const kindText = t(`session_${kind}`) || kind;
  return which === "" ? kindText : t("session_named", [kindText, which]);
}

/** Returns who asks. */
export function callerText({ session, session_id: id, caller }: Pick<AgentApproval, "session" | "session_id" | "caller">): string {
  return caller ? t("session_named", [t(`session_${session}`) || session, caller]) : sessionText(id);
}
