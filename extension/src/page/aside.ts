// Rule: what is our own never takes a click or a key that was meant for the
// page. Synthetic events pass it by in the hit test; trusted input is the
// browser's own, so the frames step aside for it, and come back by themselves
// if nobody calls them.

import { type Args, flag, number } from "./args";
import { passLaunchers } from "./launchers";
import { isOwn, OWN } from "./own";
import { focusBehind } from "./own-focus";
import { ownFrames } from "./own-frame";
import { frame as nextFrame } from "./settle";

/** Longer than any single trusted input takes. */
const HOLD_MS = 10_000;

let asides: (() => void)[] = [];

/** overlay.aside */
export async function aside(args: Args): Promise<{ aside: number }> {
  const [left, top] = [number(args, "left", 0, -1e6, 1e6), number(args, "top", 0, -1e6, 1e6)];
  const [right, bottom] = [number(args, "right", left, -1e6, 1e6), number(args, "bottom", top, -1e6, 1e6)];
  const pointer = args.left !== undefined;
  const covering = pointer ? [...ownFrames()].filter((each) => covers(each.host, left, top, right, bottom)) : [];
  for (const each of covering) each.pass(true);
  const launchers = pointer && ownHosts().some((el) => covers(el, left, top, right, bottom)) && passLaunchers(true);
  const refocus = flag(args, "keys", false) ? giveFocus() : undefined;
  if (covering.length === 0 && !launchers && !refocus) return { aside: 0 };
  const back = (): void => {
    window.clearTimeout(timer);
    asides = asides.filter((each) => each !== back);
    for (const each of covering) each.pass(false);
    if (launchers) passLaunchers(false);
    refocus?.();
  };
  const timer = window.setTimeout(back, HOLD_MS);
  asides.push(back);
  // The browser finds what is under the pointer by the last frame it has drawn.
  if (covering.length > 0) {
    await nextFrame();
    await nextFrame();
  }
  return { aside: covering.length + (launchers ? 1 : 0) + (refocus ? 1 : 0) };
}

/** overlay.back */
export function back(): { back: number } {
  const all = asides;
  for (const each of all) each();
  return { back: all.length };
}

// Found by their attribute, which a page may imitate, and known by more than that.
const ownHosts = (): Element[] => [...document.querySelectorAll(`[${OWN}]`)].filter(isOwn);

function covers(host: Element, left: number, top: number, right: number, bottom: number): boolean {
  const rect = host.getBoundingClientRect();
  return rect.width > 0 && rect.left <= right && rect.right >= left && rect.top <= bottom && rect.bottom >= top;
}

// The page's element gets the focus for the keys; the frame gets it back.
function giveFocus(): (() => void) | undefined {
  const holder = [...ownFrames()].find((each) => each.focused);
  if (!holder) return undefined;
  const target = focusBehind();
  if (target) target.focus({ preventScroll: true });
  else holder.host.blur();
  return () => holder.focus();
}
