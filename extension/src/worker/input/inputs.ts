// Rule of this file: real input that an agent sends to a tab looks to every page
// like the user's own hand, to the pane in that tab too; and a pane that an agent
// moves may come to lie under the user's own. Only here is it known when such a
// input was under way; a request of the pane then may not be the user's.

/** What the pane does with an input reaches the worker within this time of it. */
const ECHO_TTL_MS = 500;

/** The CDP domain whose commands are input, and the primitives that move the pane. */
const INPUT = /^(Input|overlay\.menu)\./;

/** Real input under way, by tab. */
export class InputTracker {
  private readonly running = new Map<number, number>();
  private readonly ended = new Map<number, number>();

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

  /** Reports whether a message from the pane of the tab may now be caused by an agent. */
  mayBeEcho(tabId: number): boolean {
    const ended = this.ended.get(tabId);
    return (this.running.get(tabId) ?? 0) > 0 || (ended !== undefined && performance.now() - ended < ECHO_TTL_MS);
  }
}
