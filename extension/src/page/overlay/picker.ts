// Rule: while the user points at an element, a frame of the extension lies over the whole
// view. The page gets none of the input there, cannot make any, and so can neither pick nor
// follow. The frame knows only points; the host asks for what is at them, in whatever
// document, and has it marked here.

import type { FrameAnswer, FrameAsk } from "../../ui/shared/frame-messages";
import { type Args, isObject, number, text } from "../base/args";
import { PageError } from "../base/errors";
import { deepActive, isHTML } from "../dom/dom";
import type { Context } from "../wait/schedule";
import { buildClosedLayer, type ClosedLayer, COVER_STYLE } from "./closed-layer";
import { OverlayFrame } from "./frame";

/** What the user did. */
export type PickEvent =
  | { event: "point"; x: number; y: number }
  | { event: "climb"; by: number }
  | { event: "choose"; x?: number; y?: number }
  | { event: "cancel"; reason: string }
  | { event: "none" };

/** The host asks again within this time, or it has gone. */
const ABANDONED_TIMEOUT_MS = 3_000;

const MARK_STYLE = `${COVER_STYLE}
div { position: absolute; box-sizing: border-box; border: 2px solid #2451d1; border-radius: 3px; background: rgb(36 81 209 / .18); box-shadow: 0 0 0 1px rgb(255 255 255 / .9); }
span { position: absolute; max-width: 60ch; padding: 2px 8px; border-radius: 5px; overflow: hidden; font: 600 12px/1.5 ui-monospace, monospace;
  text-overflow: ellipsis; white-space: nowrap; color: #fff; background: #171b26; }`;

interface Picker {
  frame: OverlayFrame;
  mark: ClosedLayer;
  box: HTMLElement;
  label: HTMLElement;
  message: string | undefined;
  events: PickEvent[];
  wake: () => void;
  point: { x: number; y: number } | undefined;
  abandoned: number | undefined;
  listeners: AbortController;
  previousFocus: WeakRef<HTMLElement> | undefined;
}

let picker: Picker | undefined;

/** picker.open */
export async function open(args: Args, ctx: Context): Promise<{ opened: true }> {
  if (picker) throw new PageError("picker_active", "the user is choosing an element in this tab already");
  if (document.hidden) throw cancelled("hidden");
  const active = deepActive();
  const opened: Picker = {
    frame: new OverlayFrame({ id: "actions-json-picker", page: "picker.html", label: chrome.i18n.getMessage("picker"), transparent: true, ready: "shown", answer: (ask) => answer(opened, ask) }),
    ...buildMark(),
    message: text(args, "message"),
    events: [],
    wake: () => {},
    point: undefined,
    abandoned: undefined,
    listeners: new AbortController(),
    previousFocus: isHTML(active) ? new WeakRef(active) : undefined,
  };
  picker = opened;
  const options = { capture: true, passive: true, signal: opened.listeners.signal };
  document.addEventListener("visibilitychange", () => document.hidden && push(opened, { event: "cancel", reason: "hidden" }), options);
  window.addEventListener("pagehide", closePicker, options);
  // What was under the pointer has moved away from there.
  document.addEventListener("scroll", () => opened.point && push(opened, { event: "point", ...opened.point }), options);
  redrawPicker();
  try {
    await opened.frame.ready(ctx);
  } catch (error) {
    closePicker();
    throw error;
  }
  watch(opened);
  return { opened: true };
}

/** picker.next */
export async function next(args: Args, { signal }: Context): Promise<PickEvent> {
  const open = picker;
  if (!open) throw cancelled("gone");
  window.clearTimeout(open.abandoned);
  draw(open, args);
  if (open.events.length === 0) await untilEvent(open, number(args, "wait_ms", 1000, 0, 10_000), signal);
  if (signal.aborted) {
    closePicker();
    throw new PageError("cancelled", "the call was cancelled");
  }
  if (picker !== open) throw cancelled("gone");
  watch(open);
  return open.events.shift() ?? { event: "none" };
}

/** picker.close */
export function close(): { closed: boolean } {
  const closed = picker !== undefined;
  closePicker();
  return { closed };
}

/** Takes the picker away. */
export function closePicker(): void {
  const open = picker;
  if (!open) return;
  picker = undefined;
  const { focused } = open.frame;
  window.clearTimeout(open.abandoned);
  open.listeners.abort();
  open.frame.remove();
  open.mark.host.remove();
  open.wake();
  const previous = open.previousFocus?.deref();
  if (focused && previous?.isConnected) previous.focus({ preventScroll: true });
}

/** The window has another size now. Its scrollbars stay the page's. */
export function redrawPicker(): void {
  const { width, height, scale } = window.visualViewport ?? { width: window.innerWidth, height: window.innerHeight, scale: 1 };
  picker?.frame.layout({ left: 0, top: 0, width: Math.round(width * scale), height: Math.round(height * scale) });
}

function cancelled(reason: string): PageError {
  return new PageError("picker_cancelled", reason === "hidden" ? "the tab is not shown" : "the picker is gone", { reason });
}

function watch(open: Picker): void {
  open.abandoned = window.setTimeout(() => picker === open && closePicker(), ABANDONED_TIMEOUT_MS);
}

function untilEvent(open: Picker, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    open.wake = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", open.wake, { once: true });
  });
}

function answer(of: Picker, ask: FrameAsk): Omit<Extract<FrameAnswer, { ok: true }>, "ok"> {
  if (of !== picker) return {};
  switch (ask.ask) {
    case "picking":
      of.frame.focus(); // also of one that the page has taken out, and that was loaded again
      return of.message === undefined ? {} : { message: of.message };
    case "point":
      of.point = { x: ask.x, y: ask.y };
      // The keys are the user's who points here.
      if (!of.frame.focused) of.frame.focus();
      push(of, { event: "point", x: ask.x, y: ask.y });
      break;
    case "climb":
      push(of, { event: "climb", by: ask.by });
      break;
    case "choose":
      push(of, ask.x === undefined || ask.y === undefined ? { event: "choose" } : { event: "choose", x: ask.x, y: ask.y });
      break;
    case "cancel":
      push(of, { event: "cancel", reason: ask.reason });
      break;
  }
  return {};
}

// Of several points only the last one counts.
function push(of: Picker, event: PickEvent): void {
  if (event.event === "point" && of.events.at(-1)?.event === "point") of.events.pop();
  of.events.push(event);
  of.wake();
}

function buildMark(): { mark: ClosedLayer; box: HTMLElement; label: HTMLElement } {
  const mark = buildClosedLayer("actions-json-picked", MARK_STYLE);
  mark.host.ariaHidden = "true";
  const box = document.createElement("div");
  const label = document.createElement("span");
  mark.root.append(box, label);
  return { mark, box, label };
}

// Shown anew each time, the mark lies over whatever the page has put into the top layer.
function draw({ mark: { host }, box, label }: Picker, args: Args): void {
  const rect = isObject(args.mark) ? args.mark : undefined;
  if (!host.isConnected) document.documentElement.append(host);
  if (host.matches(":popover-open")) host.hidePopover();
  if (!rect) return;
  const [left, top, width, height] = ["left", "top", "width", "height"].map((name) => number(rect, name, 0, -1e7, 1e7)) as [number, number, number, number];
  Object.assign(box.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
  label.textContent = text(args, "label") ?? "";
  label.style.left = `${Math.max(0, left)}px`;
  label.style.top = top >= 26 ? `${top - 25}px` : `${Math.max(0, Math.min(top + height + 3, window.innerHeight - 25))}px`;
  host.showPopover();
}
