// Rule: pure functions over boxes, so that node can test them: where an own
// frame stands, given the wish of the user and the room that there is. A wish
// outside of the window is kept and met as far as possible: the window may grow.

import type { Corner, Place, Size } from "../ui/frame-messages";

export const CORNERS: readonly Corner[] = ["top-left", "top-right", "bottom-left", "bottom-right"];

/** Between a corner of the window and a frame that is put there. */
const MARGIN = 12;
/** Between the window and a frame that was put anywhere. */
const EDGE = 8;
export const COLLAPSED = 42;

export interface Area extends Size {
  left: number;
  top: number;
}

/** A box of the size at the place, within the window. */
export function placed(size: Size, place: Place, view: Size): Area {
  const width = Math.min(size.width, room(view.width));
  const height = Math.min(size.height, room(view.height));
  if ("left" in place) return within({ left: place.left, top: place.top, width, height }, view);
  if (place.corner === "center") return within({ left: (view.width - width) / 2, top: (view.height - height) / 2, width, height }, view);
  const left = place.corner.endsWith("left") ? MARGIN : view.width - width - MARGIN;
  const top = place.corner.startsWith("top") ? MARGIN : view.height - height - MARGIN;
  return within({ left, top, width, height }, view);
}

/** What is left of a box that is collapsed: a square at the edge of the window that is nearer. */
export function collapsed(size: Size, place: Place, view: Size): Area {
  const full = placed(size, place, view);
  const left = edgeOf(place) === "right" ? full.left + full.width - COLLAPSED : full.left;
  const top = "corner" in place && place.corner.startsWith("bottom") ? full.top + full.height - COLLAPSED : full.top;
  return within({ left, top, width: COLLAPSED, height: COLLAPSED }, view);
}

/** The place of a box whose upper left corner is put somewhere; `was` keeps a collapsed box at its edge. */
export function placeAt(left: number, top: number, size: Size, was: Place, isCollapsed: boolean, view: Size): Place {
  if (!isCollapsed) return { left, top, edge: left + size.width / 2 > view.width / 2 ? "right" : "left" };
  const edge = edgeOf(was);
  const width = Math.min(size.width, room(view.width));
  return { left: edge === "right" ? left + COLLAPSED - width : left, top, edge };
}

function edgeOf(place: Place): "left" | "right" {
  if ("edge" in place) return place.edge;
  return place.corner.endsWith("left") ? "left" : "right";
}

function within(area: Area, view: Size): Area {
  const clamp = (at: number, size: number, all: number): number => Math.round(Math.max(EDGE, Math.min(at, all - size - EDGE)));
  return { ...area, left: clamp(area.left, area.width, view.width), top: clamp(area.top, area.height, view.height) };
}

const room = (all: number): number => Math.max(COLLAPSED, all - 2 * EDGE);
