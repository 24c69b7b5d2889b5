// Rule: a click goes to what the browser finds at the point, or nowhere: every
// refusal comes before the first event. Default actions that only trusted
// events have (focus, caret) are done here; those of the click event itself
// (links, labels, checkboxes, submit) the browser does.

import { type Args, text, texts } from "./args";
import { placeCaret } from "./caret";
import { ancestorsOf, composedContains, deepActive, isFrame, isInput } from "./dom";
import { PageError } from "./errors";
import { focusByMouse } from "./focus";
import { toTop } from "./frames";
import { type Point, toRect } from "./geometry";
import { deepElementAt } from "./hit-test";
import { labelOf } from "./labels";
import { type Modifier, type Mouse, hover, send } from "./mouse";
import { cut, textOf } from "./read-text";
import { disabledControl } from "./visibility";

const BUTTONS = { left: { button: 0, buttons: 1 }, middle: { button: 1, buttons: 4 }, right: { button: 2, buttons: 2 } } as const;

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

interface Hit {
  element: Element;
  local: Point;
  top: Point;
}

function hit(args: Args): Hit {
  const { x, y } = args;
  if (x === null || x === undefined || y === null || y === undefined) {
    throw new PageError("missing_coordinates", "x and y must both be given", { x: x ?? null, y: y ?? null });
  }
  const inside = (n: unknown, size: number): n is number => typeof n === "number" && Number.isFinite(n) && n >= 0 && n <= size;
  if (!inside(x, innerWidth) || !inside(y, innerHeight)) {
    throw new PageError("point_out_of_viewport", `(${x}, ${y}) is outside of the viewport`, { x, y, viewport: { width: innerWidth, height: innerHeight } });
  }
  const found = deepElementAt({ x, y });
  if (!found) throw new PageError("target_not_found", `nothing is at (${x}, ${y})`, { x, y });
  return { ...found, top: { x, y } };
}

function modifiersOf(args: Args): Modifier[] {
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
    tag_name: el.localName,
    id: el.id,
    class_name: el.getAttribute("class") ?? "",
    role: el.getAttribute("role"),
    data_testid: el.getAttribute("data-testid"),
    type: isInput(el) ? el.type : el.getAttribute("type"),
    text: cut(textOf(el), 240),
    disabled: disabledControl(el) !== null,
    aria_disabled: el.closest("[aria-disabled=true i]") !== null,
    bounding_box: toRect(toTop(el.getBoundingClientRect(), el.ownerDocument)),
    viewport: { width: innerWidth, height: innerHeight },
  };
}

/** pointer.move */
export function move(args: Args): unknown {
  const { element, local, top } = hit(args);
  const target = describe(element);
  hover(element, { local, top, button: 0, buttons: 0, detail: 0, modifiers: [] });
  return { ...top, target };
}

/** pointer.click */
export function click(args: Args): unknown {
  const modifiers = modifiersOf(args);
  const name = (text(args, "button") ?? "left") as keyof typeof BUTTONS;
  const button = Object.hasOwn(BUTTONS, name) ? BUTTONS[name] : undefined;
  if (!button) throw new PageError("invalid_input", `no such button: ${name}`, { button: name });
  const at = hit(args);
  const { element, local, top } = at;
  const disabled = disabledControl(element);
  if (disabled) {
    throw new PageError("target_not_actionable", `${labelOf(disabled)} is disabled`, { x: top.x, y: top.y, reason: "disabled", target: describe(element) });
  }
  if (isFrame(element)) {
    throw new PageError("frame_cross_origin", "the point lies in a frame that cannot be entered", { x: top.x, y: top.y, target: describe(element) });
  }
  // Described before: afterwards the page may have replaced it.
  const target = describe(element);
  const mouse: Mouse = { local, top, button: button.button, buttons: button.buttons, detail: 1, modifiers };
  hover(element, mouse);
  press(at, mouse, name);
  const active = deepActive();
  const focused = active !== null && (composedContains(active, element) || composedContains(element, active));
  return { clicked: true, ...top, button: name, modifiers, focused, target };
}

function press(at: Hit, down: Mouse, name: keyof typeof BUTTONS): void {
  const { element, local } = at;
  const up: Mouse = { ...down, buttons: 0 };
  // A prevented pointerdown keeps the mouse events back, not focus and click.
  const compatible = send(element, "pointerdown", { ...down, detail: 0 });
  if (!compatible || send(element, "mousedown", down)) {
    focusByMouse(element);
    if (name === "left" && element.isConnected) placeCaret(element, local);
  }
  if (name === "right") send(element, "contextmenu", { ...down, detail: 0 });
  // What mousedown opened or re-rendered may lie at the point now.
  const after = deepElementAt(at.top)?.element ?? element;
  const released = after.ownerDocument === element.ownerDocument ? after : element;
  send(released, "pointerup", { ...up, detail: 0 });
  if (compatible) send(released, "mouseup", up);
  // Press and release on different elements click on what holds both.
  const clicked = [...ancestorsOf(released)].find((el) => composedContains(el, element));
  if (!clicked || disabledControl(clicked)) return;
  send(clicked, name === "left" ? "click" : "auxclick", up);
}
