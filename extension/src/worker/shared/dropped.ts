// Rule of this file: what claims to be of this extension, and by its sender is not, is
// dropped where it is read and counted here, for actions-host doctor. What only comes
// too late, from a document or a tab that has gone since, is not counted.

import type { DroppedMessages } from "../../protocol";

type Sender = chrome.runtime.MessageSender;
type Kind = Exclude<keyof DroppedMessages, "origin">;

/** Messages of content scripts and of the frames in pages, by their kind. All others are requests. */
const KINDS: Readonly<Record<string, Kind>> = {
  frame_key: "keys",
  dom_event: "events",
  announcements: "events",
  input_seen: "events",
  launcher: "events",
  pane_state: "events",
  pane_restore: "frames",
  own_frame: "frames",
  above: "frames",
};

const MAX_ORIGIN = 300;

/** The messages that were dropped since this worker started. */
export class Dropped {
  private readonly counts: DroppedMessages = { keys: 0, events: 0, ports: 0, frames: 0, requests: 0, origin: "" };

  add(kind: Kind, sender: Sender | undefined): void {
    this.counts[kind]++;
    this.counts.origin = (sender?.origin ?? "").slice(0, MAX_ORIGIN);
  }

  /** Counts a message that no reader accepts. */
  addMessage(message: unknown, sender: Sender): void {
    const { kind } = (message ?? {}) as { kind?: unknown };
    this.add(typeof kind === "string" && Object.hasOwn(KINDS, kind) ? (KINDS[kind] as Kind) : "requests", sender);
  }

  /** Returns the counts; undefined while nothing was dropped. */
  view(): DroppedMessages | undefined {
    const { keys, events, ports, frames, requests } = this.counts;
    return keys + events + ports + frames + requests > 0 ? { ...this.counts } : undefined;
  }
}
