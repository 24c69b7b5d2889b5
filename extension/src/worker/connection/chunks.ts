// Rule of this file: messages that came in chunks are joined within fixed
// bounds. Chunks that make no valid message cost that message only, and its sender is
// notified; an unfinished message makes room for later ones.

import type { ErrorCode, MessagePart, MessageRefused } from "../../protocol";

/** The bounds of all unfinished messages together. */
export interface Bounds {
  bytes: number;
  messages: number;
}

/** The result of adding a chunk: with the last one the whole message's text. */
export interface AddResult {
  text?: string;
  refused: MessageRefused[];
}

interface Incomplete {
  total: number;
  chunks: string[];
  bytes: number;
}

const encoder = new TextEncoder();

/** Joins the chunks of messages. */
export class Chunks {
  /** By id; the one whose last chunk came longest ago is the first. */
  private readonly messages = new Map<number, Incomplete>();
  private bytes = 0;

  constructor(private readonly bounds: Bounds = { bytes: 64 << 20, messages: 8 }) {}

  add({ id, index, total, data }: MessagePart): AddResult {
    const refused: MessageRefused[] = [];
    const refuse = (refusedId: number, code: ErrorCode, message: string): AddResult => {
      this.forget(refusedId);
      refused.push(refusal(refusedId, code, message));
      return { refused };
    };
    const message = this.forget(id) ?? { total, chunks: [], bytes: 0 }; // it comes back as the last one
    if (data === "") return { refused }; // its sender gave it up
    if (index !== message.chunks.length || total !== message.total) {
      const place = `part ${message.chunks.length} of ${message.total}`;
      return refuse(id, "invalid_message", `part ${index} of ${total} came in place of ${place}`);
    }
    message.bytes += encoder.encode(data).length;
    if (message.bytes > this.bounds.bytes) {
      return refuse(id, "payload_too_large", `the message has more than ${this.bounds.bytes} bytes`);
    }
    for (const oldest of this.messages.keys()) {
      if (this.bytes + message.bytes <= this.bounds.bytes && this.messages.size < this.bounds.messages) break;
      refuse(oldest, "invalid_message", "the rest of the message did not come");
    }
    message.chunks.push(data);
    if (message.chunks.length === total) return { text: message.chunks.join(""), refused };
    this.messages.set(id, message);
    this.bytes += message.bytes;
    return { refused };
  }

  private forget(id: number): Incomplete | undefined {
    const message = this.messages.get(id);
    if (message) {
      this.messages.delete(id);
      this.bytes -= message.bytes;
    }
    return message;
  }
}

/** Returns the notification that a message was refused. */
export function refusal(id: number, code: ErrorCode, message: string): MessageRefused {
  return { id, error: { code, message, dispatched: "no" } };
}
