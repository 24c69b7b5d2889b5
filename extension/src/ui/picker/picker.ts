// Rule of this file: only what the browser itself reports of the user's hand counts. Which
// of it an agent has sent, the worker knows.

import { ask, whenOwned } from "../shared/frame";
import type { FrameAsk } from "../shared/frame-messages";
import { button, element, translate } from "../shared/text";
import { onClick } from "../shared/user";

const STEPS: Record<string, 1 | -1> = { ArrowUp: 1, ArrowDown: -1 };

let sending = Promise.resolve();
let latest: { x: number; y: number } | undefined;

whenOwned(() => {
  translate();
  void begin();
});

async function begin(): Promise<void> {
  const { message } = await ask({ ask: "picking" });
  if (message !== undefined) {
    element("picker-message").textContent = message;
    element("picker-message").hidden = false;
  }
  document.body.classList.add("owned");
  onClick(button("picker-cancel"), () => send({ ask: "cancel", reason: "button" }));
  document.addEventListener("pointermove", (event) => event.isTrusted && !onCard(event) && point(event));
  document.addEventListener("click", (event) => {
    if (event.isTrusted && event.detail > 0 && !onCard(event)) send({ ask: "choose", x: event.clientX, y: event.clientY });
  });
  document.addEventListener("contextmenu", (event) => event.preventDefault());
  document.addEventListener("keydown", press);
  await ask({ ask: "shown" });
}

const onCard = ({ target }: Event): boolean => target instanceof Element && target.closest("#card") !== null;

function press(event: KeyboardEvent): void {
  if (!event.isTrusted) return;
  const by = STEPS[event.key];
  if (by) send({ ask: "climb", by });
  else if (event.key === "Escape") send({ ask: "cancel", reason: "escape" });
  else if (event.key === "Enter" && !onCard(event)) send({ ask: "choose" });
  else return;
  event.preventDefault();
}

// One point is under way at a time; of those that come meanwhile the last is sent.
function point({ clientX: x, clientY: y }: PointerEvent): void {
  const waiting = latest !== undefined;
  latest = { x, y };
  if (waiting) return;
  enqueue(async () => {
    const at = latest;
    latest = undefined;
    if (at) await ask({ ask: "point", ...at });
  });
}

const send = (what: FrameAsk): void => enqueue(() => ask(what));

function enqueue(work: () => Promise<unknown>): void {
  // A picker that is just being taken away answers no more.
  sending = sending.then(work).then(
    () => {},
    () => {},
  );
}
