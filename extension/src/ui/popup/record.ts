// Rule of this file: the recording of the tab is the host's. The popup begins and ends it, and
// shows what became of it.

import type { RecordControl, RecordState } from "../../protocol";
import { requestOfHost } from "../shared/host-client";
import { button, element, sentenceItem, t } from "../shared/text";
import { failure, onClick } from "../shared/user";

const REFRESH_INTERVAL_MS = 700;

/** What became of a recording, or why its last Done made nothing of it. */
interface Result {
  action?: string;
  sentences?: string[];
  input_schema?: object;
  error?: { message: string };
}

let tabId: number | undefined;
let drawn = "";

/**
 * Names the tab whose recording is shown; none where the tab is not under control. The button is
 * there at once, so that nothing moves under the pointer when the host answers.
 */
export function showRecordOf(tab: number | undefined): void {
  if (tab === tabId) return;
  tabId = tab;
  draw({});
  element("record").hidden = tab === undefined;
}

/** Serves the buttons, and follows the recording as long as the popup is open. */
export function serveRecord(connected: () => boolean, notify: (text: string, bad: boolean) => void): void {
  const ask = async (what: RecordControl["do"]): Promise<void> => {
    const tab = tabId;
    if (tab === undefined) return;
    try {
      const state = await requestOfHost("ui_record", { tab_id: tab, do: what });
      if (tab !== tabId) return;
      draw(state);
      if (what !== "view") notify("", false);
    } catch (error) {
      if (what === "view") element("record").hidden = true; // an older host
      else notify(failure(error), true);
    }
  };
  onClick(button("record-start"), () => ask("start"));
  onClick(button("record-done"), () => ask("done"));
  onClick(button("record-cancel"), () => ask("cancel"));
  void (async () => {
    for (;;) {
      if (connected()) await ask("view");
      await new Promise((resolve) => setTimeout(resolve, REFRESH_INTERVAL_MS));
    }
  })();
}

function draw(state: RecordState): void {
  const text = JSON.stringify(state);
  element("record").hidden = false;
  if (text === drawn) return;
  drawn = text;
  const { recording } = state;
  const result = state.result as Result | undefined;
  button("record-start").hidden = recording !== undefined;
  button("record-done").hidden = button("record-cancel").hidden = recording === undefined;
  button("record-try").hidden = result?.input_schema === undefined; // an older host tells of none
  const lines = [
    ...(result?.error ? [t("failed", [result.error.message])] : []),
    ...(recording ? [t(recording.paused ? "record_paused" : "record_running", [recording.name, String(recording.steps)])] : []),
    ...(result?.action ? [t("record_stored", [result.action])] : []),
  ];
  element("record-state").textContent = lines.join(" ");
  element("record-sentences").replaceChildren(...(result?.sentences ?? []).map(sentenceItem));
}
