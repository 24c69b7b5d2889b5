// Rule: while the user's hand is recorded, a mark says so, with what the user may do about it. It
// comes once the recorder listens: what the user does on seeing it is recorded.

import type { Recording } from "../../protocol";
import { serveWorkerMessages } from "../base/worker-messages";
import { isRecorderHere } from "./recorder-symbol";
import { Strip, stripButton } from "./strip";

/** From the worker: the recording of the tab; nothing once it has ended. */
export interface RecordingMessage {
  kind: "recording";
  recording?: Recording;
  /** Why the last Done made no action of it. */
  failure?: string;
}

/** From a content script: the user pressed a button of the mark, at this point of the viewport. */
export interface RecordPressedMessage {
  kind: "record_pressed";
  do: "pause" | "resume" | "undo" | "check" | "keep" | "vary" | "done";
  /** For keep and vary: what stands for the text, as the mark showed it. */
  token?: string | undefined;
  x: number;
  y: number;
}

const STYLE = `
i { flex: none; width: 10px; height: 10px; border-radius: 5px; background: #ff5449; }
i.paused { background: #9aa0ae; }
span { margin-right: 6px; }
span.failure { white-space: normal; overflow-wrap: anywhere; color: #ffb4ab; }
button { padding: 2px 12px; background: #3a4152; }
button:hover { background: #4a5268; }
button:disabled { color: #9aa0ae; cursor: default; }
button:disabled:hover { background: #3a4152; }
button.on { color: #171b26; background: #fff; }
button.done { background: #2451d1; }
button.done:hover { background: #1b3ea3; }`;

let recording: Recording | undefined;
let failure: string | undefined;
const t = (key: string, values: string[] = []): string => chrome.i18n.getMessage(key, values);
const mark = new Strip("actions-json-recording", "bottom", "8px", STYLE, (root) => {
  const light = document.createElement("i");
  const text = document.createElement("span");
  const button = (key: string, does: () => RecordPressedMessage["do"]): HTMLButtonElement => {
    const made = stripButton(({ x, y }): RecordPressedMessage => ({ kind: "record_pressed", do: does(), token: recording?.token, x, y }));
    made.textContent = t(key);
    return made;
  };
  const pause = button("record_pause", () => (recording?.paused ? "resume" : "pause"));
  const keep = button("record_keep", () => (recording?.kept ? "vary" : "keep"));
  keep.title = t("record_keep_hint");
  const check = button("record_check", () => "check");
  check.title = t("record_check_hint");
  const done = button("record_done", () => "done");
  done.className = "done";
  root.host.addEventListener("dblclick", (event) => event.stopPropagation()); // two quick presses of Undo are none of the page's
  root.append(light, text, pause, keep, button("record_undo", () => "undo"), check, done);
  return { light, text, pause, keep, check };
});

/** Serves the worker's messages about the recording. */
export function serveRecording(): void {
  serveWorkerMessages<RecordingMessage>("recording", (message) => {
    ({ recording, failure } = message);
    draw();
  });
}

/** Removes the mark. */
export function removeRecording(): void {
  recording = undefined;
  draw();
}

/** Hides the mark while a picture is taken; reports whether it was shown. */
export const hideRecording = (): boolean => mark.hide();

/** Shows the mark again. */
export const unhideRecording = (): void => mark.unhide();

/** Lets the pointer through the mark, until called with false as many times; reports whether there is one. */
export const setRecordingPassThrough = (on: boolean): boolean => mark.setPassThrough(on);

function draw(): void {
  if (!recording || !isRecorderHere() || !document.documentElement) return mark.remove();
  const { paused = false, checking = false, kept = false, token = "", steps, name } = recording;
  mark.show(({ light, text, pause, keep, check }) => {
    light.className = paused ? "paused" : "";
    text.textContent = failure ?? (checking ? t("record_pick") : t(paused ? "record_paused" : "record_running", [name, String(steps)]));
    text.className = failure === undefined ? "" : "failure";
    pause.textContent = t(paused ? "record_resume" : "record_pause");
    keep.disabled = token === "";
    keep.className = kept ? "on" : "";
    check.className = checking ? "on" : "";
  });
}
