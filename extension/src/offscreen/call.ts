// Rule of this file: whatever ends a call releases the microphone at once. The
// sound goes between the browser and the voice service; nothing of it is kept,
// and the service's events go to the host.

import { release } from "./microphone";
import { Refusal } from "./refusal";

/** Candidates that take longer to find are seldom needed, and the caller waits. */
const GATHER_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** A broken path recovers within this time or, as a rule, not at all. */
const RECOVERY_TIMEOUT_MS = 5_000;

/** The channel of the service's events; the service demands this name. */
const EVENTS = "oai-events";

/** One call: the microphone, the loudspeaker and the connection to the voice service. */
export class Call {
  private readonly peer = new RTCPeerConnection();
  private readonly loudspeaker = new Audio();
  private readonly ended = new AbortController();
  private recovery: ReturnType<typeof setTimeout> | undefined;

  /** `onConnected` is called once; `onBroken` when the call cannot go on, with the reason for people. */
  constructor(
    private readonly microphone: MediaStream,
    onConnected: () => void,
    private readonly onBroken: (reason: string) => void,
  ) {
    for (const track of microphone.getAudioTracks()) {
      this.peer.addTrack(track, microphone);
      // Not when it is stopped here: only when the device or the permission goes.
      track.addEventListener("ended", () => this.fail("the microphone was disconnected, or may not be used any longer"));
    }
    this.peer.createDataChannel(EVENTS).addEventListener("close", () => this.fail("the voice service hung up"));
    this.peer.addEventListener("track", ({ track }) => this.play(track));
    this.peer.addEventListener("connectionstatechange", () => this.watch());
    void this.until("connectionstatechange", () => this.peer.connectionState === "connected").then((connected) => {
      if (connected) onConnected();
    });
  }

  /** The offer for the voice service, with all ways to this browser in it. */
  async offer(): Promise<string> {
    await this.peer.setLocalDescription(await this.peer.createOffer());
    await this.until("icegatheringstatechange", () => this.peer.iceGatheringState === "complete", GATHER_TIMEOUT_MS);
    return this.peer.localDescription?.sdp ?? "";
  }

  /** Completes the call; it returns when sound can pass. */
  async accept(sdp: string): Promise<void> {
    try {
      await this.peer.setRemoteDescription({ type: "answer", sdp });
    } catch (error) {
      throw new Refusal("voice_refused", `the voice service's answer makes no call: ${error instanceof Error ? error.message : String(error)}`);
    }
    const settled = (): boolean => ["connected", "failed"].includes(this.peer.connectionState);
    await this.until("connectionstatechange", settled, CONNECT_TIMEOUT_MS);
    if (this.ended.signal.aborted) throw new Refusal("cancelled", "the call was ended while it was being made");
    if (this.peer.connectionState !== "connected") {
      throw new Refusal("voice_unresponsive", "no sound can pass between this browser and the voice service; a firewall may stop it (UDP)");
    }
  }

  /** Sends silence in place of the microphone's input; with `output` mutes the loudspeaker. */
  mute(input: boolean, output: boolean): void {
    for (const track of this.microphone.getAudioTracks()) track.enabled = !input;
    this.loudspeaker.muted = output;
  }

  /** Ends the call and releases all resources. */
  end(): void {
    clearTimeout(this.recovery);
    this.ended.abort();
    release(this.microphone);
    this.peer.close();
    this.loudspeaker.srcObject = null;
    this.loudspeaker.remove();
  }

  private play(track: MediaStreamTrack): void {
    this.loudspeaker.srcObject = new MediaStream([track]);
    document.body.append(this.loudspeaker);
    this.loudspeaker.play().catch((error: unknown) => {
      // Ending the call aborts playback that is about to begin.
      if (!this.ended.signal.aborted) this.fail(`the browser does not play the agent's voice: ${String(error)}`);
    });
  }

  private watch(): void {
    clearTimeout(this.recovery);
    if (this.peer.connectionState === "failed") this.fail("the connection to the voice service was lost");
    if (this.peer.connectionState === "disconnected") {
      this.recovery = setTimeout(() => this.fail("the connection to the voice service was lost"), RECOVERY_TIMEOUT_MS);
    }
  }

  private fail(reason: string): void {
    if (!this.ended.signal.aborted) this.onBroken(reason);
  }

  /** Waits for the condition, checked at each such event of the peer, the end of the call or the timeout; reports whether the condition holds. */
  private until(event: string, condition: () => boolean, limit?: number): Promise<boolean> {
    const { signal } = this.ended;
    const stop = limit === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(limit)]);
    return new Promise((resolve) => {
      const check = (): void => {
        if (!condition() && !stop.aborted) return;
        this.peer.removeEventListener(event, check);
        stop.removeEventListener("abort", check);
        resolve(condition() && !signal.aborted);
      };
      this.peer.addEventListener(event, check);
      stop.addEventListener("abort", check);
      check();
    });
  }
}
