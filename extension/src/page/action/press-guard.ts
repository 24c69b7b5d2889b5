// Rule of this file: between the hit test and the press of the real mouse the
// page may move something else under it. The guard handles the press first, in the
// capture phase of the window: it records what the target got, and blocks a press
// that would hit something else, so that the call can simply try again.

import { PageError } from "../base/errors";
import { isElement } from "../dom/dom";
import { elementAt } from "../dom/hit-test";
import { labelOf } from "../dom/labels";
import { takesHit } from "../dom/nested-items";
import { frameOf } from "../dom/viewport";
import { reportInputSeen } from "../input/hold";
import type { HeldTarget } from "./action";
import { RedrawWatch } from "./redraw-watch";

const PRESS_EVENTS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "contextmenu", "dblclick"] as const;
const OTHER_EVENTS = ["pointermove", "dragstart", "drop", "dragend"] as const;

/** Events reported to the worker at once, as the document may be gone a moment later. */
const DECISIVE_EVENTS = ["pointerdown", "mousedown", "click", "auxclick", "contextmenu", "dblclick", "drop"];

/** An armed guard whose call never came back is disarmed then. */
const DISARM_TIMEOUT_MS = 5_000;

/** What a press did at the target. */
export interface PressResult {
  /** Types of the events that the target got, each once, in their order. */
  events: string[];
  /** The label of what a press hit, or would have hit, in place of the target. */
  otherTarget?: string;
  /** Whether the press would have hit something else and was blocked. */
  missed: boolean;
}

export class PressGuard {
  readonly result: PressResult = { events: [], missed: false };
  private readonly stop = new AbortController();
  private readonly timer = setTimeout(() => this.disarm(), DISARM_TIMEOUT_MS);
  private pressed = false;

  private readonly hitTarget: Element;
  private readonly redraws: RedrawWatch;
  private readonly hold: string | undefined;

  constructor(
    { hitTarget, hold }: Pick<HeldTarget, "hitTarget" | "hold">,
    /** Whether a press on anything else is blocked. */
    private readonly strict = true,
  ) {
    this.hitTarget = hitTarget;
    this.redraws = new RedrawWatch(hitTarget);
    this.hold = hold;
    for (const view of windowsAround(hitTarget)) {
      for (const type of [...PRESS_EVENTS, ...OTHER_EVENTS]) view.addEventListener(type, (event) => this.handleEvent(event), { capture: true, signal: this.stop.signal });
    }
  }

  /** Throws unless a press came to the target's document: its outcome is unknown then. */
  requireSeen(): void {
    if (this.pressed) return;
    throw new PageError("outcome_unknown", `the document of ${labelOf(this.hitTarget)} saw nothing of the press`, { reason: "not_seen" }, "unknown");
  }

  disarm(): void {
    clearTimeout(this.timer);
    this.stop.abort();
    this.redraws.end();
  }

  /** Resolves when the target has drawn itself anew for the pointer that came to it. */
  settle(): Promise<void> {
    return this.redraws.settle();
  }

  private handleEvent(event: Event): void {
    if (!event.isTrusted) return;
    const onTarget = this.isOnTarget(event);
    const press = (PRESS_EVENTS as readonly string[]).includes(event.type);
    // The first event of a press decides for the whole press.
    if (press && !this.pressed) {
      this.pressed = true;
      this.result.missed = this.strict && !onTarget;
    }
    if (this.result.missed && press) {
      this.result.otherTarget ??= labelOfTarget(event);
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    if (onTarget && !this.result.events.includes(event.type)) this.record(event.type);
    if (!onTarget && press) this.result.otherTarget ??= labelOfTarget(event);
  }

  private record(type: string): void {
    this.result.events.push(type);
    if (this.hold !== undefined && DECISIVE_EVENTS.includes(type)) reportInputSeen(this.hold, this.result.events);
  }

  private isOnTarget(event: Event): boolean {
    const [first] = event.composedPath();
    if (isElement(first) && takesHit(this.hitTarget, first)) return true;
    // A closed shadow root hides its elements from the path of the event.
    const { clientX: x, clientY: y } = event as MouseEvent;
    const doc = this.hitTarget.ownerDocument;
    return isElement(first) && first.ownerDocument === doc && takesHit(this.hitTarget, elementAt(doc, { x, y }));
  }
}

function labelOfTarget(event: Event): string | undefined {
  const [first] = event.composedPath();
  return isElement(first) ? labelOf(first) : undefined;
}

// The target's window and those around it: a press beside its frame is theirs.
function windowsAround(el: Element): Window[] {
  const views: Window[] = [];
  for (let doc: Document | undefined = el.ownerDocument; doc; doc = frameOf(doc)?.ownerDocument) {
    if (doc.defaultView) views.push(doc.defaultView);
  }
  return views;
}
