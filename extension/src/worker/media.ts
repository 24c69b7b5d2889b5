// Rule of this file: the call lives in the offscreen document; what the host
// wants of it and what becomes of it pass through here, and nothing is kept: the
// worker may end while a call goes on.

import { isOffscreenReport, PERMISSION_NEEDED, type OffscreenReport } from "../offscreen/messages";
import type { MediaAnswer, MediaMute, MediaOffer, Ping } from "../protocol";
import { asked } from "./bounded";
import { Fault, report } from "./fault";
import { askOffscreen, isOffscreen, offscreenExists } from "./offscreen";
import type { Link } from "./port";

/** More than the offscreen document's own limits, which tell more of what was wrong. */
const OFFER_LIMIT_MS = 12_000;
const ANSWER_LIMIT_MS = 12_000;

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
      const { sdp } = await askOffscreen({ to: "offscreen", kind: "call_offer" }, OFFER_LIMIT_MS);
      return { sdp };
    } catch (error) {
      if (Fault.of(error).data.evidence?.["reason"] === PERMISSION_NEEDED) await askForPermission();
      throw error;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  async answer({ sdp }: MediaAnswer): Promise<Ping> {
    await askOffscreen({ to: "offscreen", kind: "call_answer", sdp }, ANSWER_LIMIT_MS);
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

  /** Whether the message is the offscreen document's own, by the browser's word. */
  concerns(message: unknown, sender: chrome.runtime.MessageSender): message is OffscreenReport {
    return isOffscreenReport(message) && isOffscreen(sender);
  }

  /** Passes on what became of the call; for the watch it answers whether a host is there. */
  receive(message: OffscreenReport, respond: (answer: unknown) => void): false {
    if (message.kind === "call_watch") respond(this.link.state.state === "connected");
    else this.link.notify("media_state", { state: message.state, ...(message.reason !== undefined && { reason: message.reason }) });
    return false;
  }
}

/** Opens the page that asks the user, or the one that is open already. */
async function askForPermission(): Promise<void> {
  const url = chrome.runtime.getURL(PERMISSION_PAGE);
  const [open] = await asked("chrome.tabs.query", chrome.tabs.query({ url }));
  if (open?.id === undefined) await asked("chrome.tabs.create", chrome.tabs.create({ url }));
  else await asked("chrome.tabs.update", chrome.tabs.update(open.id, { active: true }));
}
