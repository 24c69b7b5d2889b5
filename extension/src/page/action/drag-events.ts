// Rule of this file: one DataTransfer goes through all events of a synthetic
// drag, so that what dragstart puts in arrives at drop.

import { viewOf } from "../dom/dom";
import type { Point } from "../dom/geometry";

export interface DragPlace {
  target: Element;
  /** In the viewport of the target's document, and in the top one. */
  local: Point;
  top: Point;
}

/** Dispatches one event; false where the page prevented its default action. */
export function sendDrag(at: DragPlace, type: string, data: DataTransfer): boolean {
  return at.target.dispatchEvent(
    new DragEvent(type, {
      bubbles: true,
      cancelable: type !== "dragleave" && type !== "dragend",
      composed: true,
      view: viewOf(at.target),
      clientX: at.local.x,
      clientY: at.local.y,
      screenX: at.top.x + window.screenX,
      screenY: at.top.y + window.screenY,
      buttons: type === "dragend" || type === "drop" ? 0 : 1,
      dataTransfer: data,
    }),
  );
}
