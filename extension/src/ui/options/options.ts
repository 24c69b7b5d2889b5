// Rule of this file: each field saves itself when it was changed, and whatever
// error the host returns is shown at that field. What the user is editing is not
// overwritten by changes from the host.

import { AgentClient } from "../shared/agent-client";
import type { AgentChange, AgentSettings } from "../shared/agent-messages";
import type { UiAnswer, UiRequest, UiState } from "../shared/messages";
import { button, element, t, translate } from "../shared/text";
import { failure, onClick } from "../shared/user";
import { serveGrants } from "./grants";
import { serveNotifications } from "./notify";
import { serveSkills } from "./skills";
import { serveStorage } from "./storage";
import { serveUserScripts } from "./user-scripts";

type Control = HTMLInputElement | HTMLSelectElement;
type Value = string | number | boolean;

/** A setting: its field, its path in the settings, and its value when the host leaves it out. */
const FIELDS: readonly { id: string; path: readonly [string] | readonly ["turns", string]; defaultValue: Value }[] = [
  { id: "model", path: ["model"], defaultValue: "" },
  { id: "voice", path: ["voice"], defaultValue: "" },
  { id: "turns-mode", path: ["turns", "mode"], defaultValue: "server_vad" },
  { id: "threshold", path: ["turns", "threshold"], defaultValue: 0 },
  { id: "prefix_padding_ms", path: ["turns", "prefix_padding_ms"], defaultValue: 0 },
  { id: "silence_duration_ms", path: ["turns", "silence_duration_ms"], defaultValue: 0 },
  { id: "eagerness", path: ["turns", "eagerness"], defaultValue: "auto" },
  { id: "mode", path: ["mode"], defaultValue: "ask" },
  { id: "spending_limit_usd", path: ["spending_limit_usd"], defaultValue: 0 },
  { id: "pictures", path: ["pictures"], defaultValue: "off" },
  { id: "automationEnabled", path: ["automationEnabled"], defaultValue: false },
  { id: "text_model", path: ["text_model"], defaultValue: "auto" },
  { id: "memory", path: ["memory"], defaultValue: false },
];

const GROUPS = ["chat", "model-voice", "turns", "rights", "sight", "recall"];
const SAVED_NOTICE_TTL_MS = 2500;

/** The field that the user edits, until it is saved or left. */
let edited: EventTarget | null = null;
/** The last save of each field that is being saved as it stands there. */
const saving = new Map<EventTarget, object>();
let hide: ReturnType<typeof setTimeout> | undefined;

function show(settings: AgentSettings): void {
  const { source, masked } = settings.key;
  element("key").textContent = source === "none" ? t("options_key_none") : t("options_key_source", [masked, t(`key_${source}`)]);
  element("base").textContent = settings.base;
  const voice = element<HTMLSelectElement>("voice");
  if (voice.options.length === 0) voice.append(...settings.voices.map((name) => new Option(name, name)));
  for (const { id, path, defaultValue } of FIELDS) write(id, valueAt(settings, path) ?? defaultValue);
  showTurns();
}

function valueAt(settings: AgentSettings, path: readonly string[]): Value | undefined {
  let value: unknown = settings;
  for (const name of path) value = (value as Record<string, unknown>)[name];
  return value as Value | undefined;
}

/** Shows only the fields of the chosen turn detection. */
function showTurns(): void {
  const chosen = element<HTMLSelectElement>("turns-mode").value;
  for (const field of document.querySelectorAll<HTMLElement>("[data-of]")) field.hidden = field.dataset["of"] !== chosen;
}

function write(id: string, value: Value): void {
  const control = element<Control>(id);
  if (control === edited || saving.has(control) || control.getAttribute("aria-invalid") === "true") return;
  if (control instanceof HTMLInputElement && control.type === "checkbox") control.checked = value === true;
  else control.value = String(value);
}

function read(control: Control): Value {
  if (control instanceof HTMLSelectElement) return control.value;
  if (control.type === "checkbox") return control.checked;
  return control.type === "number" ? control.valueAsNumber : control.value.trim();
}

/** Returns the turn detection with all its members, since the host may have none of them yet. */
function turns(): Record<string, Value> {
  const fields = FIELDS.filter(({ id, path }) => path[0] === "turns" && element<Control>(id).validity.valid && !element(id).closest("[hidden]"));
  return Object.fromEntries(fields.map(({ id, path }) => [path[1], read(element<Control>(id))]));
}

/** Runs the work of a field, and shows the outcome at the field. */
async function save(id: string, work: () => Promise<unknown>): Promise<void> {
  const control = element(id);
  let problem = "validity" in control ? (control as Control).validationMessage : "";
  const own = {};
  saving.set(control, own);
  if (problem === "") {
    try {
      await work();
      showSaved(t(id === "forget" ? "forgotten" : "saved"));
    } catch (error) {
      problem = failure(error);
    }
  }
  if (saving.get(control) !== own) return; // the outcome is not that of what stands there now
  showError(id, problem);
  saving.delete(control);
  if (edited === control) edited = null;
}

function showError(id: string, text: string): void {
  element(`${id}-wrong`).textContent = text;
  if (text === "") element(id).removeAttribute("aria-invalid");
  else element(id).setAttribute("aria-invalid", "true");
}

function showSaved(text: string): void {
  clearTimeout(hide);
  element("saved").textContent = text;
  hide = setTimeout(() => (element("saved").textContent = ""), SAVED_NOTICE_TTL_MS);
}

function setOffline(reason: string): void {
  for (const id of GROUPS) element<HTMLFieldSetElement>(id).disabled = reason !== "";
  showStorage(reason === "");
  grants.setConnected(reason === "");
  setSkillsConnected(reason === "");
  element("offline").hidden = reason === "";
  element("offline").textContent = reason;
}

/** Renames the profile. The extension stores the name; the host gets it with the handshake. */
async function rename(label: string): Promise<void> {
  const answer = await chrome.runtime.sendMessage<UiRequest, UiAnswer>({ kind: "ui_label", label });
  if (!answer.ok) throw new Error(answer.error.message);
}

async function showLabel(): Promise<void> {
  const state = await chrome.runtime.sendMessage<UiRequest, UiState>({ kind: "ui_state" });
  write("profile_label", state.profile_label);
}

translate();
document.addEventListener("input", ({ target }) => {
  edited = target;
  if (target) saving.delete(target); // what is being saved is not what stands there
});
// A change begins to be saved before its field is left.
document.addEventListener("focusout", ({ target }) => {
  if (target === edited && target && !saving.has(target)) edited = null;
});
serveNotifications();
serveUserScripts();
const showStorage = serveStorage(save);
const grants = serveGrants();
const setSkillsConnected = serveSkills();
const change = ({ settings, approvals }: AgentChange): void => {
  if (settings) show(settings);
  if (approvals) void grants.refresh(); // an answer may be a new one
};
const client = new AgentClient({
  view: ({ settings }) => {
    setOffline("");
    change({ settings });
  },
  change,
  offline: setOffline,
});
for (const { id, path } of FIELDS) {
  const control = element<Control>(id);
  control.addEventListener("change", () => {
    if (id === "turns-mode") showTurns();
    const members = path[0] === "turns" ? { turns: turns() } : { [path[0]]: read(control) };
    void save(id, () => client.request("agent_settings", { changes: members }));
  });
}
onClick(button("forget"), () => save("forget", () => client.request("agent_forget", {})));
const label = element<HTMLInputElement>("profile_label");
label.addEventListener("change", () => void save("profile_label", () => rename(label.value.trim())));
void showLabel();
