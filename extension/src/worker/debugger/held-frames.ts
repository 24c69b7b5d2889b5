// Rule of this file: a new frame that the debugger pauses for the host, which wants
// its events from the beginning, resumes soon also where the host does not ask for
// it: no page waits for a host that is busy or gone.

import { report } from "../shared/fault";

const ATTACHED = "Target.attachedToTarget";
const RUN = "Runtime.runIfWaitingForDebugger";

/** The host sends its commands in a few milliseconds. */
const HOLD_TIMEOUT_MS = 1_000;

/** The paused frames that wait for the host. */
export class HeldFrames {
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(
    private readonly send: (tabId: number, sessionId: string, method: string) => Promise<unknown>,
    private readonly isHostConnected: () => boolean,
  ) {}

  /** Follows an event of the debugger. */
  onEvent(tabId: number, method: string, params: Record<string, unknown>): void {
    const { sessionId, waitingForDebugger } = params;
    if (method !== ATTACHED || waitingForDebugger !== true || typeof sessionId !== "string") return;
    this.timers.set(sessionId, setTimeout(() => this.resume(tabId, sessionId), this.isHostConnected() ? HOLD_TIMEOUT_MS : 0));
  }

  /** The host sends a command to a session. */
  onCommandSent(sessionId: string | undefined, method: string): void {
    if (sessionId === undefined || method !== RUN) return;
    clearTimeout(this.timers.get(sessionId));
    this.timers.delete(sessionId);
  }

  private resume(tabId: number, sessionId: string): void {
    this.timers.delete(sessionId);
    this.send(tabId, sessionId, RUN).catch((error: unknown) => report("A frame that waited is gone", error));
  }
}
