// Rule of this file: it shows the worker's state and asks it for what the
// user wants; it decides nothing. What did not change is not drawn again, so
// that the keyboard focus stays where it is.

import type { ErrorData } from "../../protocol";
import type { UiAnswer, UiRequest, UiState, UiTab } from "../shared/messages";
import { PANEL_PAGE } from "../shared/panel-messages";
import { SAVE_RECORDED, savePage } from "../shared/save-messages";
import { button, element, t, translate } from "../shared/text";
import { holdPresses, unpressed } from "../shared/presses";
import { onClick } from "../shared/user";
import { drawRunning, followHost, stopButton } from "./activity";
import { showAgent } from "./agent";
import { serveGrants, showSite } from "./grants";
import { serveRepair, showRepairOf } from "./repair";
import { showModeOf } from "./mode";
import { serveRecord, showRecordOf } from "./record";

const REFRESH_INTERVAL_MS = 700;
const ANSWER_TIMEOUT_MS = 15_000;

let shown = "";
let shownTabs = "";
let shownTab: number | undefined;
let busy = false;
let connected = false;

/** Asks the worker; fails if it does not answer in time. */
async function ask<A extends UiState | UiAnswer>(request: UiRequest): Promise<A> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(t("worker_silent"))), ANSWER_TIMEOUT_MS);
  });
  try {
    return await Promise.race([chrome.runtime.sendMessage<UiRequest, A>(request), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Draws the worker's state, if it has changed. */
async function refresh(): Promise<void> {
  const state = await ask<UiState | { ok: false; error: ErrorData }>({ kind: "ui_state" });
  if ("ok" in state) throw new Error(state.error.message);
  await unpressed();
  const text = JSON.stringify(state);
  if (text === shown) return;
  shown = text;
  drawConnection(state);
  drawTab(state);
  drawClaimed(state.claimed, state.tab);
}

function drawConnection({ connection, profile_label, extension_version }: UiState): void {
  element("connection").dataset["state"] = connection.state;
  connected = connection.state === "connected";
  write("state", connection.message);
  write("profile", profile_label);
  write("versions", t("extension_version", [extension_version]));
  const { repair } = connection;
  write("command", repair?.command ?? "");
  write("repair-why", repair ? t(repair.repairs ? "run_in_terminal" : "run_to_find_out") : "");
  element("repair").hidden = button("copy").hidden = repair === undefined;
  button("retry").hidden = connection.state === "connected" || connection.state === "connecting";
}

function drawTab({ tab }: UiState): void {
  const control = button("control");
  shownTab = tab?.tab_id;
  control.hidden = tab === null;
  button("show-pane").hidden = !tab?.claimed;
  button("save-action").hidden = !tab?.claimed || !connected;
  button("open-chat").hidden = !tab?.operable;
  write("tab-name", tab === null ? "" : tab.title || t("untitled"));
  write("tab-host", tab?.host ?? "");
  showSite(tab?.url ?? "");
  showModeOf(tab?.url ?? "");
  showRecordOf(tab?.claimed && connected ? tab.tab_id : undefined);
  showRepairOf(tab?.claimed && connected ? tab.tab_id : undefined, tab?.url ?? "");
  drawTabRun(tab);
  if (tab === null) return write("tab-note", t("tab_none"));
  const claimed = connected ? "tab_claimed" : "tab_claimed_offline";
  write("tab-note", t(tab.claimed ? claimed : tab.operable ? "tab_free" : "tab_restricted"));
  write("control", t(tab.claimed ? "release_this" : "claim"));
  control.classList.toggle("active", tab.claimed);
  // A tab can always be released, also without a host.
  control.disabled = !tab.claimed && !connected;
  button("show-pane").onclick = () => void act({ kind: "ui_show_pane", tab_id: tab.tab_id }, "did_show_pane");
  control.onclick = () => void (tab.claimed ? release(tab.tab_id) : claim(tab.tab_id));
}

/** The tab's calls and their Stop; made once for each tab, as a press that has begun on Stop ends there. */
function drawTabRun(tab: UiTab | null): void {
  const place = element("tab-run");
  const shownFor = tab?.claimed ? String(tab.tab_id) : "";
  if (place.dataset["for"] === shownFor) return;
  place.dataset["for"] = shownFor;
  if (!tab?.claimed) return place.replaceChildren();
  const runs = document.createElement("div");
  runs.dataset["runs"] = shownFor;
  place.replaceChildren(runs, stopButton(tab.tab_id, tab.title || t("untitled"), notice));
  drawRunning();
}

/** Rows that stay the same are not replaced: a press that has begun on one ends there. */
function drawClaimed(claimed: UiTab[], current: UiTab | null): void {
  const tabs = claimed.filter(({ tab_id }) => tab_id !== current?.tab_id);
  const text = JSON.stringify([claimed.length, tabs]);
  if (text === shownTabs) return;
  shownTabs = text;
  element("claimed-none").hidden = claimed.length > 0;
  element("claimed-title").hidden = claimed.length > 0 && tabs.length === 0;
  const list = element("claimed-list");
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["tab"] : undefined;
  list.replaceChildren(...tabs.map(row));
  if (focused !== undefined) list.querySelector<HTMLElement>(`[data-tab="${focused}"]`)?.focus();
  drawRunning();
}

function row(tab: UiTab): HTMLElement {
  const item = document.createElement("li");
  const text = document.createElement("div");
  const name = document.createElement("p");
  const host = document.createElement("p");
  const free = document.createElement("button");
  const title = tab.title || t("untitled");
  name.className = "name";
  name.textContent = name.title = title;
  host.className = "quiet";
  host.textContent = tab.host || tab.url;
  free.type = "button";
  free.textContent = t("release");
  free.dataset["tab"] = String(tab.tab_id);
  free.setAttribute("aria-label", t("release_tab", [title]));
  free.onclick = () => void release(tab.tab_id);
  const runs = document.createElement("div");
  runs.dataset["runs"] = String(tab.tab_id);
  item.dataset["row"] = "";
  text.append(name, host);
  item.append(text, stopButton(tab.tab_id, title, notice), free, runs);
  return item;
}

function write(id: string, text: string): void {
  const target = element(id);
  if (target.textContent !== text) target.textContent = text;
}

function claim(tabId: number): Promise<void> {
  return act({ kind: "ui_claim", tab_id: tabId }, "did_claim");
}

function release(tabId: number): Promise<void> {
  return act({ kind: "ui_release", tab_id: tabId }, "did_release");
}

/** Sends the user's request, shows the outcome and the new state. */
async function act(request: UiRequest, done: string): Promise<void> {
  if (busy) return;
  busy = true;
  try {
    const answer = await ask<UiAnswer>(request);
    if (!answer.ok) throw new Error(answer.error.message);
    notice(done === "" ? "" : t(done), false);
  } catch (error) {
    notice(t("failed", [messageOf(error)]), true);
  } finally {
    busy = false;
    shown = "";
    await tick();
  }
}

function notice(text: string, bad: boolean): void {
  write("notice", text);
  element("notice").classList.toggle("bad", bad);
}

async function tick(): Promise<void> {
  try {
    await refresh();
  } catch (error) {
    notice(messageOf(error), true);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function copy(): Promise<void> {
  try {
    await navigator.clipboard.writeText(element("command").textContent);
    notice(t("copied"), false);
  } catch (error) {
    notice(t("failed", [messageOf(error)]), true);
  }
}

translate();
holdPresses();
button("copy").onclick = () => void copy();
button("retry").onclick = () => void act({ kind: "ui_retry" }, "");

/** Opens the side panel of the tab. Nothing is awaited before: it must be the click that opens it. */
function openChat(): void {
  if (shownTab === undefined) return;
  const tabId = shownTab;
  const failed = (error: unknown): void => notice(t("failed", [messageOf(error)]), true);
  chrome.sidePanel.setOptions({ tabId, path: `${PANEL_PAGE}?tab=${tabId}`, enabled: true }).catch(failed);
  chrome.sidePanel.open({ tabId }).catch(failed);
}

/** Opens the page in which the user saves what was done in the tab, or tries what was recorded there. */
function openSavePage(of?: typeof SAVE_RECORDED): void {
  if (shownTab === undefined) return;
  chrome.tabs.create({ url: savePage(shownTab, of), openerTabId: shownTab }).catch((error: unknown) => notice(t("failed", [messageOf(error)]), true));
}

/** Polls while the popup is open, one request at a time. */
async function follow(): Promise<void> {
  for (;;) {
    if (!busy) await tick();
    await new Promise((resolve) => setTimeout(resolve, REFRESH_INTERVAL_MS));
  }
}

serveRepair();
void follow();
showAgent();
followHost(() => connected, notice);
serveGrants();
serveRecord(() => connected, notice);
onClick(button("open-chat"), () => openChat());
onClick(button("save-action"), () => openSavePage());
onClick(button("record-try"), () => openSavePage(SAVE_RECORDED));
onClick(button("open-settings"), () => chrome.runtime.openOptionsPage());
