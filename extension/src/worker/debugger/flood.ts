// Rule of this file: endless events of a page cost its own tab only. The
// browser hands every event of a recording through one process and this worker,
// which all tabs share; so a recording that overflows is switched off where it
// comes from, what is on its way already is dropped and counted, and the host is
// notified and switches it on again when it wants more.

/** How many events may come at once: what the browser keeps of a page, 1,000 lines, fits at the start of a recording. */
const BURST = 1_200;
/** How many come in again each second. */
const REFILL_PER_SECOND = 100;

/** The event that notifies the host. */
export const FLOODED = "ActionsHost.flooded";

interface Recording {
  domain: "console" | "network";
  /** Reports whether an event belongs to it. */
  has(method: string): boolean;
  on: string;
  off: string[];
}

const CONSOLE_EVENTS = new Set(["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"]);
const RECORDINGS: Recording[] = [
  { domain: "console", has: (method) => CONSOLE_EVENTS.has(method), on: "Runtime.enable", off: ["Runtime.disable", "Log.disable"] },
  { domain: "network", has: (method) => method.startsWith("Network."), on: "Network.enable", off: ["Network.disable"] },
];

/** How many events one recording of one debugger session may still send. */
interface Allowance {
  remaining: number;
  refilledAt: number;
  off: boolean;
  /** The host has switched the recording off: the next one has an allowance of its own. */
  ended: boolean;
  dropped: number;
}

export interface Flood {
  domain: string;
  /** Events that were dropped since the last notification. */
  dropped: number;
  /** Whether the recording is off now, until the host switches it on. */
  off: boolean;
}

type Source = chrome.debugger.DebuggerSession;

export class FloodLimiter {
  private readonly allowances = new Map<string, Allowance>();

  constructor(
    private readonly send: (source: Source, method: string) => Promise<unknown>,
    private readonly notify: (source: Source, flood: Flood) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Reports whether an event goes on to the host, and counts it. */
  allows(source: Source, method: string): boolean {
    const recording = RECORDINGS.find((one) => one.has(method));
    if (!recording) return true;
    const allowance = this.allowanceOf(source, recording);
    if (!allowance.off && this.refill(allowance) >= 1) {
      allowance.remaining--;
      return true;
    }
    allowance.dropped++;
    if (!allowance.off && !allowance.ended) {
      allowance.off = true;
      void this.stopRecording(source, recording, allowance);
    }
    return false;
  }

  /** Follows a command of the host before it is sent. */
  onCommand(source: Source, method: string): void {
    for (const recording of RECORDINGS) {
      if (recording.on === method) this.resume(source, recording);
      if (recording.off.includes(method)) this.allowanceOf(source, recording).ended = true;
    }
  }

  /** Forgets a tab that the debugger has left. */
  forget(tabId: number): void {
    for (const name of this.allowances.keys()) {
      if (name.startsWith(`${tabId} `)) this.allowances.delete(name);
    }
  }

  /** Switches the recording off in the browser and reports it when no more events can come. */
  private async stopRecording(source: Source, recording: Recording, allowance: Allowance): Promise<void> {
    // A session that ended meanwhile sends nothing any more either.
    await Promise.allSettled(recording.off.map((method) => this.send(source, method)));
    if (this.allowances.get(key(source, recording)) !== allowance || !allowance.off || allowance.ended) return; // the host wanted something else meanwhile
    this.report(source, recording, allowance);
  }

  /** The host wants more: what was dropped since the last notification is reported as well. */
  private resume(source: Source, recording: Recording): void {
    const allowance = this.allowances.get(key(source, recording));
    if (!allowance) return;
    if (allowance.ended) {
      this.allowances.delete(key(source, recording));
      return;
    }
    if (!allowance.off) return;
    allowance.off = false;
    if (allowance.dropped > 0) this.report(source, recording, allowance);
  }

  private report(source: Source, recording: Recording, allowance: Allowance): void {
    const { dropped, off } = allowance;
    allowance.dropped = 0;
    this.notify(source, { domain: recording.domain, dropped, off });
  }

  private allowanceOf(source: Source, recording: Recording): Allowance {
    const name = key(source, recording);
    const known = this.allowances.get(name);
    if (known) return known;
    const allowance = { remaining: BURST, refilledAt: this.now(), off: false, ended: false, dropped: 0 };
    this.allowances.set(name, allowance);
    return allowance;
  }

  private refill(allowance: Allowance): number {
    const now = this.now();
    allowance.remaining = Math.min(BURST, allowance.remaining + ((now - allowance.refilledAt) / 1_000) * REFILL_PER_SECOND);
    allowance.refilledAt = now;
    return allowance.remaining;
  }
}

function key(source: Source, recording: Recording): string {
  return `${source.tabId} ${source.sessionId ?? ""} ${recording.domain}`;
}
