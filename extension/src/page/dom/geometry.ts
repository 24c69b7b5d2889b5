// Rule: inside the page code a box is {left, top, right, bottom}; what leaves
// it is a Rect with all eight fields, in CSS pixels of the top viewport,
// rounded to hundredths.

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface Rect extends Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

export const round = (n: number): number => Math.round(n * 100) / 100;

export function toRect(box: Box): Rect {
  const [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom].map(round) as [number, number, number, number];
  return { x: left, y: top, width: round(right - left), height: round(bottom - top), left, top, right, bottom };
}

/** The common part of both, or null where there is none. */
export function intersect(a: Box, b: Box): Box | null {
  const box = {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
  return box.right > box.left && box.bottom > box.top ? box : null;
}

/** The smallest box around all of them; null around none. */
export function bounds(boxes: Box[]): Box | null {
  if (boxes.length === 0) return null;
  const least = (side: "left" | "top"): number => Math.min(...boxes.map((box) => box[side]));
  const most = (side: "right" | "bottom"): number => Math.max(...boxes.map((box) => box[side]));
  return { left: least("left"), top: least("top"), right: most("right"), bottom: most("bottom") };
}

export const area = (box: Box | null): number => (box ? (box.right - box.left) * (box.bottom - box.top) : 0);

export const center = (box: Box): Point => ({ x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 });
