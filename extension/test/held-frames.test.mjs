// Rule of this file: it tests how long a frame waits for the host, with a clock of
// its own.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { load } from "./load.mjs";

const { HeldFrames } = await load("src/worker/debugger/held-frames.ts");

const ATTACHED = "Target.attachedToTarget";
const RUN = "Runtime.runIfWaitingForDebugger";

function held(connected) {
  const sent = [];
  const frames = new HeldFrames(async (...command) => void sent.push(command.join(" ")), () => connected);
  return { frames, sent };
}

test("a frame waits for the host no longer than a second", (t) => {
  // Ensure that a frame resumes at the host's command, by itself where the host sends none, and at once where there is no host; one that is not paused is left alone.
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  const { frames, sent } = held(true);
  frames.onEvent(7, ATTACHED, { sessionId: "a", waitingForDebugger: true });
  frames.onEvent(7, ATTACHED, { sessionId: "b", waitingForDebugger: true });
  frames.onEvent(7, ATTACHED, { sessionId: "c", waitingForDebugger: false });
  frames.onEvent(7, "Page.frameAttached", { sessionId: "d", waitingForDebugger: true });
  frames.onCommandSent("a", "Network.enable");
  frames.onCommandSent("a", RUN);
  frames.onCommandSent(undefined, RUN);
  mock.timers.tick(999);
  assert.deepEqual(sent, []);
  mock.timers.tick(1);
  assert.deepEqual(sent, [`7 b ${RUN}`]);

  const alone = held(false);
  alone.frames.onEvent(7, ATTACHED, { sessionId: "a", waitingForDebugger: true });
  mock.timers.tick(0);
  assert.deepEqual(alone.sent, [`7 a ${RUN}`]);
});
