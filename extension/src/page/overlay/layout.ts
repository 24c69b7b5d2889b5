// Rule: pure functions over boxes, so that node can test them: where a frame of the
// extension is placed, given the position the user chose and the available space. A
// position outside of the window is kept and met as far as possible: the window may
// grow.

import type { Corner, Place, Size } from "../../ui/shared/frame-messages";

export const CORNERS: readonly Corner[] = ["top-left", "top-right", "bottom-left", "bottom-right"];

/** Space between a corner of the window and a frame that is put there. */
const MARGIN = 12;
/** Space between the window's edge and a frame that was put anywhere. */
const EDGE = 8;
export const COLLAPSED = 42;
/** What a strip takes at most, with its margin, in one line. */
const STRIP: Size = { width: 496, height: 60 };
const MIN_STRIP_WIDTH = 320;

export interface Area extends Size {
  left: number;
  top: number;
}

/** A box of the size at the place, within the window. */
export function placed(size: Size, place: Place, view: Size): Area {
  const width = Math.min(size.width, available(view.width));
  const height = Math.min(size.height, available(view.height));
  if ("left" in place) return within({ left: place.left, top: place.top, width, height }, view);
  if (place.corner === "center") return within({ left: (view.width - width) / 2, top: (view.height - height) / 2, width, height }, view);
  const left = place.corner.endsWith("left") ? MARGIN : view.width - width - MARGIN;
  const top = place.corner.startsWith("top") ? MARGIN : view.height - height - MARGIN;
  return within({ left, top, width, height }, view);
}

/** The box when collapsed: a square at the nearer edge of the window. */
export function collapsed(size: Size, place: Place, view: Size): Area {
  const full = placed(size, place, view);
  const left = edgeOf(place) === "right" ? full.left + full.width - COLLAPSED : full.left;
  const top = "corner" in place && place.corner.startsWith("bottom") ? full.top + full.height - COLLAPSED : full.top;
  return within({ left, top, width: COLLAPSED, height: COLLAPSED }, view);
}

/** The place of a box whose upper left corner is put somewhere; `previous` keeps a collapsed box at its edge. */
export function placeAt(left: number, top: number, size: Size, previous: Place, isCollapsed: boolean, view: Size): Place {
  if (!isCollapsed) return { left, top, edge: left + size.width / 2 > view.width / 2 ? "right" : "left" };
  const edge = edgeOf(previous);
  const width = Math.min(size.width, available(view.width));
  return { left: edge === "right" ? left + COLLAPSED - width : left, top, edge };
}

/** The box, changed as another one was. */
export function shifted(area: Area, before: Area, after: Area): Area {
  return {
    left: area.left + after.left - before.left,
    top: area.top + after.top - before.top,
    width: area.width + after.width - before.width,
    height: area.height + after.height - before.height,
  };
}

/** Returns the share of the area on that side of the frame where most of the box is. */
export function beside(frame: Area, box: Area, area: Area): Area {
  const [right, bottom] = [frame.left + frame.width, frame.top + frame.height];
  const sides = [
    { ...area, width: frame.left - area.left },
    { ...area, left: right, width: area.left + area.width - right },
    { ...area, height: frame.top - area.top },
    { ...area, top: bottom, height: area.top + area.height - bottom },
  ].map((side) => common(side, area));
  const most = Math.max(...sides.map((side) => sizeOf(common(side, box))));
  return sides.filter((side) => sizeOf(common(side, box)) === most).reduce((largest, side) => (sizeOf(side) > sizeOf(largest) ? side : largest));
}

/** Where a strip lies: at which edge of the view, and how far from its sides. */
export interface StripPlace {
  edge: "top" | "bottom";
  left: number;
  right: number;
}

/** Returns where a strip is clear of the frames: at the edge, or at the other one where too little of it is free and more there. */
export function stripPlace(edge: StripPlace["edge"], frames: readonly Area[], view: Size): StripPlace {
  const here = freeAt(edge, frames, view);
  const there = freeAt(edge === "top" ? "bottom" : "top", frames, view);
  return (here.width < MIN_STRIP_WIDTH && there.width > here.width ? there : here).place;
}

function freeAt(edge: StripPlace["edge"], frames: readonly Area[], view: Size): { place: StripPlace; width: number } {
  const width = Math.min(STRIP.width, view.width);
  const box = { left: (view.width - width) / 2, top: edge === "top" ? 0 : view.height - STRIP.height, width, height: STRIP.height };
  const free = frames.filter((frame) => sizeOf(common(frame, box)) > 0).reduce((rest, frame) => beside(frame, box, rest), { left: 0, top: 0, ...view });
  if (common(free, box).height < box.height) return { place: { edge, left: 0, right: 0 }, width: 0 };
  return { place: { edge, left: free.left, right: view.width - free.left - free.width }, width: free.width };
}

/** Returns the area in both; one without a size if there is none. */
function common(a: Area, b: Area): Area {
  const [left, top] = [Math.max(a.left, b.left), Math.max(a.top, b.top)];
  const width = Math.min(a.left + a.width, b.left + b.width) - left;
  const height = Math.min(a.top + a.height, b.top + b.height) - top;
  return { left, top, width: Math.max(0, width), height: Math.max(0, height) };
}

const sizeOf = ({ width, height }: Size): number => width * height;

function edgeOf(place: Place): "left" | "right" {
  if ("edge" in place) return place.edge;
  return place.corner.endsWith("left") ? "left" : "right";
}

function within(area: Area, view: Size): Area {
  const clamp = (at: number, size: number, all: number): number => Math.round(Math.max(EDGE, Math.min(at, all - size - EDGE)));
  return { ...area, left: clamp(area.left, area.width, view.width), top: clamp(area.top, area.height, view.height) };
}

const available = (all: number): number => Math.max(COLLAPSED, all - 2 * EDGE);
