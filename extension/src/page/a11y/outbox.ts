// Rule of this file: an announcement is kept until the worker confirms that the host
// has it. The worker or the host may be starting; only what exceeds the limits or is
// refused is dropped, and counted.

import type { Announcement } from "../../protocol";

/** A message from the content script to the worker. */
export interface AnnouncementsMessage {
  kind: "announcements";
  items: Announcement[];
  dropped?: number;
}

const MAX_PENDING = 50;
const MAX_PER_SECOND = 20;
/** Delay between two attempts, longer each time up to the maximum. */
const RETRY_DELAY_MS = 100;
const MAX_RETRY_DELAY_MS = 5_000;

export class Outbox {
  private readonly pending: Announcement[] = [];
  private dropped = 0;
  private sending = false;
  private windowStart = -Infinity;
  private inWindow = 0;

  put(item: Announcement): void {
    const now = performance.now();
    if (now - this.windowStart >= 1000) [this.windowStart, this.inWindow] = [now, 0];
    if (++this.inWindow > MAX_PER_SECOND) {
      this.dropped++;
      return;
    }
    this.pending.push(item);
    if (this.pending.length > MAX_PENDING) {
      this.pending.shift();
      this.dropped++;
    }
    if (!this.sending) void this.send();
  }

  private async send(): Promise<void> {
    this.sending = true;
    // All items of this task go into one message; later ones into the next.
    await Promise.resolve();
    for (let delay = RETRY_DELAY_MS; this.pending.length > 0; ) {
      // After an update of the extension this script is an orphan without an id.
      if (!chrome.runtime?.id) break;
      const items = this.pending.slice();
      const dropped = this.dropped;
      const message: AnnouncementsMessage = { kind: "announcements", items, ...(dropped > 0 && { dropped }) };
      const taken = await deliver(message);
      if (taken !== false) {
        this.pending.splice(0, this.pending.length, ...this.pending.filter((item) => !items.includes(item)));
        this.dropped += taken ? -dropped : items.length;
        delay = RETRY_DELAY_MS;
      } else {
        await new Promise((done) => setTimeout(done, delay));
        delay = Math.min(delay * 2, MAX_RETRY_DELAY_MS);
      }
    }
    this.sending = false;
  }
}

/** Reports whether the worker has passed the message on; undefined where it does not take such a message, and never will. */
async function deliver(message: AnnouncementsMessage): Promise<boolean | undefined> {
  try {
    return await chrome.runtime.sendMessage<AnnouncementsMessage, boolean | undefined>(message);
  } catch {
    return false; // the worker is not there yet
  }
}
