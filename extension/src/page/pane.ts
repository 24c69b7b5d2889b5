// Rule: the pane stands where the user put it, in every document of the tab.
// This document owns what is shown now; the worker remembers it for the next.

import { FIRST_PANE, type FrameAsk, PANE_MIN_HEIGHT, PANE_MIN_WIDTH, type PaneState, type Corner, type Size } from "../ui/frame-messages";
import type { Args } from "./args";
import { PageError } from "./errors";
import { type Area, CORNERS, collapsed, placeAt, placed } from "./own-box";
import { OwnFrame } from "./own-frame";
import { remembered, tell } from "./own-link";
import type { Context } from "./settle";

export const PANE_ID = "actions-json-menu";

let state: PaneState = FIRST_PANE;
let frame: OwnFrame | undefined;
let dragged: Area | undefined;
let known: Promise<void> | undefined;

/** Brings back what this tab had, in a document that is new or came back. */
export function restorePane(): Promise<void> {
  known = remembered().then((was) => {
    if (was) state = was;
    if (state.open) draw();
    else forgetFrame();
  });
  return known;
}

/** Takes the pane away, for good. */
export function removePane(): void {
  state = { ...state, open: false };
  forgetFrame();
}

function forgetFrame(): void {
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

/** overlay.menu.show; with open false a pane that is not open stays so, as a map that brackets its steps wants it. */
export async function show(args: Args, ctx: Context): Promise<PaneOutput> {
  if (args.open === false) {
    await known;
    if (!state.open) return output();
  }
  // A pane that is not open begins as the user left the last one, in whatever tab.
  await (state.open ? known : restorePane());
  const before = state;
  state = { ...state, open: true, hidden: false };
  draw();
  try {
    await frame?.ready(ctx);
  } catch (error) {
    state = before;
    if (before.open) draw();
    else forgetFrame();
    throw error;
  }
  save();
  return output();
}

/** overlay.menu.hide: what is not there is hidden, so that maps may bracket their steps on every host. */
export async function hide(): Promise<PaneOutput> {
  await known;
  hidePane();
  return output();
}

/** Tells whether it was shown. */
export function hidePane(): boolean {
  const was = state.open && !state.hidden;
  if (was) change({ hidden: true });
  return was;
}

/** overlay.menu.collapse */
export async function collapse(): Promise<PaneOutput> {
  await demand();
  return change({ collapsed: true });
}

/** overlay.menu.expand */
export async function expand(): Promise<PaneOutput> {
  await demand();
  return change({ collapsed: false });
}

/** overlay.menu.move */
export async function move(args: Args): Promise<PaneOutput> {
  await demand();
  const { corner, left, top } = args;
  if (CORNERS.includes(corner as Corner)) return change({ place: { corner: corner as Corner } });
  if (typeof left !== "number" && typeof top !== "number") {
    throw new PageError("invalid_arguments", "give a corner, or left and top", { argument: "corner", known: CORNERS });
  }
  const now = area();
  put(typeof left === "number" ? left : now.left, typeof top === "number" ? top : now.top);
  return change({});
}

async function demand(): Promise<void> {
  await known;
  if (!state.open) throw new PageError("overlay_not_open", "the pane is not open on this page");
}

function change(more: Partial<PaneState>): PaneOutput {
  state = { ...state, ...more };
  draw();
  save();
  return output();
}

const save = (): void => tell({ kind: "pane_state", state });

// The window without its scrollbars, which would lie over the pane's edge.
const view = (): Size => {
  const { width, height, scale } = window.visualViewport ?? { width: window.innerWidth, height: window.innerHeight, scale: 1 };
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
};

const area = (): Area => (state.collapsed ? collapsed : placed)(state, state.place, view());

function draw(): void {
  frame ??= new OwnFrame({ id: PANE_ID, page: "pane.html", label: chrome.i18n.getMessage("pane"), ready: "hello", answer });
  frame.layout(area(), state.hidden);
}

/** The window has another size now. */
export function redrawPane(): void {
  if (frame && state.open) draw();
}

function put(left: number, top: number): void {
  state = { ...state, place: placeAt(left, top, state, state.place, state.collapsed, view()) };
}

// What the user does in the pane itself.
function answer(ask: FrameAsk): object {
  switch (ask.ask) {
    case "hide":
      change({ hidden: true });
      break;
    case "collapse":
      change({ collapsed: true });
      break;
    case "expand":
      change({ collapsed: false });
      break;
    case "drag":
      drag(ask);
      break;
  }
  return {};
}

function drag({ what, phase, dx, dy }: Extract<FrameAsk, { ask: "drag" }>): void {
  if (phase === "start") dragged = area();
  if (!dragged) return;
  if (what === "move") put(dragged.left + dx, dragged.top + dy);
  else if (!state.collapsed) resize(dragged, dragged.width + dx, dragged.height + dy);
  draw();
  if (phase === "start" || phase === "move") return;
  dragged = undefined;
  // What is out of the window was put to its edge; there it is remembered.
  const now = area();
  put(now.left, now.top);
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
  put(from.left, from.top);
}
