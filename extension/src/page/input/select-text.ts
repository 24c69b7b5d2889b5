// Rule of this file: a selection comes with the events of the mouse that makes it:
// pages show their tools when the button goes up.

import type { Args } from "../base/args";
import { isInput, isTextArea, viewOf } from "../dom/dom";
import { type Point, center } from "../dom/geometry";
import { toTop } from "../dom/viewport";
import { selectText, targetOrFocused } from "../text/select";
import { nextTask } from "../wait/schedule";
import { dispatchMouse } from "./mouse";

/** text.select */
export async function selectByMouse(args: Args): Promise<unknown> {
  const { el } = targetOrFocused(args);
  selectText(args); // refused before the first event
  const [start, end] = el ? endsOf(el) : [];
  if (!el || !start || !end) return selectText(args);
  const send = (type: string, local: Point, buttons: number): boolean => {
    const top = center(toTop({ left: local.x, top: local.y, right: local.x, bottom: local.y }, el.ownerDocument));
    return dispatchMouse(el, type, { local, top, button: type.endsWith("move") ? -1 : 0, buttons, detail: type.startsWith("mouse") ? 1 : 0, modifiers: [] });
  };
  send("pointerdown", start, 1);
  send("mousedown", start, 1);
  const selected = selectText(args);
  await nextTask(); // selectionchange comes before the button goes up
  send("pointermove", end, 1);
  send("mousemove", end, 1);
  send("pointerup", end, 0);
  send("mouseup", end, 0);
  return selected;
}

// Where the selection that was just made begins and ends, in the viewport of its document.
function endsOf(el: Element): Point[] {
  const selection = viewOf(el).getSelection();
  const lines = isInput(el) || isTextArea(el) || !selection?.rangeCount ? [el.getBoundingClientRect()] : [...selection.getRangeAt(0).getClientRects()];
  const [first, last] = [lines[0], lines.at(-1)];
  return first && last ? [{ x: first.left, y: center(first).y }, { x: last.right, y: center(last).y }] : [];
}
