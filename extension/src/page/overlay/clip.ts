// Rule: what only shows something lies beside the pane and the report, which take no press where
// anything lies over them. It is cut along one side: the browser takes an area with a hole in it
// for a whole one.

import { extensionFrames } from "../dom/extension-elements";
import { type Area, beside } from "./layout";

/** Cuts the element, which covers the area, to that side of the frames where most of the box is. */
export function clipBeside(el: HTMLElement, box: Area, area: Area): void {
  const frames = frameAreas();
  const { left, top, width, height } = frames.reduce((rest, frame) => beside(frame, box, rest), { left: 0, top: 0, width: innerWidth, height: innerHeight });
  const insets = [top - area.top, area.left + area.width - left - width, area.top + area.height - top - height, left - area.left];
  el.style.clipPath = frames.length > 0 ? `inset(${insets.map((inset) => `${inset}px`).join(" ")})` : "none";
}

/** Returns where the pane and the report are shown. */
export const frameAreas = (): Area[] => [...extensionFrames].filter((frame) => frame.matches(":popover-open")).map((frame) => frame.getBoundingClientRect());
