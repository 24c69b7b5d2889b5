// Rule of this file: there is at most one call, and a new one ends it first. A
// call goes on without the worker, which the browser may end at any time, but
// not without a host: nothing would end it, and the microphone would
// stay open.

import { Call } from "./call";
import type { CallReport } from "./messages";
import { openMicrophone, release } from "./microphone";
import { Refusal } from "./refusal";

/** How often the worker is asked for the host; asking also wakes it, so that it looks for one. */
const WATCH_INTERVAL_MS = 2_000;
/** How many times in a row there may be none. */
const MAX_MISSES = 5;

let call: Call | undefined;
let watch: ReturnType<typeof setInterval> | undefined;
/** Counts offers and endings, so that an offer that was superseded releases its microphone. */
let generation = 0;

/** Opens the microphone and returns the offer of a new call. */
export async function offer(): Promise<{ sdp: string }> {
  hangUp();
  const ownGeneration = generation;
  const microphone = await openMicrophone();
  if (ownGeneration !== generation) {
    release(microphone);
    throw superseded();
  }
  call = new Call(microphone, () => sendReport({ state: "connected" }), (reason) => finish({ state: "failed", reason }));
  startWatch();
  try {
    const sdp = await call.offer();
    if (ownGeneration === generation) return { sdp };
  } catch (error) {
    if (ownGeneration === generation) hangUp();
    throw error;
  }
  throw superseded();
}

/** Completes the call with the voice service's answer. */
export async function accept(sdp: string): Promise<void> {
  await running().accept(sdp);
}

export function mute(input: boolean, output: boolean): void {
  running().mute(input, output);
}

/** Ends the call, or the making of one; without one there is nothing to do. */
export function hangUp(): void {
  generation++;
  clearInterval(watch);
  call?.end();
  call = undefined;
}

function running(): Call {
  if (!call) throw new Refusal("voice_not_running", "there is no call");
  return call;
}

function superseded(): Refusal {
  return new Refusal("cancelled", "the call was ended while it was being made");
}

/** Ends the call for a reason on this side. */
function finish(report: CallReport): void {
  hangUp();
  sendReport(report);
}

function startWatch(): void {
  let misses = 0; // in a row; counted, not timed, as a computer that slept has lost no host
  watch = setInterval(() => {
    if (misses++ === MAX_MISSES) return finish({ state: "closed", reason: "the host program is gone" });
    chrome.runtime.sendMessage({ to: "worker", kind: "call_watch" }).then(
      (there: unknown) => {
        if (there === true) misses = 0;
      },
      () => {}, // a worker that does not answer is a miss
    );
  }, WATCH_INTERVAL_MS);
}

/** Sends the report to the host, through the worker. Where that fails there is no host, and the watch ends the call. */
function sendReport(report: CallReport): void {
  chrome.runtime.sendMessage({ to: "worker", kind: "call_state", ...report }).catch(() => {});
}
