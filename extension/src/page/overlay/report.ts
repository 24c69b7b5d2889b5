// Rule: one report at a time, in a frame of the extension. It ends with its
// document. What it shows never passes through the page: the frame asks for it
// by its key.

import type { FrameAsk, Place, ReportContent, Size } from "../../ui/shared/frame-messages";
import { type Args, flag, requiredText, number, text } from "../base/args";
import { PageError } from "../base/errors";
import { deepActive, isHTML } from "../dom/dom";
import type { Context } from "../wait/schedule";
import { OverlayFrame } from "./frame";
import { type Area, placeAt, placed, shifted } from "./layout";
import { hidePane } from "./pane";

const REPORT_ID = "actions-json-report";
export const REPORT_WIDTH = 980;
export const REPORT_HEIGHT = 760;
const MIN_WIDTH = 420;
const MIN_HEIGHT = 320;
const MINIMIZED: Size = { width: 320, height: 42 };
/** Content larger than a caller may pass is refused before a frame is made. */
const MAX_CHARS = 3 << 20;

interface Report {
  id: string;
  frame: OverlayFrame;
  content: ReportContent;
  /** The size asked for, and below it the size that the user chose. */
  requestedSize: Size;
  size: Size;
  place: Place;
  minimized: boolean;
  minimizedPlace: Place;
  /** Where a drag began. A press of a button ends it: what it still has to say may come later. */
  dragged?: Area;
  /** What had the focus before. */
  previousFocus: WeakRef<HTMLElement> | undefined;
}

let report: Report | undefined;
let count = 0;

/** overlay.render */
export async function render(args: Args, ctx: Context): Promise<{ overlay_id: string; replaced: boolean; geometry: Area }> {
  const content: ReportContent = { title: requiredText(args, "title"), html: requiredText(args, "html"), scripts: flag(args, "scripts", false) };
  const data = text(args, "data");
  if (data !== undefined) content.data = data;
  if (content.html.length + (data?.length ?? 0) > MAX_CHARS) throw new PageError("payload_too_large", "the report is too large", { max_chars: MAX_CHARS });
  const size = { width: number(args, "width", REPORT_WIDTH, MIN_WIDTH, 1400), height: number(args, "height", REPORT_HEIGHT, MIN_HEIGHT, 1000) };
  const replaced = report !== undefined;
  const active = report ? report.previousFocus?.deref() : deepActive();
  removeReport();
  const opened: Report = {
    id: `${REPORT_ID}-${++count}`,
    content,
    requestedSize: size,
    size,
    place: { corner: "center" },
    minimized: false,
    minimizedPlace: { corner: "bottom-right" },
    previousFocus: isHTML(active) ? new WeakRef(active) : undefined,
    frame: new OverlayFrame({ id: REPORT_ID, page: "report.html", label: content.title, ready: "shown", answer: (ask) => answer(opened, ask) }),
  };
  report = opened;
  draw(opened);
  try {
    await opened.frame.ready(ctx);
  } catch (error) {
    removeReport();
    throw error;
  }
  // The focus of a person who is typing is left alone; after a click on a launcher the page has none.
  if (flag(args, "focus", false) || !active) opened.frame.focus();
  emit("opened", opened);
  return { overlay_id: opened.id, replaced, geometry: opened.frame.rect() };
}

/** overlay.dismiss */
export function dismiss(): { closed: boolean; menu_hidden: boolean } {
  const closed = report !== undefined;
  if (report) close(report);
  return { closed, menu_hidden: hidePane() };
}

/** Removes the report without an event. */
export function removeReport(): void {
  report?.frame.remove();
  report = undefined;
}

/** The window has another size now. */
export function redrawReport(): void {
  if (report) draw(report);
}

const view = () => ({ width: window.innerWidth, height: window.innerHeight });

function draw(of: Report): void {
  of.frame.layout(of.minimized ? placed(MINIMIZED, of.minimizedPlace, view()) : placed(of.size, of.place, view()));
}

function close(of: Report): void {
  const { focused } = of.frame;
  removeReport();
  const previous = of.previousFocus?.deref();
  if (focused && previous?.isConnected) previous.focus({ preventScroll: true });
  emit("closed", of);
}

// Events of the document, where the signals of a map can observe them.
function emit(what: string, of: Report): void {
  document.dispatchEvent(new CustomEvent(`actions-json:overlay-${what}`, { detail: { overlay_id: of.id } }));
}

function answer(of: Report, ask: FrameAsk): { content?: ReportContent } {
  if (of !== report) return {};
  switch (ask.ask) {
    case "content":
      return { content: of.content };
    case "close":
      close(of);
      return {};
    case "collapse":
    case "expand":
      if (of.minimized === (ask.ask === "collapse")) return {};
      of.minimized = ask.ask === "collapse";
      of.dragged = undefined;
      emit(of.minimized ? "minimized" : "expanded", of);
      break;
    case "reset":
      Object.assign(of, { size: of.requestedSize, place: { corner: "center" }, minimized: false });
      of.dragged = undefined;
      break;
    case "drag":
      drag(of, ask);
      break;
    case "step":
      step(of, ask);
      break;
  }
  draw(of);
  return {};
}

function drag(of: Report, { what, phase, dx, dy }: Extract<FrameAsk, { ask: "drag" }>): void {
  if (phase === "start") of.dragged = of.frame.rect();
  if (!of.dragged) return;
  applyDrag(of, of.dragged, what, dx, dy);
  if (phase === "end") of.dragged = undefined;
}

function step(of: Report, { what, dx, dy }: Extract<FrameAsk, { ask: "step" }>): void {
  const previous = of.frame.rect();
  applyDrag(of, previous, what, dx, dy);
  draw(of);
  // A pointer that holds the report goes on from where the key put it.
  if (of.dragged) of.dragged = shifted(of.dragged, previous, of.frame.rect());
}

function applyDrag(of: Report, from: Area, what: "move" | "resize", dx: number, dy: number): void {
  const move = what === "move";
  if (!move && !of.minimized) {
    of.size = { width: Math.max(MIN_WIDTH, from.width + dx), height: Math.max(MIN_HEIGHT, from.height + dy) };
  }
  const place = placeAt(from.left + (move ? dx : 0), from.top + (move ? dy : 0), from, of.place, false, view());
  if (of.minimized) of.minimizedPlace = place;
  else of.place = place;
}
