// Rule of this file: between the hit test and the press of the real mouse the
// page may move something else under it. The guard meets the press first, in
// the capture phase of the window: it notes what the target got, and keeps back
// a press that would hit something else, so that the call can simply try again.

import { composedContains, isElement } from "./dom";
import { elementAt } from "./hit-test";
import { frameOf } from "./frames";
import { labelOf } from "./labels";

const PRESS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "contextmenu", "dblclick"] as const;
const OTHER = ["pointermove", "dragstart", "drop", "dragend"] as const;

/** An armed guard whose call never came back lets go of the page. */
const DISARM_MS = 5_000;

/** What came to pass at the target. */
export interface Seen {
  /** Types of the events that the target got, each once, in their order. */
  events: string[];
  /** What a press was kept back from, or met beside the target. */
  elsewhere?: string;
  /** The press met something else and was kept back. */
  missed: boolean;
}

export class Guard {
  readonly seen: Seen = { events: [], missed: false };
  private readonly stop = new AbortController();
  private readonly timer = setTimeout(() => this.disarm(), DISARM_MS);
  private pressed = false;

  constructor(
    private readonly surface: Element,
    /** Whether a press on anything else is kept back. */
    private readonly strict = true,
  ) {
    for (const view of viewsOf(surface)) {
      for (const type of [...PRESS, ...OTHER]) view.addEventListener(type, (event) => this.meet(event), { capture: true, signal: this.stop.signal });
    }
  }

  disarm(): void {
    clearTimeout(this.timer);
    this.stop.abort();
  }

  private meet(event: Event): void {
    if (!event.isTrusted) return;
    const met = this.meets(event);
    const press = (PRESS as readonly string[]).includes(event.type);
    // The first event of a press decides for all of it.
    if (this.strict && press && !this.pressed) {
      this.pressed = true;
      this.seen.missed = !met;
    }
    if (this.seen.missed && press) {
      this.seen.elsewhere ??= labelOfTarget(event);
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    if (met && !this.seen.events.includes(event.type)) this.seen.events.push(event.type);
    if (!met && press) this.seen.elsewhere ??= labelOfTarget(event);
  }

  private meets(event: Event): boolean {
    const [first] = event.composedPath();
    if (isElement(first) && composedContains(this.surface, first)) return true;
    // A closed shadow root hides its elements from the path of the event.
    const { clientX: x, clientY: y } = event as MouseEvent;
    const doc = this.surface.ownerDocument;
    return isElement(first) && first.ownerDocument === doc && composedContains(this.surface, elementAt(doc, { x, y }));
  }
}

function labelOfTarget(event: Event): string | undefined {
  const [first] = event.composedPath();
  return isElement(first) ? labelOf(first) : undefined;
}

// The target's window and those around it: a press beside its frame is theirs.
function viewsOf(el: Element): Window[] {
  const views: Window[] = [];
  for (let doc: Document | undefined = el.ownerDocument; doc; doc = frameOf(doc)?.ownerDocument) {
    if (doc.defaultView) views.push(doc.defaultView);
  }
  return views;
}
