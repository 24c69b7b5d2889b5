// Rule: what is our own never takes a click or a key that was meant for the
// page. Synthetic events pass it by in the hit test; trusted input is the
// browser's own, so the frames step aside for it, and come back by themselves
// if nobody calls them.

import { type Args, flag, number } from "./args";
import { passLaunchers } from "./launchers";
import { isOwn, OWN } from "./own";
import { focusBehind } from "./own-focus";
import { type OwnFrame, ownFrames } from "./own-frame";
import { removeShown, showCall, showPoint } from "./shown";
import { frame as nextFrame } from "./settle";

/** Longer than any single trusted input takes; longer ones ask again meanwhile. */
const HOLD_MS = 10_000;

let asides: (() => void)[] = [];
let timer: number | undefined;

/** overlay.aside */
export async function aside(args: Args): Promise<{ aside: number }> {
  const [left, top] = [number(args, "left", 0, -1e6, 1e6), number(args, "top", 0, -1e6, 1e6)];
  const [right, bottom] = [number(args, "right", left, -1e6, 1e6), number(args, "bottom", top, -1e6, 1e6)];
  if (flag(args, "shown", false)) return { aside: removeShown() ? 1 : 0 };
  const pointer = args.left !== undefined;
  // Of a target in a frame of another site, only its place is known here.
  if (pointer) showPoint({ x: left, y: top });
  else showCall();
  const covering = pointer ? [...ownFrames()].filter((each) => covers(each.host, left, top, right, bottom)) : [];
  for (const each of covering) each.pass(true);
  const launchers = pointer && ownHosts().some((el) => covers(el, left, top, right, bottom)) && passLaunchers(true);
  const refocus = flag(args, "keys", false) ? keepFocus() : undefined;
  if (covering.length === 0 && !launchers && !refocus) return { aside: 0 };
  asides.push(() => {
    for (const each of covering) each.pass(false);
    if (launchers) passLaunchers(false);
    refocus?.();
  });
  window.clearTimeout(timer);
  timer = window.setTimeout(back, HOLD_MS);
  // The browser finds what is under the pointer by the last frame it has drawn.
  if (covering.length > 0) {
    await nextFrame();
    await nextFrame();
  }
  return { aside: covering.length + (launchers ? 1 : 0) + (refocus ? 1 : 0) };
}

/** overlay.back */
export function back(): { back: number } {
  window.clearTimeout(timer);
  const all = asides;
  asides = [];
  for (const each of all) each();
  return { back: all.length };
}

// Found by their attribute, which a page may imitate, and known by more than that.
const ownHosts = (): Element[] => [...document.querySelectorAll(`[${OWN}]`)].filter(isOwn);

function covers(host: Element, left: number, top: number, right: number, bottom: number): boolean {
  const rect = host.getBoundingClientRect();
  return rect.width > 0 && rect.left <= right && rect.right >= left && rect.top <= bottom && rect.bottom >= top;
}

// The page's element gets the focus for the keys; the frame gets it back. Until
// then it cannot have it: neither Tab nor a click of the user's leads the keys of
// an agent into what is the user's alone.
function keepFocus(): (() => void) | undefined {
  const frames = [...ownFrames()];
  if (frames.length === 0) return undefined;
  const over = new AbortController();
  let holder: OwnFrame | undefined;
  const give = (): void => {
    const has = frames.find((each) => each.focused);
    if (!has) return;
    holder = has;
    focusBehind()?.focus({ preventScroll: true });
    if (has.focused) has.blur(); // what had it, such as the body, cannot take it
  };
  for (const each of frames) each.skip(true);
  // A frame takes the focus from its document without an event but this one.
  window.addEventListener("blur", give, { signal: over.signal });
  give();
  return () => {
    over.abort();
    for (const each of frames) each.skip(false);
    holder?.focus();
  };
}
