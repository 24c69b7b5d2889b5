// Rule: overlays of the extension never take a click or a key that was meant for
// the page. The hit test of synthetic events skips them; trusted input is
// dispatched by the browser, so the frames yield to it, and come back by
// themselves after a timeout.

import { type Args, flag, number } from "../base/args";
import { pageFocus } from "../dom/page-focus";
import { isExtensionElement, EXTENSION_ATTRIBUTE } from "../dom/extension-elements";
import { nextFrame } from "../wait/schedule";
import { hideAsked, unhideAsked } from "./asked";
import { hideBar, setBarPassThrough, unhideBar } from "./bar";
import { type OverlayFrame, overlayFrames } from "./frame";
import { hideHighlight, highlightCall, highlightPoint } from "./highlight";
import { setLaunchersPassThrough } from "./launchers";
import { hidePreview, unhidePreview } from "./preview";
import { hideRecording, setRecordingPassThrough, unhideRecording } from "./recording";

/** Longer than any single trusted input takes; longer ones renew the yield meanwhile. */
const RESTORE_TIMEOUT_MS = 10_000;

/** Of a frame of another process, as in the worker: the third frame shows that the browser has taken the change. */
const FRAMES_UNTIL_DRAWN = 3;

let undos: (() => void)[] = [];
let timer: number | undefined;

/** overlay.aside */
export async function yieldToInput(args: Args): Promise<{ aside: number }> {
  const [left, top] = [number(args, "left", 0, -1e6, 1e6), number(args, "top", 0, -1e6, 1e6)];
  const [right, bottom] = [number(args, "right", left, -1e6, 1e6), number(args, "bottom", top, -1e6, 1e6)];
  if (flag(args, "shown", false)) {
    const hidden = [hideHighlight(), hideBar(), hideAsked(), hidePreview(), hideRecording()];
    return { aside: hidden.filter(Boolean).length };
  }
  const pointer = args.left !== undefined;
  // Of a target in a frame of another site, only its place is known here.
  if (pointer) highlightPoint({ x: left, y: top });
  else highlightCall();
  const covering = pointer ? [...overlayFrames()].filter((each) => covers(each.host, left, top, right, bottom)) : [];
  for (const each of covering) each.setPassThrough(true);
  const launchers = pointer && extensionHosts().some((el) => covers(el, left, top, right, bottom)) && setLaunchersPassThrough(true);
  const bar = pointer && extensionHosts().some((el) => covers(el, left, top, right, bottom)) && [setBarPassThrough(true), setRecordingPassThrough(true)].includes(true);
  const refocus = flag(args, "keys", false) ? keepPageFocus() : undefined;
  if (covering.length === 0 && !launchers && !bar && !refocus) return { aside: 0 };
  undos.push(() => {
    for (const each of covering) each.setPassThrough(false);
    if (launchers) setLaunchersPassThrough(false);
    if (bar) {
      setBarPassThrough(false);
      setRecordingPassThrough(false);
    }
    refocus?.();
  });
  window.clearTimeout(timer);
  timer = window.setTimeout(endYield, RESTORE_TIMEOUT_MS);
  // The browser finds what is under the pointer by the last frame it has drawn.
  const frames = covering.length > 0 ? FRAMES_UNTIL_DRAWN : bar ? 2 : 0;
  for (let i = 0; i < frames; i++) await nextFrame();
  return { aside: covering.length + (launchers ? 1 : 0) + (bar ? 1 : 0) + (refocus ? 1 : 0) };
}

/** overlay.back */
export function endYield(): { back: number } {
  window.clearTimeout(timer);
  unhideBar();
  unhideAsked();
  unhidePreview();
  unhideRecording();
  const all = undos;
  undos = [];
  for (const each of all) each();
  return { back: all.length };
}

// Found by their attribute, which a page may imitate, and then checked.
const extensionHosts = (): Element[] => [...document.querySelectorAll(`[${EXTENSION_ATTRIBUTE}]`)].filter(isExtensionElement);

function covers(host: Element, left: number, top: number, right: number, bottom: number): boolean {
  const rect = host.getBoundingClientRect();
  return rect.width > 0 && rect.left <= right && rect.right >= left && rect.top <= bottom && rect.bottom >= top;
}

// The page's element gets the focus for the keys; the frame gets it back. Until
// then it cannot have it: neither Tab nor a click of the user may lead an agent's
// keys into the user's own frame.
function keepPageFocus(): (() => void) | undefined {
  const frames = [...overlayFrames()];
  if (frames.length === 0) return undefined;
  const stop = new AbortController();
  let focusedFrame: OverlayFrame | undefined;
  const focusPage = (): void => {
    const current = frames.find((each) => each.focused);
    if (!current) return;
    focusedFrame = current;
    pageFocus()?.focus({ preventScroll: true });
    if (current.focused) current.blur(); // what had it, such as the body, cannot take it
  };
  for (const each of frames) each.setTabSkipped(true);
  // This is the only event when a frame takes the focus from its document.
  window.addEventListener("blur", focusPage, { signal: stop.signal });
  focusPage();
  return () => {
    stop.abort();
    for (const each of frames) each.setTabSkipped(false);
    focusedFrame?.focus();
  };
}
