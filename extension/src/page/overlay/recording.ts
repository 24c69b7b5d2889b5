// Rule: while the user's hand is recorded, a mark says so, with what the user may do about
// it. Like the bar it is no part of the page, takes the pointer alone, and is in no picture.

import type { Recording } from "../../protocol";
import { serveWorkerMessages } from "../base/worker-messages";
import { EXTENSION_ATTRIBUTE } from "../dom/extension-elements";
import { buildClosedLayer, type ClosedLayer, HiddenForPicture } from "./closed-layer";
import { OverlayGuard } from "./guard";

/** From the worker: the recording of the tab; nothing once it has ended. */
export interface RecordingMessage {
  kind: "recording";
  recording?: Recording;
}

/** From a content script: the user pressed a button of the mark, at this point of the viewport. */
export interface RecordPressedMessage {
  kind: "record_pressed";
  do: "pause" | "resume" | "undo" | "check" | "done";
  x: number;
  y: number;
}

const STYLE = `
:host { all: initial !important; position: fixed !important; inset: auto 0 8px 0 !important; margin: 0 auto !important; z-index: 2147483647 !important;
  display: flex !important; align-items: center !important; gap: 8px !important; box-sizing: border-box !important; width: fit-content !important;
  max-width: calc(100% - 16px) !important; padding: 6px 6px 6px 14px !important; border-radius: 10px !important; color-scheme: light dark !important;
  font: 500 13px/1.4 system-ui, sans-serif !important; color: #fff !important; background: #171b26 !important; visibility: visible !important; opacity: 1 !important;
  box-shadow: 0 0 0 1px rgb(255 255 255 / .35), 0 4px 16px rgb(0 0 0 / .3) !important; transition: none !important; animation: none !important; transform: none !important; }
i { flex: none; width: 10px; height: 10px; border-radius: 5px; background: #ff5449; }
i.paused { background: #9aa0ae; }
span { overflow: hidden; margin-right: 6px; text-overflow: ellipsis; white-space: nowrap; }
button { all: initial; flex: none; box-sizing: border-box; min-height: 28px; padding: 2px 12px; border-radius: 7px; cursor: pointer;
  font: 600 13px/1.4 system-ui, sans-serif; color: #fff; background: #3a4152; }
button:hover { background: #4a5268; }
button.on { color: #171b26; background: #fff; }
button.done { background: #2451d1; }
button.done:hover { background: #1b3ea3; }`;

interface Mark extends ClosedLayer {
  light: HTMLElement;
  text: HTMLElement;
  pause: HTMLElement;
  check: HTMLElement;
  passThrough: CSSStyleSheet;
  guard: OverlayGuard;
}

let mark: Mark | undefined;
let recording: Recording | undefined;
let passThroughCount = 0;
const picture = new HiddenForPicture(() => mark?.guard.check());
const t = (key: string, values: string[] = []): string => chrome.i18n.getMessage(key, values);

/** Serves the worker's messages about the recording. */
export function serveRecording(): void {
  serveWorkerMessages<RecordingMessage>("recording", (message) => {
    recording = message.recording;
    draw();
  });
}

/** Removes the mark. */
export function removeRecording(): void {
  recording = undefined;
  draw();
}

/** Hides the mark while a picture is taken; reports whether it was shown. */
export function hideRecording(): boolean {
  const shown = mark !== undefined && !picture.hidden;
  picture.hide();
  return shown;
}

/** Shows the mark again. */
export const unhideRecording = (): void => picture.unhide();

/** Lets the pointer through the mark, until called with false as many times; reports whether there is one. */
export function setRecordingPassThrough(through: boolean): boolean {
  if (!mark) return false;
  passThroughCount += through ? 1 : -1;
  mark.root.adoptedStyleSheets = passThroughCount > 0 ? [mark.sheet, mark.passThrough] : [mark.sheet];
  return true;
}

function draw(): void {
  if (!recording || !document.documentElement) return remove();
  mark ??= build();
  const { paused = false, checking = false, steps, name } = recording;
  mark.light.className = paused ? "paused" : "";
  mark.text.textContent = checking ? t("record_pick") : t(paused ? "record_paused" : "record_running", [name, String(steps)]);
  mark.pause.textContent = t(paused ? "record_resume" : "record_pause");
  mark.check.className = checking ? "on" : "";
  mark.guard.check();
}

function remove(): void {
  mark?.guard.stop();
  mark?.host.remove();
  mark = undefined;
  passThroughCount = 0;
}

function build(): Mark {
  const layer = buildClosedLayer("actions-json-recording", STYLE);
  const { host, root } = layer;
  const passThrough = new CSSStyleSheet();
  passThrough.replaceSync(":host { pointer-events: none !important; }");
  const light = document.createElement("i");
  const text = document.createElement("span");
  const button = (key: string, does: () => RecordPressedMessage["do"]): HTMLButtonElement => {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", tabIndex: -1, textContent: t(key) });
    made.addEventListener("click", (event) => event.isTrusted && event.detail > 0 && press(does(), event));
    return made;
  };
  const pause = button("record_pause", () => (recording?.paused ? "resume" : "pause"));
  const check = button("record_check", () => "check");
  check.title = t("record_check_hint");
  const done = button("record_done", () => "done");
  done.className = "done";
  // The page's own listeners must not take it for a click on their element.
  for (const type of ["click", "auxclick", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup"]) host.addEventListener(type, (event) => event.stopPropagation());
  host.addEventListener("mousedown", (event) => event.preventDefault()); // the page keeps the focus
  root.append(light, text, pause, button("record_undo", () => "undo"), check, done);
  document.documentElement.append(host);
  const guard = new OverlayGuard(host, [EXTENSION_ATTRIBUTE, "popover"], () => !picture.hidden, () => passThroughCount === 0, () => {});
  return { ...layer, light, text, pause, check, passThrough, guard };
}

function press(what: RecordPressedMessage["do"], { clientX, clientY }: MouseEvent): void {
  const message: RecordPressedMessage = { kind: "record_pressed", do: what, x: clientX, y: clientY };
  if (chrome.runtime?.id) chrome.runtime.sendMessage(message).catch(() => {});
}
