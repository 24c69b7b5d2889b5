// Rule: a click goes to what the browser finds at the point, or nowhere: every
// refusal comes before the first event. Default actions that only trusted
// events have (focus, caret) are done here; those of the click event itself
// (links, labels, checkboxes, submit) the browser does.

import { type Args, text, texts } from "../base/args";
import { PageError } from "../base/errors";
import { ancestorsOf, attributeOf, composedClosest, composedContains, deepActive, isFrame, isInput, localNameOf } from "../dom/dom";
import { focusByMouse } from "../dom/focus";
import { type Point, toRect } from "../dom/geometry";
import { deepElementAt } from "../dom/hit-test";
import { labelOf } from "../dom/labels";
import { truncate, textOf } from "../dom/read-text";
import { toTop, topViewport } from "../dom/viewport";
import { disabledControl } from "../dom/visibility";
import { EnterFrame } from "../frames/enter-frame";
import { documentOf } from "../frames/path";
import { noteMet } from "../locator/met";
import { highlightTarget } from "../overlay/highlight";
import { placeCaret } from "../text/caret";
import type { Context } from "../wait/schedule";
import { type Modifier, type Mouse, hover, dispatchMouse } from "./mouse";

const BUTTONS = { left: { button: 0, buttons: 1 }, middle: { button: 1, buttons: 4 }, right: { button: 2, buttons: 2 } } as const;

/** What a point within is meant for. */
const CONTROLS = "a[href], button, input, select, textarea, summary, label, [role]";

const MODIFIERS: Record<string, Modifier> = {
  shift: "shift",
  alt: "alt",
  option: "alt",
  control: "control",
  ctrl: "control",
  meta: "meta",
  cmd: "meta",
  command: "meta",
};

export interface Hit {
  element: Element;
  local: Point;
  top: Point;
}

function resolvePoint(args: Args, ctx: Context): Hit {
  const { x, y } = args;
  if (x === null || x === undefined || y === null || y === undefined) {
    throw new PageError("missing_coordinates", "x and y must both be given", { x: x ?? null, y: y ?? null });
  }
  const inside = (n: unknown, size: number): n is number => typeof n === "number" && Number.isFinite(n) && n >= 0 && n <= size;
  const viewport = topViewport();
  if (!inside(x, viewport.width) || !inside(y, viewport.height)) {
    throw new PageError("point_out_of_viewport", `(${x}, ${y}) is outside of the viewport`, { x, y, viewport });
  }
  const fraction = (n: number): boolean => n > 0 && n < 1;
  if (fraction(x) && fraction(y)) throw new PageError("invalid_input", `(${x}, ${y}) is within one pixel: x and y are CSS pixels, not fractions of the viewport`, { x, y });
  const found = deepElementAt({ x, y });
  if (!found) throw new PageError("target_not_found", `nothing is at (${x}, ${y})`, { x, y });
  const { element } = found;
  if (isFrame(element) && !documentOf(element)) throw EnterFrame.byPoint(element, { x, y, target: describe(element) });
  noteMet(ctx, composedClosest(element, CONTROLS) ?? element);
  highlightTarget(element, { x, y });
  return { ...found, top: { x, y } };
}

/** The modifiers of the arguments, each once. */
export function modifiersOf(args: Args): Modifier[] {
  const names = texts(args, "modifiers") ?? [];
  const known = names.map((name) => {
    const modifier = MODIFIERS[name.toLowerCase()];
    if (!modifier) throw new PageError("invalid_input", `no such modifier: ${name}`, { modifier: name, known: Object.keys(MODIFIERS) });
    return modifier;
  });
  return [...new Set(known)];
}

function describe(el: Element) {
  return {
    tag_name: localNameOf(el),
    id: attributeOf(el, "id") ?? "",
    class_name: attributeOf(el, "class") ?? "",
    role: attributeOf(el, "role"),
    data_testid: attributeOf(el, "data-testid"),
    type: isInput(el) ? el.type : attributeOf(el, "type"),
    text: truncate(textOf(el), 240),
    disabled: disabledControl(el) !== null,
    aria_disabled: el.closest("[aria-disabled=true i]") !== null,
    bounding_box: toRect(toTop(el.getBoundingClientRect(), el.ownerDocument)),
    viewport: topViewport(),
  };
}

/** pointer.move */
export function move(args: Args, ctx: Context): unknown {
  const at = resolvePoint(args, ctx);
  const { element, top } = at;
  const target = describe(element);
  hoverAt(at);
  return { ...top, target };
}

/** pointer.click */
export function click(args: Args, ctx: Context): unknown {
  const button = text(args, "button") ?? "left";
  buttonOf(button);
  const { top, modifiers, ...result } = clickTimes(args, ctx, button, 1);
  return { clicked: true, ...top, button, modifiers, ...result };
}

/** pointer.double_click */
export function doubleClick(args: Args, ctx: Context): unknown {
  const { top, modifiers, ...result } = clickTimes(args, ctx, "left", 2);
  return { double_clicked: true, ...top, modifiers, ...result };
}

function clickTimes(args: Args, ctx: Context, button: string, clicks: number) {
  const modifiers = modifiersOf(args);
  const at = resolvePoint(args, ctx);
  const { element, top } = at;
  const disabled = disabledControl(element);
  if (disabled) {
    throw new PageError("target_not_actionable", `${labelOf(disabled)} is disabled`, { x: top.x, y: top.y, reason: "disabled", target: describe(element) });
  }
  // Described before the click: the page may replace it.
  const target = describe(element);
  pressAt(at, button, modifiers, clicks);
  const active = deepActive();
  const focused = active !== null && (composedContains(active, element) || composedContains(element, active));
  return { top, modifiers, focused, target };
}

/** Moves there and clicks the given number of times; returns what the last click went to. */
export function pressAt(at: Hit, name: string, modifiers: readonly Modifier[], clicks: number): Element | null {
  const { button, buttons } = buttonOf(name);
  hoverAt(at, modifiers);
  let clicked: Element | null = null;
  for (let detail = 1; detail <= clicks; detail++) {
    // The first click may have put something else there.
    const now = detail === 1 ? at : { ...(deepElementAt(at.top) ?? at), top: at.top };
    const mouse: Mouse = { local: now.local, top: now.top, button, buttons, detail, modifiers };
    clicked = press(now, mouse, name as keyof typeof BUTTONS);
    if (detail === 2 && clicked) dispatchMouse(clicked, "dblclick", { ...mouse, buttons: 0 });
  }
  return clicked;
}

/** Moves the pointer there. */
export function hoverAt(at: Hit, modifiers: readonly Modifier[] = []): void {
  hover(at.element, { local: at.local, top: at.top, button: 0, buttons: 0, detail: 0, modifiers });
}

function buttonOf(name: string): (typeof BUTTONS)[keyof typeof BUTTONS] {
  const button = Object.hasOwn(BUTTONS, name) ? BUTTONS[name as keyof typeof BUTTONS] : undefined;
  if (!button) throw new PageError("invalid_input", `no such button: ${name}`, { button: name });
  return button;
}

function press(at: Hit, down: Mouse, name: keyof typeof BUTTONS): Element | null {
  const { element, local } = at;
  const up: Mouse = { ...down, buttons: 0 };
  // A prevented pointerdown suppresses the mouse events, not focus and click.
  const compatible = dispatchMouse(element, "pointerdown", { ...down, detail: 0 });
  if (!compatible || dispatchMouse(element, "mousedown", down)) {
    focusByMouse(element);
    if (name === "left" && element.isConnected) placeCaret(element, local);
  }
  if (name === "right") dispatchMouse(element, "contextmenu", { ...down, detail: 0 });
  // What mousedown opened or re-rendered may lie at the point now.
  const after = deepElementAt(at.top)?.element ?? element;
  const released = after.ownerDocument === element.ownerDocument ? after : element;
  dispatchMouse(released, "pointerup", { ...up, detail: 0 });
  if (compatible) dispatchMouse(released, "mouseup", up);
  // Press and release on different elements click on their common ancestor.
  const clicked = [...ancestorsOf(released)].find((el) => composedContains(el, element));
  if (!clicked || disabledControl(clicked)) return null;
  dispatchMouse(clicked, name === "left" ? "click" : "auxclick", up);
  return clicked;
}
