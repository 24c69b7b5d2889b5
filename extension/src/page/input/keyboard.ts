// Rule: a synthetic press sends the events of a real one and then does what the
// browser would do, because the browser does nothing for events of a script.
// What the page prevents is not done.

import { type Args, requiredText, number, texts } from "../base/args";
import { PageError } from "../base/errors";
import { viewOf } from "../dom/dom";
import { labelOf } from "../dom/labels";
import { isSecret } from "../dom/secrets";
import { noteMet } from "../locator/met";
import { type Context, throwIfCancelled, nextTask } from "../wait/schedule";
import { type Effect, afterKeyUp, defaultAction } from "./key-defaults";
import { type Chord, parseChord } from "./keys";
import { keyTarget, keyTargetHere } from "./prepared-keys";

/** keyboard.press */
export async function pressKey(args: Args, ctx: Context): Promise<unknown> {
  const chord = parseChord(requiredText(args, "key"), texts(args, "modifiers") ?? []);
  const repeat = Math.trunc(number(args, "repeat", 1, 0, 1000));
  const target = keyTarget();
  noteMet(ctx, target);
  const sensitive = isSecret(target);
  let effect: Effect = "none";
  for (let i = 0; i < repeat; i++) {
    if (performance.now() > ctx.deadline) {
      throw new PageError("handler_timeout", `the time was used up after ${i} of ${repeat} presses`, { pressed: i }, i > 0 ? "yes" : "no");
    }
    throwIfCancelled(ctx);
    if (i > 0) await nextTask(); // a framework takes the keys of one task as one
    effect = press(chord, i);
  }
  return { pressed: repeat > 0, key: chord.key, modifiers: chord.modifiers, repeat, fidelity: "synthetic", effect, target_label: labelOf(target), sensitive };
}

/**
 * Presses and releases once at the focused element, after so many keys of the same call. What remains
 * of a key goes where the focus is then, but into no frame of another origin: the key went out already.
 */
export function press(chord: Chord, pressed = 0): Effect {
  const target = keyTarget(pressed);
  if (!sendKey(target, "keydown", chord)) {
    sendKey(keyTargetHere() ?? target, "keyup", chord);
    return "prevented";
  }
  // Characters and Enter have a keypress; a page may prevent it as well.
  const hasPress = chord.text !== "" || chord.key === "Enter";
  const allowed = !hasPress || sendKey(target, "keypress", chord);
  const acting = keyTargetHere();
  const effect = !allowed ? "prevented" : acting ? defaultAction(acting, chord) : "none";
  const upTarget = keyTargetHere() ?? target;
  const released = sendKey(upTarget, "keyup", chord);
  if (!allowed || !acting || effect !== "none") return effect;
  return released ? afterKeyUp(upTarget, chord) : "prevented";
}

function sendKey(target: Element, type: "keydown" | "keypress" | "keyup", chord: Chord): boolean {
  const charCode = type === "keypress" ? (chord.key === "Enter" ? 13 : (chord.text.codePointAt(0) ?? 0)) : 0;
  const init: KeyboardEventInit & { which: number } = {
    bubbles: true,
    cancelable: true,
    composed: true,
    view: viewOf(target),
    key: chord.key,
    code: chord.code,
    keyCode: type === "keypress" ? charCode : chord.keyCode,
    which: type === "keypress" ? charCode : chord.keyCode,
    charCode,
    shiftKey: chord.modifiers.includes("shift"),
    altKey: chord.modifiers.includes("alt"),
    ctrlKey: chord.modifiers.includes("control"),
    metaKey: chord.modifiers.includes("meta"),
  };
  return target.dispatchEvent(new KeyboardEvent(type, init));
}
