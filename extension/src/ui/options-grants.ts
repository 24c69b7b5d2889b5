// Rule of this file: what the user has allowed or denied, each with the button
// that takes it back. Names come from sites and agents: they are text only. The
// list is as it was when it was asked for; a press on what is gone by then takes
// back nothing else.

import { callerWords } from "./agent-words";
import { askDesk, type Grant } from "./desk-client";
import { button, element, t } from "./text";
import { ALIVE_MS, failure, onClick } from "./user";

const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

let shown: readonly Grant[] = [];
let drawn = "";
let asked = 0;
let revoking = false;
let connected = false;
let alive: ReturnType<typeof setTimeout> | undefined;

/** The grants' part of the page. */
export interface GrantsPart {
  /** The host is there, or is not. */
  reachable(now: boolean): void;
  /** What holds may be something else by now. */
  refresh(): Promise<void>;
}

export function serveGrants(): GrantsPart {
  onClick(button("revoke-all"), () => revoke(shown));
  const again = (): void => {
    if (!document.hidden && connected) void refresh();
  };
  document.addEventListener("visibilitychange", again);
  window.addEventListener("focus", again);
  return {
    reachable(now) {
      if (now !== connected) say("", ""); // it was about another host
      connected = now;
      element("grants-offline").hidden = now;
      if (now) void refresh();
      else hide();
    },
    refresh,
  };
}

async function refresh(): Promise<void> {
  if (revoking) return; // its answer has the list too
  const turn = ++asked;
  try {
    const { grants } = await askDesk("grants");
    if (turn === asked) draw(grants);
  } catch (error) {
    say("", failure(error));
  }
}

async function revoke(meant: readonly Grant[]): Promise<void> {
  if (revoking || element("grants-list").ariaBusy === "true") return;
  revoking = true;
  asked++; // a list that is under way is older than what is done now
  say(t("revoking"), "");
  try {
    const { revoked, grants } = await askDesk("revoke", { ids: meant.map(({ id }) => id) });
    draw(grants);
    say(revokedWords(meant, revoked), "");
    revoking = false;
  } catch (error) {
    revoking = false;
    await refresh();
    say("", failure(error));
  }
}

function revokedWords(meant: readonly Grant[], revoked: number): string {
  const [first] = meant;
  if (first === undefined || meant.length > 1) return t(revoked < meant.length ? "revoked_some" : "revoked_all", [String(revoked), String(meant.length)]);
  return revoked === 0 ? t("revoked_none") : t("revoked_one", [effectWords(first), siteWords(first)]);
}

function say(result: string, wrong: string): void {
  element("grants-result").textContent = result;
  element("grants-wrong").textContent = wrong;
}

/** Shows the list, if it is another one. */
function draw(grants: readonly Grant[]): void {
  const text = JSON.stringify(grants);
  if (text === drawn) return;
  const refocus = keepFocus(grants);
  drawn = text;
  shown = grants;
  element("grants-list").replaceChildren(...grants.map(grantRow));
  element("grants-none").hidden = grants.length > 0;
  const all = button("revoke-all");
  all.hidden = grants.length < 2;
  all.textContent = t("revoke_all", [String(grants.length)]);
  settle();
  refocus();
}

/** The focus stays at its grant, goes to the one that takes its place, or to the title where there is none. */
function keepFocus(grants: readonly Grant[]): () => void {
  const at = document.activeElement;
  const row = at?.closest<HTMLElement>("[data-grant]");
  const all = button("revoke-all");
  if (!row) return () => void (at === all && all.hidden && element("grants-title").focus());
  const index = (list: readonly Grant[]): number => list.findIndex(({ id }) => id === row.dataset["grant"]);
  const kept = index(grants);
  const next = kept >= 0 ? kept : Math.min(index(shown), grants.length - 1);
  return () => {
    const to = element("grants-list").children[next];
    // At a new grant the row, not its button: a key that is held down must not revoke it.
    const target = kept >= 0 && at !== row ? to?.querySelector("button") : to;
    (target instanceof HTMLElement ? target : element("grants-title")).focus();
  };
}

/** Without the host nobody knows what holds. */
function hide(): void {
  asked++;
  draw([]);
  drawn = "";
  element("grants-none").hidden = true;
}

/** Rows have moved: for a moment nobody can have meant the one under the pointer. */
function settle(): void {
  const list = element("grants-list");
  clearTimeout(alive);
  list.ariaBusy = "true";
  alive = setTimeout(() => (list.ariaBusy = null), ALIVE_MS);
}

function grantRow(grant: Grant): HTMLElement {
  const row = document.createElement("li");
  row.dataset["grant"] = grant.id;
  row.tabIndex = -1;
  const about = document.createElement("div");
  const terms = line("p", "", "quiet");
  terms.append(...[whoseWords(grant), untilWords(grant), sinceWords(grant)].filter((words) => words !== "").map((words) => line("span", words)));
  about.append(line("p", effectWords(grant), grant.deny ? "effect denied" : "effect"), line("p", siteWords(grant), "site"), terms);
  const press = line("button", t("revoke"));
  press.type = "button";
  press.setAttribute("aria-label", t("revoke_label", [effectWords(grant), siteWords(grant), whoseWords(grant)]));
  onClick(press, () => revoke([grant]));
  row.append(about, press);
  return row;
}

const effectWords = ({ effect, deny }: Grant): string => t(deny ? "grant_denied" : "grant_allowed", [t(`effect_${effect}`) || effect]);

const siteWords = ({ origin }: Grant): string => origin || t("grant_no_page");

const sinceWords = ({ since }: Grant): string => (since === undefined ? "" : t("grant_since", [dayAndTime.format(new Date(since))]));

function whoseWords({ session_id, session_name: caller }: Grant): string {
  if (session_id === undefined) return t("grant_everybody");
  const [session = ""] = session_id.split(":", 1);
  return callerWords(caller === undefined ? { session, session_id } : { session, session_id, caller });
}

function untilWords({ scope, deny, expires_at }: Grant): string {
  if (expires_at === undefined) return t(`grant_${scope}`);
  return t(scope === "once" && !deny ? "grant_once" : "grant_until", [clock.format(new Date(expires_at))]);
}

function line<T extends "p" | "span" | "button">(tag: T, text: string, className = ""): HTMLElementTagNameMap[T] {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}
