// Rule of this file: what the user has allowed or denied, each with the button
// that revokes it. Names come from sites and agents: they are text only. The
// list is as old as its request; a press on a grant that is gone by then revokes
// nothing else.

import { callerText } from "../shared/agent-text";
import { requestOfHost, type Grant } from "../shared/host-client";
import { button, element, t } from "../shared/text";
import { ACCIDENTAL_PRESS_DELAY_MS, failure, onClick } from "../shared/user";

const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

let shown: readonly Grant[] = [];
let drawn = "";
let asked = 0;
let revoking = false;
let connected = false;
let alive: ReturnType<typeof setTimeout> | undefined;

/** The grants section of the page. */
export interface GrantsSection {
  /** The host is connected, or is not. */
  setConnected(now: boolean): void;
  /** Reads the grants again. */
  refresh(): Promise<void>;
}

export function serveGrants(): GrantsSection {
  onClick(button("revoke-all"), () => revoke(shown));
  const refreshIfVisible = (): void => {
    if (!document.hidden && connected) void refresh();
  };
  document.addEventListener("visibilitychange", refreshIfVisible);
  window.addEventListener("focus", refreshIfVisible);
  return {
    setConnected(now) {
      if (now !== connected) showResult("", ""); // it was about another host
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
    const { grants } = await requestOfHost("ui_grants", {});
    if (turn === asked) draw(grants);
  } catch (error) {
    showResult("", failure(error));
  }
}

async function revoke(targets: readonly Grant[]): Promise<void> {
  if (revoking || element("grants-list").ariaBusy === "true") return;
  revoking = true;
  asked++; // a list that is under way is older than what is done now
  showResult(t("revoking"), "");
  try {
    const { revoked, grants } = await requestOfHost("ui_revoke", { ids: targets.map(({ id }) => id) });
    draw(grants);
    showResult(revokedText(targets, revoked), "");
    revoking = false;
  } catch (error) {
    revoking = false;
    await refresh();
    showResult("", failure(error));
  }
}

function revokedText(targets: readonly Grant[], revoked: number): string {
  const [first] = targets;
  if (first === undefined || targets.length > 1) return t(revoked < targets.length ? "revoked_some" : "revoked_all", [String(revoked), String(targets.length)]);
  return revoked === 0 ? t("revoked_none") : t("revoked_one", [effectText(first), siteText(first)]);
}

function showResult(result: string, wrong: string): void {
  element("grants-result").textContent = result;
  element("grants-wrong").textContent = wrong;
}

/** Shows the list, if it has changed. */
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
  ignoreAccidentalPresses();
  refocus();
}

/** Returns a function that puts the focus back: to its grant, to the one in its place, or to the title where there is none. */
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

/** Hides the list: without the host the grants are not known. */
function hide(): void {
  asked++;
  draw([]);
  drawn = "";
  element("grants-none").hidden = true;
}

/** Ignores presses for a moment after rows have moved: they were meant for another row. */
function ignoreAccidentalPresses(): void {
  const list = element("grants-list");
  clearTimeout(alive);
  list.ariaBusy = "true";
  alive = setTimeout(() => (list.ariaBusy = null), ACCIDENTAL_PRESS_DELAY_MS);
}

function grantRow(grant: Grant): HTMLElement {
  const row = document.createElement("li");
  row.dataset["grant"] = grant.id;
  row.tabIndex = -1;
  const about = document.createElement("div");
  const terms = line("p", "", "quiet");
  terms.append(...[ownerText(grant), expiryText(grant), sinceText(grant)].filter((term) => term !== "").map((term) => line("span", term)));
  about.append(line("p", effectText(grant), grant.deny ? "effect denied" : "effect"), line("p", siteText(grant), "site"), terms);
  const press = line("button", t("revoke"));
  press.type = "button";
  press.setAttribute("aria-label", t("revoke_label", [effectText(grant), siteText(grant), ownerText(grant)]));
  onClick(press, () => revoke([grant]));
  row.append(about, press);
  return row;
}

const effectText = ({ effect, deny }: Grant): string => t(deny ? "grant_denied" : "grant_allowed", [t(`effect_${effect}`) || effect]);

const siteText = ({ origin }: Grant): string => origin || t("grant_no_page");

const sinceText = ({ since }: Grant): string => (since === undefined ? "" : t("grant_since", [dayAndTime.format(new Date(since))]));

function ownerText({ session_id, session_name: caller }: Grant): string {
  if (session_id === undefined) return t("grant_everybody");
  const [session = ""] = session_id.split(":", 1);
  return callerText(caller === undefined ? { session, session_id } : { session, session_id, caller });
}

function expiryText({ scope, deny, expires_at }: Grant): string {
  if (expires_at === undefined) return t(`grant_${scope}`);
  return t(scope === "once" && !deny ? "grant_once" : "grant_until", [clock.format(new Date(expires_at))]);
}

function line<T extends "p" | "span" | "button">(tag: T, text: string, className = ""): HTMLElementTagNameMap[T] {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}
