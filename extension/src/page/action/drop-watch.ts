// Rule of this file: a page has taken a drop where an element below its body has. Pages
// prevent the default of every drop at their document or body, so that the browser does not
// open dropped files: that says nothing about the place where this one was dropped.

import { isElement } from "../dom/dom";
import { isEditable } from "../dom/editable";
import { nextTask } from "../wait/schedule";

type Handler = "element" | "document" | "nobody";

/** Records whether documents take what is dropped in them, from its construction on. */
export class DropWatch {
  /** Whether the end of a drag was seen. */
  seen = false;
  /** Whether what was dropped was taken; null where that is not known. */
  accepted: boolean | null = false;
  private dropped = false;
  /** Who was ready for the drop when it was last over anything. */
  private over: Handler = "nobody";
  private readonly stopped = new AbortController();

  constructor(
    views: Iterable<Window>,
    /** Whether the browser's own events count, or those of a script. */
    private readonly trusted: boolean,
  ) {
    for (const view of views) {
      this.listen(view, "dragover", (event) => void handlerOf(event).then((by) => (this.over = by)));
      this.listen(view, "drop", (event) => this.onDrop(event));
      this.listen(view, "dragend", ({ dataTransfer }) => void nextTask().then(() => this.onEnd(dataTransfer?.dropEffect)));
    }
  }

  private listen(view: Window, type: "dragover" | "drop" | "dragend", handle: (event: DragEvent) => void): void {
    view.addEventListener(type, (event) => event.isTrusted === this.trusted && handle(event), { capture: true, signal: this.stopped.signal });
  }

  stop(): void {
    this.stopped.abort();
  }

  /** A drop is for what took the default of dragover; that of a text field is its own, unless the page prevents it. */
  private onDrop(event: Event): void {
    const [target] = event.composedPath();
    const intoField = this.trusted && isElement(target) && isEditable(target);
    void handlerOf(event).then((by) => {
      this.seen = this.dropped = true;
      if (by === "element" || (intoField && by === "nobody") || (this.trusted && this.over === "element")) this.accepted = true;
      else if (by !== "nobody" || this.over !== "nobody") this.accepted ||= null;
    });
  }

  /** A page may hide a drop from others. */
  private onEnd(effect: string | undefined): void {
    this.seen = true;
    if (!this.dropped && this.over === "element" && effect !== undefined && effect !== "none") this.accepted = true;
  }
}

/** Resolves with who prevented the default of the event, when all have handled it. Called before any of them. */
export async function handlerOf(event: Event): Promise<Handler> {
  const path = event.composedPath();
  const outside = path.findIndex((at) => isElement(at) && (at.localName === "body" || at.localName === "html"));
  const [body, outermost] = [path[outside], path[outside - 1]];
  // A handler of the document may stop the event on its way to the element or back.
  let before = true;
  let after: boolean | undefined;
  const enter = (): void => {
    before = event.defaultPrevented;
  };
  const leave = (): void => {
    after = event.defaultPrevented;
  };
  if (outermost) body?.addEventListener(event.type, enter, { capture: true, once: true });
  outermost?.addEventListener(event.type, leave, { once: true });
  await nextTask();
  body?.removeEventListener(event.type, enter, { capture: true });
  outermost?.removeEventListener(event.type, leave);
  if (!event.defaultPrevented) return "nobody";
  return !before && (after ?? true) ? "element" : "document";
}
