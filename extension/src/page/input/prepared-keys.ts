// Rule of this file: keys without a target go to the focused element. Before the
// first one this script prepares for them; afterwards it reports how many came, as
// only the document itself can know.

import { type Args, requiredText, text } from "../base/args";
import { PageError } from "../base/errors";
import { deepActive, isFrame } from "../dom/dom";
import { labelOf } from "../dom/labels";
import { isSecret } from "../dom/secrets";
import { EnterFrame } from "../frames/enter-frame";
import { documentOf } from "../frames/path";
import { noteMet } from "../locator/met";
import { yieldToInput, endYield } from "../overlay/yield";
import { rejectDuplicate } from "./duplicate-submit";
import type { Context } from "../wait/schedule";
import { isFocusInside, enterableWindows } from "./focus-hold";
import { releaseInput, type TargetMiss, reportInputSeen, registerInputTarget } from "./hold";

/** Counts the trusted events of a type that come to the documents of this script. */
export class InputCounter {
  private seen = 0;
  private secret: boolean;
  private readonly views = enterableWindows();
  /** Of their documents: a foreign one may come into a window. */
  private readonly counts = this.views.map(({ performance }) => performance.eventCounts);
  private readonly dispatchedBefore: number;
  private readonly stop = new AbortController();

  constructor(
    /** The hold of the input, which the worker knows. */
    private readonly id: string | undefined,
    private readonly type: "keydown" | "input" = "keydown",
  ) {
    this.secret = isSecretFocused();
    this.dispatchedBefore = this.dispatched();
    const options = { capture: true, signal: this.stop.signal };
    for (const view of this.views) {
      view.addEventListener(type, (event) => this.count(event), options);
      view.addEventListener("pagehide", () => this.report(), options);
    }
  }

  get events(): number {
    return Math.max(this.seen, this.dispatched() - this.dispatchedBefore);
  }

  /** Reports whether a field with a secret had the focus at one of them. */
  get sensitive(): boolean {
    return this.secret || isSecretFocused();
  }

  end(): void {
    this.stop.abort();
  }

  private count(event: Event): void {
    if (!event.isTrusted) return;
    this.secret ||= isSecretFocused();
    if (++this.seen === 1) this.report();
  }

  // A listener that the page has set earlier may stop an event before ours sees it. The
  // browser counts those as well, and never those of a script.
  private dispatched(): number {
    return this.counts.reduce((sum, counts) => sum + (counts?.get(this.type) ?? 0), 0);
  }

  private report(): void {
    if (this.id !== undefined && this.events > 0) reportInputSeen(this.id, [this.type], this.events);
  }
}

function isSecretFocused(): boolean {
  const active = deepActive();
  return active !== null && isSecret(active);
}

/** Returns a miss where the focus has left the documents of this script during the hold. */
export function checkFocus(hold: string | undefined): TargetMiss | null {
  if (isFocusInside(hold)) return null;
  const active = deepActive();
  const where = isFrame(active) ? `the frame ${labelOf(active)}` : "another document";
  return { code: "focus_moved", message: `the focus went to ${where}, where these keys are not allowed`, evidence: {} };
}

const counters = new Map<string, InputCounter>();
const MAX_COUNTERS = 20;

/** keys.prepare */
export async function prepareKeys(args: Args, ctx: Context): Promise<unknown> {
  const target = keyTarget();
  noteMet(ctx, target);
  const submit_key = args.key === undefined ? undefined : rejectDuplicate({ el: target, args: { ...args, action: "press" } });
  const id = text(args, "hold");
  if (id !== undefined) {
    await yieldToInput({ keys: true });
    counters.set(id, new InputCounter(id));
    for (const oldest of counters.keys()) if (counters.size > MAX_COUNTERS) stopCounting(oldest);
    registerInputTarget(id, { el: target, check: () => checkFocus(id) });
  }
  return { submit_key: submit_key ?? null };
}

/** keys.verify */
export function verifyKeys(args: Args): unknown {
  const id = requiredText(args, "hold");
  const counter = stopCounting(id);
  endYield();
  if (!counter) throw new PageError("state_mismatch", "this document did not prepare for the keys");
  return { keys: counter.events, sensitive: counter.sensitive };
}

function stopCounting(id: string): InputCounter | undefined {
  const counter = counters.get(id);
  counter?.end();
  counters.delete(id);
  releaseInput(id);
  return counter;
}

/** Where keys go: the focused element, else the body; null in a frame that cannot be entered. */
export function keyTargetHere(): Element | null {
  const active = deepActive();
  if (isFrame(active) && !documentOf(active)) return null;
  return active ?? document.body ?? document.documentElement;
}

/** Like keyTargetHere, but the call continues in such a frame, unless some of its keys were pressed here. */
export function keyTarget(pressed = 0): Element {
  const target = keyTargetHere();
  if (target) return target;
  if (pressed === 0) throw EnterFrame.byFocus(deepActive() as HTMLIFrameElement);
  throw new PageError("focus_moved", `the focus went to a frame of another origin after ${pressed} keys`, { pressed }, "yes");
}
