// Rule of this file: it shows what the host does now and has done, and sends it
// the user's stop and mode. It polls while the popup is
// open; what did not change is not drawn again.

import { type Activity, requestOfHost, type HostView, type Running } from "../shared/host-client";
import { runsScript } from "../../tool-text";
import { activityText, outcomeOf, runningText, timeText } from "../shared/host-text";
import type { HostParams } from "../shared/messages";
import { button, element, t } from "../shared/text";
import { failure, onClick } from "../shared/user";
import { showGrantCounts } from "./grants";
import { serveModes, showModes } from "./mode";
import { showStops } from "./stopped";

const REFRESH_INTERVAL_MS = 500;
const FEW = 5;

let running: Running[] = [];
let drawn = "";
let all = false;
let stopping = false;
/** How many changes are under way, and how many have ended: a view that was asked for before may be older. */
let changing = 0;
let changed = 0;

/** Shows a notice to the user. */
type Notify = (text: string, bad: boolean) => void;

/** Polls the host as long as the popup is open. */
export function followHost(connected: () => boolean, notify: Notify): void {
  serveModes((changes) => change("ui_settings", { changes }, notify));
  onClick(button("stop-all"), () => stop(undefined, notify));
  onClick(button("go-on"), () => change("ui_go_on", {}, notify));
  onClick(button("activity-more"), () => {
    all = !all;
    drawn = "";
    void refresh(connected);
  });
  void follow(connected);
}

async function follow(connected: () => boolean): Promise<void> {
  for (;;) {
    await refresh(connected);
    await new Promise((resolve) => setTimeout(resolve, REFRESH_INTERVAL_MS));
  }
}

async function refresh(connected: () => boolean): Promise<void> {
  if (!connected()) return hide();
  const before = changed;
  try {
    const view = await requestOfHost("ui_view", {});
    if (changing === 0 && before === changed) draw(view);
  } catch {
    hide(); // the reason is shown in the connection section
  }
}

function hide(): void {
  running = [];
  drawRunning();
  showGrantCounts({});
  showStops([]);
  showPolicy(undefined);
  element("mode").hidden = element("activity").hidden = true;
}

function draw(view: HostView): void {
  running = view.running;
  drawRunning();
  showGrantCounts(view.granted);
  showStops(view.stops ?? []);
  element("mode").hidden = element("activity").hidden = false;
  showModes(view.settings);
  showPolicy(view.policy);
  const { log_damage: damage } = view;
  element("log-damage").hidden = damage === undefined;
  element("log-damage").textContent = damage === undefined ? "" : t("log_damaged", [damage]);
  const text = JSON.stringify(view.activity);
  if (text === drawn) return;
  drawn = text;
  element("activity-none").hidden = view.activity.length > 0;
  element("activity-list").replaceChildren(...view.activity.slice(0, all ? undefined : FEW).map(activityRow));
  const more = button("activity-more");
  more.hidden = view.activity.length <= FEW;
  more.textContent = t(all ? "activity_fewer" : "activity_all", [String(view.activity.length)]);
  more.setAttribute("aria-expanded", String(all));
}

function showPolicy(problem: HostView["policy"]): void {
  const text = problem ? t(problem.nothing_runs ? "policy_missing" : "policy_broken", [problem.message.replace(/\.$/, "")]) : "";
  if (element("policy-problem").textContent !== text) element("policy-problem").textContent = text;
}

/** Writes the running calls into the rows of the tabs, which may just have been made. */
export function drawRunning(): void {
  const now = Date.now();
  button("stop-all").hidden = running.length === 0;
  for (const place of document.querySelectorAll<HTMLElement>("[data-runs]")) {
    const calls = running.filter(({ tab_id = 0 }) => String(tab_id) === place.dataset["runs"]);
    const lines = calls.map((call) => runningText(call, now));
    if (place.textContent !== lines.join("")) place.replaceChildren(...lines.map((line) => paragraph(line, "run")));
    const row = place.closest<HTMLElement>("[data-row]");
    row?.classList.toggle("busy", lines.length > 0);
    const free = row?.querySelector<HTMLButtonElement>("[data-stop]");
    if (free) showStopButton(free, calls);
  }
  element("elsewhere").hidden = element("elsewhere-runs").childElementCount === 0;
}

/** Returns the button that stops the running calls of a tab. */
export function stopButton(tabId: number, title: string, notify: Notify): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "stop";
  made.hidden = true;
  made.dataset["stop"] = String(tabId);
  made.dataset["title"] = title;
  onClick(made, () => stop(tabId, notify));
  return made;
}

// A script is aborted, in the words of the bar in the page.
function showStopButton(free: HTMLButtonElement, calls: Running[]): void {
  free.hidden = calls.length === 0;
  const script = calls.some(({ name }) => runsScript(name));
  const text = t(script ? "abort_short" : "stop_short");
  if (free.textContent === text) return;
  free.textContent = text;
  free.setAttribute("aria-label", t(script ? "abort_tab" : "stop_tab", [free.dataset["title"] ?? ""]));
}

async function stop(tabId: number | undefined, notify: Notify): Promise<void> {
  if (stopping) return;
  stopping = true;
  // Without a face it is the popup, for hosts that know none, too.
  await change("ui_stop", tabId === undefined ? {} : { tab_id: tabId }, notify);
  stopping = false;
}

const DONE = { ui_stop: "did_stop", ui_go_on: "did_go_on", ui_settings: "did_mode" } as const;

async function change<M extends keyof typeof DONE>(method: M, params: HostParams<M>, notify: Notify): Promise<void> {
  notify("", false); // that of an earlier change is not about this one
  changing++;
  try {
    draw(await requestOfHost(method, params));
    notify(t(DONE[method]), false);
  } catch (error) {
    notify(failure(error), true);
  } finally {
    changing--;
    changed++;
  }
}

function activityRow(done: Activity): HTMLElement {
  const { kind, text, reason } = outcomeOf(done);
  const item = document.createElement("li");
  const what = paragraph("", "what");
  const time = document.createElement("time");
  time.dateTime = done.at;
  time.textContent = timeText(done.at);
  const outcome = document.createElement("span");
  outcome.className = `outcome ${kind}`;
  outcome.textContent = text;
  const name = document.createElement("span");
  name.className = "name";
  name.textContent = name.title = activityText(done);
  what.append(name, outcome);
  const where = paragraph("", "where");
  const place = document.createElement("span");
  place.className = "quiet";
  place.textContent = [done.title, done.host].filter(Boolean).join(" · ");
  where.append(place, time);
  item.append(what, where);
  if (reason !== "") item.append(paragraph(reason, "reason"));
  return item;
}

function paragraph(text: string, className: string): HTMLElement {
  const made = document.createElement("p");
  made.className = className;
  made.textContent = text;
  return made;
}
