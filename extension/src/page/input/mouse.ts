// Rule: a synthetic mouse sends what a real mouse sends: the same events in the
// same order, with coordinates of the target's own viewport, buttons, detail
// and modifiers, bubbling through shadow roots. Only isTrusted differs.

import { ancestorsOf, composedContains, viewOf } from "../dom/dom";
import type { Point } from "../dom/geometry";
import { topViewport } from "../dom/viewport";

export type Modifier = "shift" | "alt" | "control" | "meta";

export interface Mouse {
  /** In the viewport of the target's document. */
  local: Point;
  /** In the top viewport. */
  top: Point;
  button: number;
  buttons: number;
  detail: number;
  modifiers: readonly Modifier[];
}

const NON_BUBBLING = new Set(["pointerenter", "pointerleave", "mouseenter", "mouseleave"]);

/** Dispatches one event; false where the page prevented its default action. */
export function dispatchMouse(target: Element, type: string, mouse: Mouse): boolean {
  const nonBubbling = NON_BUBBLING.has(type);
  const init: PointerEventInit = {
    bubbles: !nonBubbling,
    cancelable: !nonBubbling,
    composed: !nonBubbling,
    view: viewOf(target),
    detail: mouse.detail,
    clientX: mouse.local.x,
    clientY: mouse.local.y,
    screenX: mouse.top.x + window.screenX,
    screenY: mouse.top.y + window.screenY + (window.outerHeight - topViewport().height),
    button: mouse.button,
    buttons: mouse.buttons,
    shiftKey: mouse.modifiers.includes("shift"),
    altKey: mouse.modifiers.includes("alt"),
    ctrlKey: mouse.modifiers.includes("control"),
    metaKey: mouse.modifiers.includes("meta"),
  };
  const pointer = type.startsWith("pointer") || type === "click" || type === "auxclick" || type === "contextmenu";
  if (!pointer) return target.dispatchEvent(new MouseEvent(type, init));
  return target.dispatchEvent(
    new PointerEvent(type, { ...init, pointerId: 1, pointerType: "mouse", isPrimary: true, pressure: mouse.buttons ? 0.5 : 0 }),
  );
}

let hovered: WeakRef<Element> | undefined;

/** Moves the pointer onto the target: out of where it was, over, enter, move. */
export function hover(target: Element, mouse: Mouse): void {
  const last = hovered?.deref();
  const from = last?.isConnected ? last : null;
  const move: Mouse = { ...mouse, button: -1, buttons: 0, detail: 0 };
  const plain: Mouse = { ...move, button: 0 };
  if (from !== target) {
    const left = from ? [...ancestorsOf(from)].filter((el) => !composedContains(el, target)) : [];
    // Outermost first, as the pointer enters them.
    const entered = [...ancestorsOf(target)].filter((el) => !from || !composedContains(el, from)).reverse();
    for (const kind of ["pointer", "mouse"]) {
      const each = kind === "pointer" ? move : plain;
      if (from) dispatchMouse(from, `${kind}out`, each);
      for (const el of left) dispatchMouse(el, `${kind}leave`, each);
      dispatchMouse(target, `${kind}over`, each);
      for (const el of entered) dispatchMouse(el, `${kind}enter`, each);
    }
    hovered = new WeakRef(target);
  }
  dispatchMouse(target, "pointermove", move);
  dispatchMouse(target, "mousemove", plain);
}
