// Rule: while an agent works in the page, a bar says who does what, and stops it. Escape
// twice does the same as its button.

import type { WorkCall } from "../../protocol";
import { localToolText, runsScript } from "../../tool-text";
import { serveWorkerMessages } from "../base/worker-messages";
import { Strip, stripButton } from "./strip";

/** From the worker: the calls that have run for a while in this tab. */
export interface WorkMessage {
  kind: "work";
  calls: WorkCall[];
}

/** From a content script: the user pressed Stop at this point of the viewport. */
export interface StopMessage {
  kind: "stop_pressed";
  x: number;
  y: number;
}

// Its width is none of its text's: a button that moved with each step would leave a press to the page.
const STYLE = `
:host { width: min(480px, var(--room) - 16px) !important; flex-wrap: nowrap !important; }
span { flex: 1; }
button { padding: 2px 14px; background: #b3261e; }
button:hover { background: #8f1d17; }`;

/** How long the bar stays when nothing runs any more: a press on its way to Stop is none for the page below. */
const REMOVE_DELAY_MS = 600;

let calls: WorkCall[] = [];
let removing: ReturnType<typeof setTimeout> | undefined;
/** Stop was pressed for the calls that the bar shows. */
let pressed = false;
const bar = new Strip("actions-json-work", "top", "12px", STYLE, (root) => {
  const text = document.createElement("span");
  const stop = stripButton(({ x, y }): StopMessage => {
    pressed = true;
    return { kind: "stop_pressed", x, y };
  });
  root.append(text, stop);
  return { text, stop };
});

/** Serves the worker's messages about the bar. */
export function serveBar(): void {
  serveWorkerMessages<WorkMessage>("work", (message) => {
    calls = message.calls;
    draw();
  });
}

/** Removes the bar. */
export function removeBar(): void {
  calls = [];
  clearTimeout(removing);
  bar.remove();
}

/** Hides the bar while a picture is taken; reports whether it was shown. */
export const hideBar = (): boolean => bar.hide();

/** Shows the bar again, if something still runs. */
export const unhideBar = (): void => bar.unhide();

/** Lets the pointer through the bar, until called with false as many times; reports whether there is one. */
export const setBarPassThrough = (on: boolean): boolean => bar.setPassThrough(on);

function draw(): void {
  const [first] = calls;
  clearTimeout(removing);
  if (!document.documentElement) return bar.remove();
  if (!first) {
    // The second press of a double-click stops nothing more, and what was to be aborted has ended.
    bar.change(({ stop }) => (stop.disabled = pressed || stop.dataset["aborts"] === "true"));
    removing = setTimeout(removeBar, REMOVE_DELAY_MS);
    return;
  }
  bar.show(({ text, stop }) => {
    pressed = stop.disabled = false;
    text.title = text.textContent = barText(first);
    const code = runsScript(first.name);
    stop.dataset["aborts"] = String(code);
    stop.textContent = chrome.i18n.getMessage(code ? "abort_short" : "stop_short");
    stop.title = chrome.i18n.getMessage(code ? "bar_abort_hint" : "bar_stop_hint");
  });
}

/** Returns who does what: "Claude Code: Click Order · step 3 of 7". */
function barText({ who, name, argument, action, step, steps }: WorkCall): string {
  const t = (key: string, values: string[] = []): string => chrome.i18n.getMessage(key, values);
  const tool = localToolText(name, argument) || name;
  const doing = t("bar_text", [t(`session_${who}`) || who, action ? t("running_step", [action, tool]) : tool]);
  return step && steps && steps > 1 ? t("bar_step", [doing, String(step), String(steps)]) : doing;
}
