// Rule of this file: what was put in is kept until the worker says that the host
// has it. The worker may be starting, or its host; only what is too much is
// dropped, and counted.

import type { Announcement } from "../protocol";

/** What the content script tells the worker. */
export interface AnnouncementsMessage {
  kind: "announcements";
  items: Announcement[];
  dropped?: number;
}

const MAX_KEPT = 50;
const MAX_PER_SECOND = 20;
/** Between two tries, longer each time up to the limit, in milliseconds. */
const RETRY = 100;
const RETRY_MAX = 5_000;

export class Outbox {
  private readonly kept: Announcement[] = [];
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
    this.kept.push(item);
    if (this.kept.length > MAX_KEPT) {
      this.kept.shift();
      this.dropped++;
    }
    if (!this.sending) void this.send();
  }

  private async send(): Promise<void> {
    this.sending = true;
    // What is put in meanwhile goes with the next message; this task's share goes together.
    await Promise.resolve();
    for (let wait = RETRY; this.kept.length > 0; ) {
      // After an update of the extension this script is an orphan without an id.
      if (!chrome.runtime?.id) break;
      const items = this.kept.slice();
      const dropped = this.dropped;
      const message: AnnouncementsMessage = { kind: "announcements", items, ...(dropped > 0 && { dropped }) };
      if (await taken(message)) {
        this.kept.splice(0, this.kept.length, ...this.kept.filter((item) => !items.includes(item)));
        this.dropped -= dropped;
        wait = RETRY;
      } else {
        await new Promise((done) => setTimeout(done, wait));
        wait = Math.min(wait * 2, RETRY_MAX);
      }
    }
    this.sending = false;
  }
}

async function taken(message: AnnouncementsMessage): Promise<boolean> {
  try {
    return (await chrome.runtime.sendMessage<AnnouncementsMessage, boolean>(message)) === true;
  } catch {
    return false; // the worker is not there yet
  }
}
