// Rule of this file: the call lives in the offscreen document; the host's requests
// and the call's state pass through here, and nothing is kept: the
// worker may end while a call goes on.

import { isOffscreenReport, PERMISSION_NEEDED, type OffscreenReport } from "../../offscreen/messages";
import type { MediaAnswer, MediaMute, MediaOffer, Ping } from "../../protocol";
import type { Link } from "../connection/link";
import { withApiTimeout } from "../shared/async";
import { Fault, report } from "../shared/fault";
import { askOffscreen, isOffscreen, offscreenExists } from "./offscreen";

/** Longer than the offscreen document's own timeouts, whose errors are more precise. */
const OFFER_TIMEOUT_MS = 12_000;
const ANSWER_TIMEOUT_MS = 12_000;

const PERMISSION_PAGE = "microphone.html";

/** The microphone and the loudspeaker, as the host uses them. */
export class Media {
  constructor(private readonly link: Link) {}

  async offer(signal: AbortSignal): Promise<MediaOffer> {
    const giveUp = (): void => {
      this.close().catch((error: unknown) => report("The call that nobody waits for was not ended", error));
    };
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      const { sdp } = await askOffscreen({ to: "offscreen", kind: "call_offer" }, OFFER_TIMEOUT_MS, signal);
      return { sdp };
    } catch (error) {
      if (Fault.of(error).data.evidence?.["reason"] === PERMISSION_NEEDED) await askForPermission();
      throw error;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  async answer({ sdp }: MediaAnswer): Promise<Ping> {
    await askOffscreen({ to: "offscreen", kind: "call_answer", sdp }, ANSWER_TIMEOUT_MS);
    return {};
  }

  async mute({ input, output }: MediaMute): Promise<Ping> {
    await askOffscreen({ to: "offscreen", kind: "call_mute", input, output });
    return {};
  }

  async close(): Promise<Ping> {
    if (await offscreenExists()) await askOffscreen({ to: "offscreen", kind: "call_close" });
    return {};
  }

  /** Reports whether the browser names the offscreen document as the sender of the message. */
  handles(message: unknown, sender: chrome.runtime.MessageSender): message is OffscreenReport {
    return isOffscreenReport(message) && isOffscreen(sender);
  }

  /** Passes the call's state on to the host; answers the watch with whether a host is connected. */
  receive(message: OffscreenReport, respond: (answer: unknown) => void): false {
    if (message.kind === "call_watch") respond(this.link.state.state === "connected");
    else this.link.notify("media_state", { state: message.state, ...(message.reason !== undefined && { reason: message.reason }) });
    return false;
  }
}

/** Opens the page that asks the user, or the one that is open already. */
async function askForPermission(): Promise<void> {
  const url = chrome.runtime.getURL(PERMISSION_PAGE);
  const [open] = await withApiTimeout("chrome.tabs.query", chrome.tabs.query({ url }));
  if (open?.id === undefined) await withApiTimeout("chrome.tabs.create", chrome.tabs.create({ url }));
  else await withApiTimeout("chrome.tabs.update", chrome.tabs.update(open.id, { active: true }));
}
