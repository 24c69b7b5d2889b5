// Rule of this file: an action by real input takes one message of the host where nothing has to
// be decided in between: its target is prepared, the input is sent, and the outcome is read, as
// by three messages. Where the host must see first what was prepared, it goes on by itself.

import type { ActionCall, ActionCallOutput, ActionPerform, ActionPerformed, InputSend, InputStep } from "../../protocol";
import type { Pages } from "../page/pages";
import { Fault } from "../shared/fault";
import type { Expected, RealInput } from "./real-input";

/** A prepared target in the tab's own document that takes the input as it is. */
interface Target {
  ref: string;
  point?: { x: number; y: number };
}

/** Performs actions on claimed tabs. */
export class Performer {
  constructor(
    private readonly pages: Pages,
    private readonly input: RealInput,
  ) {}

  perform(call: ActionPerform, signal: AbortSignal): Promise<ActionPerformed> {
    return this.input.expecting(call.input.hold.id, (expected) => this.performExpected(call, expected, signal));
  }

  private async performExpected({ prepare, input, verify }: ActionPerform, expected: Expected, signal: AbortSignal): Promise<ActionPerformed> {
    const end = Date.now() + prepare.timeout_ms;
    const prepared = await this.prepare(prepare, signal);
    const target = targetOf(prepared, input.device);
    if (!target) return { prepared };
    expected.prepared = prepared;
    let sent = false;
    try {
      await this.input.send({ ...input, steps: input.steps.map((step) => placed(step, target)) }, signal);
      sent = true;
      const args = { ...verify.arguments, locator: { ref: target.ref } };
      const verified = await this.pages.call({ ...verify, arguments: args, timeout_ms: Math.max(1, end - Date.now()) }, signal);
      return { prepared, sent, verified };
    } catch (error) {
      return { prepared, sent, failed: Fault.of(error).data };
    }
  }

  /** However it fails, nothing was pressed. */
  private async prepare(call: ActionCall, signal: AbortSignal): Promise<ActionCallOutput> {
    try {
      return await this.pages.call(call, signal);
    } catch (error) {
      throw Fault.pass({ ...Fault.of(error).data, dispatched: "no" });
    }
  }
}

/** Returns the target if it takes input of the device without anything else. */
function targetOf({ output, document_id }: ActionCallOutput, device: InputSend["device"]): Target | undefined {
  const { ref, way, point, settles } = (output ?? {}) as { ref?: unknown; way?: unknown; point?: Target["point"] | null; settles?: unknown };
  if (document_id !== undefined || typeof ref !== "string") return undefined;
  if (device === "keys") return way === "text" || way === "keys" ? { ref } : undefined;
  return way === "pointer" && settles === false && point ? { ref, point } : undefined;
}

/** Returns the step with the mouse at the target. */
function placed(step: InputStep, { point }: Target): InputStep {
  if (!point) return step;
  const { x, y } = point;
  return { ...step, commands: step.commands.map((command) => (command.method === "Input.dispatchMouseEvent" ? { ...command, params: { ...command.params, x, y } } : command)) };
}
