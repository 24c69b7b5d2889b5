// Rule of this file: the storage folder, its maps, and what holds for all
// sessions. Files go to the host, which alone decides which of them it accepts.

import { RequestError } from "../shared/agent-client";
import { requestOfHost, type HostSettings, type Imported, type MapState, type Stored } from "../shared/host-client";
import { button, element, t } from "../shared/text";
import { failure, onClick } from "../shared/user";
import { bundleOf, pieces, textOf } from "./import-bundle";

/** In characters; small enough not to delay other messages. */
const PIECE = 512 * 1024;
const GROUPS = ["sessions", "scripts", "storage"];

/** Saves a setting and shows the outcome at its field. */
type Save = (id: string, work: () => Promise<unknown>) => Promise<void>;

/** Serves the storage section; the returned function shows the host's state, or that it is not connected. */
export function serveStorage(save: Save): (reachable: boolean) => void {
  const show = element<HTMLInputElement>("show_actions");
  const pacing = element<HTMLInputElement>("pacing_ms");
  show.addEventListener("change", () => void save("show_actions", () => requestOfHost("ui_settings", { changes: { show_actions: show.checked } })));
  const input = element<HTMLInputElement>("script_input");
  input.addEventListener("change", () => void save("script_input", () => requestOfHost("ui_settings", { changes: { script_input: input.checked } })));
  pacing.addEventListener("change", () => void save("pacing_ms", () => requestOfHost("ui_settings", { changes: { pacing_ms: pacing.valueAsNumber } })));
  for (const [press, choose, readFiles] of [["import-folder", "folder-files", folder], ["import-bundle", "bundle-file", bundle]] as const) {
    const input = element<HTMLInputElement>(choose);
    onClick(button(press), () => input.click());
    input.addEventListener("change", () => void importFiles(input, readFiles));
  }
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && !element<HTMLFieldSetElement>("storage").disabled) void refresh();
  });
  return (reachable) => {
    for (const id of GROUPS) element<HTMLFieldSetElement>(id).disabled = !reachable;
    if (reachable) void refresh();
  };
}

async function refresh(): Promise<void> {
  try {
    const [view, stored] = await Promise.all([requestOfHost("ui_view", {}), requestOfHost("ui_storage", {})]);
    showSettings(view.settings);
    showStored(stored);
  } catch (error) {
    element("import-wrong").textContent = failure(error);
  }
}

function showSettings({ show_actions, script_input, pacing_ms }: HostSettings): void {
  element<HTMLInputElement>("script_input").checked = script_input === true;
  element<HTMLInputElement>("show_actions").checked = show_actions;
  const pacing = element<HTMLInputElement>("pacing_ms");
  if (pacing !== document.activeElement && pacing.getAttribute("aria-invalid") !== "true") pacing.value = String(pacing_ms);
}

function showStored({ path, maps, more, errors }: Stored): void {
  const broken = maps.filter((map) => map.errors.length > 0).length;
  element("storage-path").textContent = path;
  element("storage-summary").textContent =
    maps.length === 0 ? t("maps_none") : t(broken === 0 ? "maps_good" : "maps_broken", [`${maps.length}${more ? "+" : ""}`, String(broken)]);
  element("storage-errors").replaceChildren(...errors.map((error) => line("li", [error.path, error.message].filter(Boolean).join(": "))));
  element("maps").hidden = maps.length === 0;
  element("maps-title").textContent = t("maps_title");
  // Broken maps come first.
  const sorted = [...maps].sort((a, b) => Number(b.errors.length > 0) - Number(a.errors.length > 0));
  element("maps-list").replaceChildren(...sorted.map(mapRow));
}

function mapRow({ path, host, surface, tools, errors }: MapState): HTMLElement {
  const item = document.createElement("li");
  const head = line("p", "", "map");
  head.append(line("b", [host, surface].filter(Boolean).join(" / ") || path), line("span", t("map_actions", [String(tools)]), "quiet"));
  item.append(head, line("code", path), ...errors.map((error) => line("p", error, "wrong")));
  return item;
}

/** What was chosen, as the text of a bundle. */
interface BundleText {
  text: string;
  skipped: string[];
}

async function folder(files: FileList): Promise<BundleText> {
  const { count, ...made } = await bundleOf(files);
  if (count === 0) throw new Error(t("import_empty"));
  return made;
}

async function bundle([file]: FileList): Promise<BundleText> {
  const text = file && (await textOf(file));
  if (text === undefined) throw new Error(t("import_no_text"));
  return { text, skipped: [] };
}

async function importFiles(input: HTMLInputElement, readFiles: (files: FileList) => Promise<BundleText>): Promise<void> {
  if (!input.files?.length) return;
  const all = [button("import-folder"), button("import-bundle")];
  for (const each of all) each.disabled = true;
  element("import-wrong").textContent = "";
  element("import-result").textContent = t("importing");
  try {
    const { text, skipped } = await readFiles(input.files);
    const done = await send(text);
    showStored(done.stored);
    element("import-result").textContent = resultText(done, skipped);
  } catch (error) {
    element("import-result").textContent = "";
    const untouched = !(error instanceof RequestError) || error.dispatched === "no";
    element("import-wrong").textContent = untouched ? `${failure(error).replace(/\.?$/, ".")} ${t("import_nothing")}` : failure(error);
  } finally {
    for (const each of all) each.disabled = false;
    input.value = ""; // the same files may be chosen again
  }
}

async function send(text: string): Promise<Imported> {
  const id = crypto.randomUUID();
  let index = 0;
  for (const piece of pieces(text, PIECE)) await requestOfHost("ui_import_chunk", { import: id, index: index++, text: piece });
  return requestOfHost("ui_import", { import: id, chunks: index });
}

function resultText({ result }: Imported, skipped: readonly string[]): string {
  const { entry_count, updated_count, preserved_count, ignored = [] } = result;
  const summary = t("import_done", [String(entry_count), String(updated_count), String(preserved_count)]);
  const out = [...ignored, ...skipped];
  return out.length === 0 ? summary : `${summary} ${t("import_left", [out.slice(0, 5).join(", "), String(out.length)])}`;
}

function line(tag: "p" | "li" | "b" | "span" | "code", text: string, className = ""): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}
