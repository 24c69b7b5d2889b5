// Rule of this file: whatever ends a call lets the microphone go at once. The
// sound goes between the browser and the voice service; nothing of it is kept,
// and what the service says beside it is the host's business.

import { release } from "./microphone";
import { Refusal } from "./refusal";

/** Candidates that take longer to find are seldom needed, and the caller waits. */
const GATHER_LIMIT_MS = 2_000;
const CONNECT_LIMIT_MS = 10_000;
/** A path that broke comes back within that or, as a rule, not at all. */
const RECOVERY_MS = 5_000;

/** The channel on which the service sends its events, as it wants it named. */
const EVENTS = "oai-events";

/** One call: the microphone, the loudspeaker and the way to the voice service. */
export class Call {
  private readonly peer = new RTCPeerConnection();
  private readonly loudspeaker = new Audio();
  private readonly over = new AbortController();
  private recovery: ReturnType<typeof setTimeout> | undefined;

  /** `onConnected` is told once; `onBroken` when the call cannot go on, with the reason for a person. */
  constructor(
    private readonly microphone: MediaStream,
    onConnected: () => void,
    private readonly onBroken: (reason: string) => void,
  ) {
    for (const track of microphone.getAudioTracks()) {
      this.peer.addTrack(track, microphone);
      // Not when it is stopped here: only when the device or the permission goes.
      track.addEventListener("ended", () => this.broke("the microphone was disconnected, or may not be used any longer"));
    }
    this.peer.createDataChannel(EVENTS).addEventListener("close", () => this.broke("the voice service hung up"));
    this.peer.addEventListener("track", ({ track }) => this.play(track));
    this.peer.addEventListener("connectionstatechange", () => this.watch());
    this.until("connectionstatechange", () => this.peer.connectionState === "connected").then((connected) => {
      if (connected) onConnected();
    });
  }

  /** The offer for the voice service, with all ways to this browser in it. */
  async offer(): Promise<string> {
    await this.peer.setLocalDescription(await this.peer.createOffer());
    await this.until("icegatheringstatechange", () => this.peer.iceGatheringState === "complete", GATHER_LIMIT_MS);
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
    await this.until("connectionstatechange", settled, CONNECT_LIMIT_MS);
    if (this.over.signal.aborted) throw new Refusal("cancelled", "the call was ended while it was being made");
    if (this.peer.connectionState !== "connected") {
      throw new Refusal("voice_unresponsive", "no sound can pass between this browser and the voice service; a firewall may stop it (UDP)");
    }
  }

  /** Sends silence in place of what the microphone hears; plays nothing of what comes. */
  mute(input: boolean, output: boolean): void {
    for (const track of this.microphone.getAudioTracks()) track.enabled = !input;
    this.loudspeaker.muted = output;
  }

  /** Lets go of everything. */
  end(): void {
    clearTimeout(this.recovery);
    this.over.abort();
    release(this.microphone);
    this.peer.close();
    this.loudspeaker.srcObject = null;
    this.loudspeaker.remove();
  }

  private play(track: MediaStreamTrack): void {
    this.loudspeaker.srcObject = new MediaStream([track]);
    document.body.append(this.loudspeaker);
    this.loudspeaker.play().catch((error: unknown) => {
      // Ending the call breaks off the playing that is about to begin.
      if (!this.over.signal.aborted) this.broke(`the browser does not play the agent's voice: ${String(error)}`);
    });
  }

  private watch(): void {
    clearTimeout(this.recovery);
    if (this.peer.connectionState === "failed") this.broke("the connection to the voice service was lost");
    if (this.peer.connectionState === "disconnected") {
      this.recovery = setTimeout(() => this.broke("the connection to the voice service was lost"), RECOVERY_MS);
    }
  }

  private broke(reason: string): void {
    if (!this.over.signal.aborted) this.onBroken(reason);
  }

  /** Waits for what one of the peer's events brings, the end of the call or the limit; tells whether it came. */
  private until(event: string, came: () => boolean, limit?: number): Promise<boolean> {
    const { signal } = this.over;
    const stop = limit === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(limit)]);
    return new Promise((resolve) => {
      const look = (): void => {
        if (!came() && !stop.aborted) return;
        this.peer.removeEventListener(event, look);
        stop.removeEventListener("abort", look);
        resolve(came() && !signal.aborted);
      };
      this.peer.addEventListener(event, look);
      stop.addEventListener("abort", look);
      look();
    });
  }
}
