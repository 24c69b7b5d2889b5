// Rule of this file: a run lives in the offscreen document, and in the port that it opens to
// this worker: either end closes it with all that belongs to the run. What the code asks for goes
// to the host, which decides about it.

import type { FromRun, StepRequest, ToRun } from "../../offscreen/repl/messages";
import { portName } from "../../offscreen/repl/messages";
import type { ReplResult, ReplRun } from "../../protocol";
import type { Link } from "../connection/link";
import { askOffscreen, isOffscreen } from "../offscreen/offscreen";
import { API_TIMEOUT_MS, demandUnended, withTimeout } from "../shared/async";
import { Fault } from "../shared/fault";

/** A step may take as long as a run. */
const STEP_TIMEOUT_MS = 130_000;
/** The offscreen document enforces the run's own timeout. */
const GRACE_MS = 5_000;

/** Runs code in the sandbox. */
export class Repl {
  private readonly expected = new Map<string, (port: chrome.runtime.Port) => void>();

  constructor(private readonly link: Link) {}

  /** Takes the port of a run; reports whether it is one. */
  acceptPort(port: chrome.runtime.Port): boolean {
    const accept = [...this.expected].find(([id]) => portName(id) === port.name)?.[1];
    if (!accept || !port.sender || !isOffscreen(port.sender)) return false;
    accept(port);
    return true;
  }

  async run({ run_id, code, timeout_ms }: ReplRun, signal: AbortSignal): Promise<ReplResult> {
    const port = await this.open(run_id);
    const cancel = (): void => port.disconnect();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      demandUnended(signal);
      const end = this.follow(run_id, port);
      post(port, { kind: "start", code, timeout_ms });
      return await withTimeout(timeout_ms + GRACE_MS, "the sandbox", end, "javascript_timeout");
    } finally {
      signal.removeEventListener("abort", cancel);
      port.disconnect();
    }
  }

  private async open(runId: string): Promise<chrome.runtime.Port> {
    const opened = new Promise<chrome.runtime.Port>((resolve) => this.expected.set(runId, resolve));
    try {
      await askOffscreen({ to: "offscreen", kind: "repl_open", run_id: runId });
      return await withTimeout(API_TIMEOUT_MS, "the sandbox", opened);
    } finally {
      this.expected.delete(runId);
    }
  }

  /** Serves the steps of the run and returns how it ended. */
  private follow(runId: string, port: chrome.runtime.Port): Promise<ReplResult> {
    return new Promise((resolve, reject) => {
      port.onDisconnect.addListener(() => reject(Fault.new("outcome_unknown", "the sandbox ended before the code did", { dispatched: "unknown" })));
      port.onMessage.addListener((message: FromRun) => {
        switch (message.kind) {
          case "step":
            void this.step(runId, port, message);
            return;
          case "done":
            return resolve(message.result);
          case "refused": {
            const { kind: _, code, message: text, ...more } = message;
            return reject(Fault.new(code, text, { dispatched: code === "code_navigation_refused" ? "unknown" : "yes", ...more }));
          }
        }
      });
    });
  }

  private async step(runId: string, port: chrome.runtime.Port, { step, action, arguments: args }: StepRequest): Promise<void> {
    try {
      const { value } = await this.link.request("repl_step", { run_id: runId, step, action, arguments: args }, STEP_TIMEOUT_MS);
      post(port, { kind: "answer", step, ok: true, value });
    } catch (error) {
      const { code, message } = Fault.of(error).data;
      post(port, { kind: "answer", step, ok: false, code, message });
    }
  }
}

/** Sends a message; a run that has ended needs none. */
function post(port: chrome.runtime.Port, message: ToRun): void {
  try {
    port.postMessage(message);
  } catch {
    // The port is closed.
  }
}
