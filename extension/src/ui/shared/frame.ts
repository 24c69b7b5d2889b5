// Rule of this file: an extension page framed by a web page does nothing
// until the content script there has given it a key and the worker, which asks
// back, has confirmed it. A web page that embeds it has no such key.

import type { FrameAnswer, FrameAsk, FrameMessage, KeyMessage } from "./frame-messages";

type Granted = Extract<FrameAnswer, { ok: true }>;

let key = "";

/** Asks the content script that owns this frame, through the worker. */
export async function ask(question: FrameAsk): Promise<Granted> {
  const message: FrameMessage = { ...question, kind: "own_frame", key };
  const answer = await chrome.runtime.sendMessage<FrameMessage, FrameAnswer | undefined>(message);
  if (!answer?.ok) throw new Error("the frame has no owner");
  return answer;
}

/** Gives the focus to the element when it is to be seen, which may be after the frame's next change of size. */
export function focusWhenShown(target: HTMLElement): void {
  if (target.checkVisibility()) target.focus();
  else window.addEventListener("resize", () => focusWhenShown(target), { once: true });
}

/** Calls ready once, with the frame's key, when the frame has proved to be the extension's own. */
export function whenOwned(ready: (key: string) => void): void {
  let owned = false;
  window.addEventListener("message", (event) => {
    if (owned || event.source !== window.parent || window.parent === window) return;
    const given = (event.data as Partial<KeyMessage> | null)?.actions_host_key;
    if (typeof given !== "string" || given.length !== 32) return;
    key = given;
    ask({ ask: "hello" }).then(
      () => {
        if (owned) return;
        owned = true;
        ready(key);
      },
      () => {}, // not ours: the page stays empty
    );
  });
}

const STEP = 16;
const STEPS: Record<string, [number, number]> = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };

/** Makes an element move or resize the frame by the pointer, and one that can have the focus by the arrow keys. */
export function makeHandle(what: "move" | "resize", handle: HTMLElement, focusable = handle): void {
  handle.addEventListener("pointerdown", (event) => {
    // The buttons on a title bar do not drag.
    if (event.button !== 0 || (event.target as Element).closest("button")) return;
    handle.setPointerCapture(event.pointerId);
    void drag(handle, what, event);
  });
  focusable.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const [dx, dy] = step;
    void ask({ ask: "step", what, dx, dy });
  });
}

// The frame moves under the pointer, so the pointer is followed on the screen,
// whose pixels are the page's ones but for the tab's zoom. One question is under
// way at a time; what comes meanwhile is asked as one.
async function drag(handle: HTMLElement, what: "move" | "resize", start: PointerEvent): Promise<void> {
  let [dx, dy] = [0, 0];
  let over = false;
  let wake: () => void = () => {};
  const listen = new AbortController();
  const follow = (event: PointerEvent, last: boolean): void => {
    if (over) return;
    // A release that another frame got is seen by the next move.
    const held = last || event.buttons !== 0;
    if (held) [dx, dy] = [event.screenX - start.screenX, event.screenY - start.screenY];
    over = last || !held;
    if (!held) handle.releasePointerCapture(start.pointerId);
    wake();
  };
  const { signal } = listen;
  handle.addEventListener("pointermove", (event) => follow(event, false), { signal });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
    handle.addEventListener(end, (event) => follow(event, true), { signal, once: true });
  }
  try {
    const { zoom = 1 } = await ask({ ask: "drag", what, phase: "start", dx: 0, dy: 0 });
    for (let [x, y] = [0, 0]; !over; ) {
      if (x === dx && y === dy) await new Promise<void>((resolve) => (wake = resolve));
      [x, y] = [dx, dy];
      if (!over) await ask({ ask: "drag", what, phase: "move", dx: x / zoom, dy: y / zoom });
    }
    await ask({ ask: "drag", what, phase: "end", dx: dx / zoom, dy: dy / zoom });
  } finally {
    listen.abort();
  }
}
