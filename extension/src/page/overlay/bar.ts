// Rule: while an agent works in the page, a bar says who does what, and stops it. It is
// no part of the page: a closed shadow root, in no picture and no reading. Its button takes
// the pointer alone, so that no key of an agent reaches it; Escape twice does the same.

import type { WorkCall } from "../../protocol";
import { localToolText, runsScript } from "../../tool-text";
import { serveWorkerMessages } from "../base/worker-messages";
import { EXTENSION_ATTRIBUTE } from "../dom/extension-elements";
import { buildClosedLayer, HiddenForPicture, type ClosedLayer } from "./closed-layer";
import { OverlayGuard } from "./guard";

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

const STYLE = `
:host { all: initial !important; position: fixed !important; inset: 8px 0 auto 0 !important; margin: 0 auto !important; z-index: 2147483647 !important;
  display: flex !important; align-items: center !important; gap: 12px !important; box-sizing: border-box !important; width: fit-content !important;
  max-width: calc(100% - 16px) !important; padding: 6px 6px 6px 14px !important; border-radius: 10px !important; color-scheme: light dark !important;
  font: 500 13px/1.4 system-ui, sans-serif !important; color: #fff !important; background: #171b26 !important; visibility: visible !important; opacity: 1 !important;
  box-shadow: 0 0 0 1px rgb(255 255 255 / .35), 0 4px 16px rgb(0 0 0 / .3) !important; transition: none !important; animation: none !important; transform: none !important; }
span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
button { all: initial; flex: none; box-sizing: border-box; min-height: 28px; padding: 2px 14px; border-radius: 7px; cursor: pointer;
  font: 600 13px/1.4 system-ui, sans-serif; color: #fff; background: #b3261e; }
button:hover { background: #8f1d17; }`;

interface Bar extends ClosedLayer {
  text: HTMLElement;
  stop: HTMLElement;
  /** Applies while the pointer goes through. */
  passThrough: CSSStyleSheet;
  guard: OverlayGuard;
}

let bar: Bar | undefined;
let calls: WorkCall[] = [];
let passThroughCount = 0;
const picture = new HiddenForPicture(() => bar?.guard.check());

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
  draw();
}

/** Hides the bar while a picture is taken; reports whether it was shown. */
export function hideBar(): boolean {
  const shown = bar !== undefined && !picture.hidden;
  picture.hide();
  return shown;
}

/** Shows the bar again, if something still runs. */
export const unhideBar = (): void => picture.unhide();

/** Lets the pointer through the bar, until called with false as many times; reports whether there is one. */
export function setBarPassThrough(on: boolean): boolean {
  if (!bar) return false;
  passThroughCount += on ? 1 : -1;
  bar.root.adoptedStyleSheets = passThroughCount > 0 ? [bar.sheet, bar.passThrough] : [bar.sheet];
  return true;
}

function draw(): void {
  const [first] = calls;
  if (!first || !document.documentElement) return remove();
  bar ??= build();
  bar.text.textContent = barText(first);
  const code = runsScript(first.name);
  bar.stop.textContent = chrome.i18n.getMessage(code ? "abort_short" : "stop_short");
  bar.stop.title = chrome.i18n.getMessage(code ? "bar_abort_hint" : "bar_stop_hint");
  bar.guard.check();
}

function remove(): void {
  bar?.guard.stop();
  bar?.host.remove();
  bar = undefined;
  passThroughCount = 0;
}

function build(): Bar {
  const layer = buildClosedLayer("actions-json-work", STYLE);
  const { host, root } = layer;
  const passThrough = new CSSStyleSheet();
  passThrough.replaceSync(":host { pointer-events: none !important; }");
  const text = document.createElement("span");
  const stop = document.createElement("button");
  stop.type = "button";
  stop.tabIndex = -1;
  stop.addEventListener("click", (event) => event.isTrusted && event.detail > 0 && reportStop(event));
  // The page's own listeners must not take it for a click on their element.
  for (const type of ["click", "auxclick", "mousedown", "mouseup", "pointerdown", "pointerup"]) host.addEventListener(type, (event) => event.stopPropagation());
  host.addEventListener("mousedown", (event) => event.preventDefault()); // the page keeps the focus
  root.append(text, stop);
  document.documentElement.append(host);
  const guard = new OverlayGuard(host, [EXTENSION_ATTRIBUTE, "popover"], () => !picture.hidden, () => passThroughCount === 0, () => {});
  return { ...layer, text, stop, passThrough, guard };
}

function reportStop({ clientX, clientY }: MouseEvent): void {
  const message: StopMessage = { kind: "stop_pressed", x: clientX, y: clientY };
  if (chrome.runtime?.id) chrome.runtime.sendMessage(message).catch(() => {});
}

/** Returns who does what: "Claude Code: Click Order · step 3 of 7". */
function barText({ who, name, argument, action, step, steps }: WorkCall): string {
  const t = (key: string, values: string[] = []): string => chrome.i18n.getMessage(key, values);
  const tool = localToolText(name, argument) || name;
  const doing = t("bar_text", [t(`session_${who}`) || who, action ? t("running_step", [action, tool]) : tool]);
  return step && steps && steps > 1 ? t("bar_step", [doing, String(step), String(steps)]) : doing;
}
