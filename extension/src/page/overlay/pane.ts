// Rule: the pane is where the user put it, in every document of the tab. This
// document owns the current state; the worker remembers it for the next one.

import { FIRST_PANE, type FrameAsk, PANE_MIN_HEIGHT, PANE_MIN_WIDTH, type PaneState, type Corner, type Size } from "../../ui/shared/frame-messages";
import type { Args } from "../base/args";
import { PageError } from "../base/errors";
import type { Context } from "../wait/schedule";
import { OverlayFrame } from "./frame";
import { type Area, CORNERS, collapsed, placeAt, placed, shifted } from "./layout";
import { loadPaneState, sendToWorker } from "./link";

export const PANE_ID = "actions-json-menu";

let state: PaneState = FIRST_PANE;
let frame: OverlayFrame | undefined;
let dragged: Area | undefined;
let restored: Promise<void> | undefined;

/** Restores the tab's pane in a document that is new or came back from the cache. */
export function restorePane(): Promise<void> {
  restored = loadPaneState().then((was) => {
    if (was) state = was;
    if (state.open) draw();
    else removeFrame();
  });
  return restored;
}

/** Closes the pane. */
export function removePane(): void {
  state = { ...state, open: false };
  removeFrame();
}

function removeFrame(): void {
  frame?.remove();
  frame = undefined;
}

interface PaneOutput {
  overlay_id: string;
  overlay_present: boolean;
  hidden: boolean;
  collapsed: boolean;
  geometry?: Area;
}

function output(): PaneOutput {
  const out: PaneOutput = { overlay_id: PANE_ID, overlay_present: state.open, hidden: !state.open || state.hidden, collapsed: state.collapsed };
  if (state.open) out.geometry = area();
  return out;
}

/**
 * overlay.menu.show; with open false a closed pane stays closed, for maps that hide it
 * before their steps and show it after them.
 */
export async function show(args: Args, ctx: Context): Promise<PaneOutput> {
  if (args.open === false) {
    await restored;
    if (!state.open) return output();
  }
  // A closed pane opens as the user left the last one, in whatever tab.
  await (state.open ? restored : restorePane());
  const before = state;
  state = { ...state, open: true, hidden: false };
  draw();
  try {
    await frame?.ready(ctx);
  } catch (error) {
    state = before;
    if (before.open) draw();
    else removeFrame();
    throw error;
  }
  save();
  return output();
}

/** overlay.menu.hide: a closed pane counts as hidden, so that maps may hide it before their steps on every host. */
export async function hide(): Promise<PaneOutput> {
  await restored;
  hidePane();
  return output();
}

/** Hides the pane; reports whether it was shown. */
export function hidePane(): boolean {
  const was = state.open && !state.hidden;
  if (was) update({ hidden: true });
  return was;
}

/** overlay.menu.collapse */
export async function collapse(): Promise<PaneOutput> {
  await requireOpen();
  return update({ collapsed: true });
}

/** overlay.menu.expand */
export async function expand(): Promise<PaneOutput> {
  await requireOpen();
  return update({ collapsed: false });
}

/** overlay.menu.move */
export async function move(args: Args): Promise<PaneOutput> {
  await requireOpen();
  const { corner, left, top } = args;
  if (CORNERS.includes(corner as Corner)) return update({ place: { corner: corner as Corner } });
  if (typeof left !== "number" && typeof top !== "number") {
    throw new PageError("invalid_arguments", "give a corner, or left and top", { argument: "corner", known: CORNERS });
  }
  const current = area();
  setPosition(typeof left === "number" ? left : current.left, typeof top === "number" ? top : current.top);
  return update({});
}

async function requireOpen(): Promise<void> {
  await restored;
  if (!state.open) throw new PageError("overlay_not_open", "the pane is not open on this page");
}

function update(more: Partial<PaneState>): PaneOutput {
  state = { ...state, ...more };
  draw();
  save();
  return output();
}

const save = (): void => sendToWorker({ kind: "pane_state", state });

// The window without its scrollbars, which would lie over the pane's edge.
const view = (): Size => {
  const { width, height, scale } = window.visualViewport ?? { width: window.innerWidth, height: window.innerHeight, scale: 1 };
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
};

const area = (): Area => (state.collapsed ? collapsed : placed)(state, state.place, view());

function draw(): void {
  frame ??= new OverlayFrame({ id: PANE_ID, page: "pane.html", label: chrome.i18n.getMessage("pane"), ready: "hello", answer });
  frame.layout(area(), state.hidden);
}

/** The window has another size now. */
export function redrawPane(): void {
  if (frame && state.open) draw();
}

function setPosition(left: number, top: number): void {
  state = { ...state, place: placeAt(left, top, state, state.place, state.collapsed, view()) };
}

// What the user does in the pane itself.
function answer(ask: FrameAsk): object {
  switch (ask.ask) {
    case "showing":
      return { showing: state.open && !state.hidden && !state.collapsed, scale: window.devicePixelRatio };
    case "hide":
      update({ hidden: true });
      break;
    case "collapse":
    case "expand":
      dragged = undefined; // its end may come after the press, and would put the pane where it was
      update({ collapsed: ask.ask === "collapse" });
      break;
    case "drag":
      drag(ask);
      break;
    case "step":
      step(ask);
      break;
  }
  return {};
}

function drag({ what, phase, dx, dy }: Extract<FrameAsk, { ask: "drag" }>): void {
  if (phase === "start") dragged = area();
  if (!dragged) return;
  applyDrag(dragged, what, dx, dy);
  draw();
  if (phase === "start" || phase === "move") return;
  dragged = undefined;
  savePosition();
}

function step({ what, dx, dy }: Extract<FrameAsk, { ask: "step" }>): void {
  const before = area();
  applyDrag(before, what, dx, dy);
  draw();
  savePosition();
  // A pointer that holds the pane goes on from where the key put it.
  if (dragged) dragged = shifted(dragged, before, area());
}

function applyDrag(from: Area, what: "move" | "resize", dx: number, dy: number): void {
  if (what === "move") setPosition(from.left + dx, from.top + dy);
  else if (!state.collapsed) resize(from, from.width + dx, from.height + dy);
}

// What is out of the window was put to its edge; there it is remembered.
function savePosition(): void {
  const current = area();
  setPosition(current.left, current.top);
  save();
}

// The upper left corner stays where it is.
function resize(from: Area, width: number, height: number): void {
  const fit = (n: number, min: number, room: number): number => Math.round(Math.max(min, Math.min(n, room)));
  state = {
    ...state,
    width: fit(width, PANE_MIN_WIDTH, view().width - from.left - 8),
    height: fit(height, PANE_MIN_HEIGHT, view().height - from.top - 8),
  };
  setPosition(from.left, from.top);
}
