// Rule of this file: it shows what the host does now and has done, and carries
// the user's stop and mode there. It looks again and again while the popup is
// open; nothing is drawn anew that did not change.

import { type Activity, askDesk, type DeskView, type Running } from "./desk-client";
import { activityWords, outcomeOf, runningWords, timeWords } from "./desk-words";
import { showGranted } from "./popup-grants";
import { button, element, t } from "./text";
import { failure, onClick } from "./user";

const REFRESH_MS = 500;
const FEW = 5;

let running: Running[] = [];
let drawn = "";
let all = false;
let stopping = false;

/** Tells the user. */
type Say = (text: string, bad: boolean) => void;

/** Follows the host as long as the popup is open. */
export function showDesk(connected: () => boolean, say: Say): void {
  for (const mode of ["act", "ask"]) {
    element(`mode-${mode}`).addEventListener("change", () => void order("settings", { mode }, say));
  }
  onClick(button("stop-all"), () => stop(undefined, say));
  onClick(button("activity-more"), () => {
    all = !all;
    drawn = "";
    void look(connected);
  });
  void follow(connected);
}

async function follow(connected: () => boolean): Promise<void> {
  for (;;) {
    await look(connected);
    await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
  }
}

async function look(connected: () => boolean): Promise<void> {
  if (!connected()) return hide();
  try {
    draw(await askDesk("view"));
  } catch {
    hide(); // why there is no answer stands above
  }
}

function hide(): void {
  running = [];
  drawRunning();
  showGranted({});
  element("mode").hidden = element("activity").hidden = true;
}

function draw(view: DeskView): void {
  running = view.running;
  drawRunning();
  showGranted(view.granted ?? {});
  element("mode").hidden = element("activity").hidden = false;
  element<HTMLInputElement>(`mode-${view.settings.mode}`).checked = true;
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

/** Writes what runs into the rows of the tabs, which may just have been made. */
export function drawRunning(): void {
  const now = Date.now();
  button("stop-all").hidden = running.length === 0;
  for (const place of document.querySelectorAll<HTMLElement>("[data-runs]")) {
    const lines = running.filter(({ tab_id = 0 }) => String(tab_id) === place.dataset["runs"]).map((call) => runningWords(call, now));
    if (place.textContent !== lines.join("")) place.replaceChildren(...lines.map((line) => paragraph(line, "run")));
    const row = place.closest<HTMLElement>("[data-row]");
    row?.classList.toggle("busy", lines.length > 0);
    const free = row?.querySelector<HTMLButtonElement>("[data-stop]");
    if (free) free.hidden = lines.length === 0;
  }
  element("elsewhere").hidden = element("elsewhere-runs").childElementCount === 0;
}

/** The button that ends what runs in a tab. */
export function stopButton(tabId: number, title: string, say: Say): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "stop";
  made.hidden = true;
  made.dataset["stop"] = String(tabId);
  made.textContent = t("stop_short");
  made.setAttribute("aria-label", t("stop_tab", [title]));
  onClick(made, () => stop(tabId, say));
  return made;
}

async function stop(tabId: number | undefined, say: Say): Promise<void> {
  if (stopping) return;
  stopping = true;
  await order("stop", tabId === undefined ? {} : { tab_id: tabId }, say);
  stopping = false;
}

async function order(command: "stop" | "settings", args: Record<string, unknown>, say: Say): Promise<void> {
  try {
    draw(await askDesk(command, args));
    say(t(command === "stop" ? "did_stop" : "did_mode"), false);
  } catch (error) {
    say(failure(error), true);
  }
}

function activityRow(done: Activity): HTMLElement {
  const { kind, words, reason } = outcomeOf(done);
  const item = document.createElement("li");
  const what = paragraph("", "what");
  const time = document.createElement("time");
  time.dateTime = done.at;
  time.textContent = timeWords(done.at);
  const outcome = document.createElement("span");
  outcome.className = `outcome ${kind}`;
  outcome.textContent = words;
  const name = document.createElement("span");
  name.className = "name";
  name.textContent = name.title = activityWords(done);
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
