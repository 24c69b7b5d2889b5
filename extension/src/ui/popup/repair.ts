// Rule of this file: it says which actions of the tab's page no longer fit, shows in sentences what
// would be changed of one, and asks. The host tries and writes; it asks again, as for every action,
// and keeps the map as it is where the trial proves nothing. What is shown comes from pages: text only.

import type { ActionFit, UnfitAction } from "../../protocol";
import { requestOfHost } from "../shared/host-client";
import { Inputs } from "../shared/inputs";
import { button, element, listItem, t } from "../shared/text";
import { unpressed } from "../shared/presses";
import { failure, onClick } from "../shared/user";

let shownFor = "";
let drawn = "[]";
let tabId: number | undefined;
let action = "";
let working = false;
let inputs: Inputs;

/** Names the tab whose page is looked at, once for each of its addresses; none where it is not under control. */
export function showRepairOf(tab: number | undefined, url: string): void {
  const now = tab === undefined ? "" : `${tab} ${url}`;
  if (now === shownFor) return;
  shownFor = now;
  leave();
  if (tab !== tabId) {
    write("repairs-outcome", ""); // that of a trial which led to another page stays
    draw([]);
  }
  tabId = tab;
  if (tab !== undefined) void look();
}

/** Serves the buttons. */
export function serveRepair(): void {
  inputs = new Inputs(element("repairs-inputs"));
  onClick(button("repairs-try"), () => attempt());
  onClick(button("repairs-leave"), leave);
}

/** Lists what no longer fits. */
async function look(): Promise<void> {
  const [tab, asked] = [tabId, shownFor];
  if (tab === undefined) return;
  const { unfit = [] } = await requestOfHost("ui_repair", { tab_id: tab }).catch((): ActionFit => ({})); // an older host knows none
  await unpressed();
  if (asked === shownFor) draw(unfit);
}

/** Shows the list; one that is shown already stays, with what is pressed in it. */
function draw(unfit: readonly UnfitAction[]): void {
  element("repairs").hidden = unfit.length === 0 && element("repairs-outcome").textContent === "";
  element("repairs-title").hidden = unfit.length === 0;
  const text = JSON.stringify(unfit);
  if (text === drawn) return;
  drawn = text;
  element("repairs-list").replaceChildren(...unfit.map(row));
}

function row({ action: name, why }: UnfitAction): HTMLElement {
  const item = document.createElement("li");
  const text = document.createElement("div");
  const repair = document.createElement("button");
  text.append(paragraph("name", name), paragraph("quiet", why));
  repair.type = "button";
  repair.textContent = t("repair_start");
  repair.setAttribute("aria-label", t("repair_start_of", [name]));
  onClick(repair, () => propose(name));
  item.append(text, repair);
  return item;
}

function paragraph(className: string, text: string): HTMLElement {
  return Object.assign(document.createElement("p"), { className, textContent: text });
}

/** Asks for what would be changed. */
async function propose(name: string): Promise<void> {
  const asked = shownFor;
  const fit = await work(name);
  if (!fit || asked !== shownFor) return;
  const sentences = fit.sentences ?? [];
  if (sentences.length === 0) return fit.why ? conclude(t("repair_not", [fit.why]), false) : conclude(t("repair_fits", [name]), true);
  action = name;
  write("repairs-what", t("repair_what", [name]));
  element("repairs-sentences").replaceChildren(...sentences.map(listItem));
  inputs.show(fit.input_schema ?? {});
  element("repairs-one").hidden = false;
  button("repairs-try").focus();
}

/** Has the host try what it proposed. */
async function attempt(): Promise<void> {
  const given = inputs.read();
  if (!given) return;
  const [name, asked] = [action, shownFor];
  const fit = await work(name, given);
  if (fit && asked === shownFor) leave(); // of another page another proposal may be shown
  if (fit?.outcome === "repaired") conclude(t("repair_done", [name]), true);
  else if (fit) conclude(t("repair_not", [fit.why ?? ""]), false);
  await look();
}

/** Asks the host about an action, and says so; returns nothing where it failed, which is said too. */
async function work(name: string, given?: Record<string, unknown>): Promise<ActionFit | undefined> {
  if (tabId === undefined || working) return undefined;
  working = true;
  write("repairs-outcome", t(given ? "repair_trying" : "repair_looking"));
  try {
    const fit = await requestOfHost("ui_repair", { tab_id: tabId, action: name, ...(given && { arguments: given }) });
    write("repairs-outcome", "");
    return fit;
  } catch (error) {
    conclude(failure(error), false);
    return undefined;
  } finally {
    working = false;
  }
}

function leave(): void {
  action = "";
  element("repairs-one").hidden = true;
  element("repairs-inputs").replaceChildren();
}

function conclude(text: string, good: boolean): void {
  element("repairs").hidden = false;
  write("repairs-outcome", text);
  element("repairs-outcome").classList.toggle("bad", !good);
}

function write(id: string, text: string): void {
  element(id).textContent = text;
}
