// Rule of this file: real input that an agent sends to a tab looks to every page
// like the user's own hand, to the pane in that tab too; and a pane that an agent
// moves may come to lie under the user's own. Only here is it known when such a
// input was under way; a request of the pane then may not be the user's.

/** What the pane does with an input reaches the worker within this time of it. */
const ECHO_TTL_MS = 500;

/** The CDP domain whose commands are input, and the primitives that move the pane. */
const INPUT = /^(Input|overlay\.menu)\./;

/** A key that the host has sent comes to the page within this time, or never. */
const OWN_KEY_TTL_MS = 1_000;

/** A page reports the point of a click in whole pixels. */
const SAME_POINT_PX = 2;

/** Real input under way, by tab. */
export class InputTracker {
  private readonly running = new Map<number, number>();
  private readonly ended = new Map<number, number>();
  /** Where the host pressed or released the mouse last. */
  private readonly presses = new Map<number, { x: number; y: number; at: number }>();
  /** When the host pressed Escape, and no page has reported it yet. */
  private readonly escapes = new Map<number, number[]>();

  /** Runs a command of the debugger's or a primitive and remembers it if it is one of these. */
  async track<T>(tabId: number, name: string, command: () => Promise<T>): Promise<T> {
    if (!INPUT.test(name)) return command();
    this.running.set(tabId, (this.running.get(tabId) ?? 0) + 1);
    try {
      return await command();
    } finally {
      this.running.set(tabId, (this.running.get(tabId) ?? 1) - 1);
      this.ended.set(tabId, performance.now());
    }
  }

  /** Remembers that the host presses Escape or the mouse, if the command does that. */
  notePresses(tabId: number, method: string, params: Record<string, unknown>): void {
    if (method === "Input.dispatchMouseEvent" && /^mouse(Press|Releas)ed$/.test(String(params["type"]))) {
      this.presses.set(tabId, { x: Number(params["x"]), y: Number(params["y"]), at: performance.now() });
    }
    if (method !== "Input.dispatchKeyEvent" || params["key"] !== "Escape" || !/down$/i.test(String(params["type"]))) return;
    this.escapes.set(tabId, [...this.ownEscapes(tabId), performance.now()]);
  }

  /** Reports whether the host has just pressed the mouse at the point of the tab's viewport. */
  pressedAt(tabId: number, { x, y }: { x: number; y: number }): boolean {
    const last = this.presses.get(tabId);
    return last !== undefined && performance.now() - last.at < OWN_KEY_TTL_MS && Math.hypot(last.x - x, last.y - y) <= SAME_POINT_PX;
  }

  /** Reports whether an Escape that a page got was the host's; each of those counts once. */
  takeOwnEscape(tabId: number): boolean {
    const [own, ...others] = this.ownEscapes(tabId);
    this.escapes.set(tabId, others);
    return own !== undefined;
  }

  private ownEscapes(tabId: number): number[] {
    return (this.escapes.get(tabId) ?? []).filter((at) => performance.now() - at < OWN_KEY_TTL_MS);
  }

  /** Reports whether a message from the pane of the tab may now be caused by an agent. */
  mayBeEcho(tabId: number): boolean {
    const ended = this.ended.get(tabId);
    return (this.running.get(tabId) ?? 0) > 0 || (ended !== undefined && performance.now() - ended < ECHO_TTL_MS);
  }
}
