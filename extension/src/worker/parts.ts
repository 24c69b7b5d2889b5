// Rule of this file: messages that came in parts are put together within fixed
// bounds. Parts that make no message cost that message only, and its sender is
// told; what is never finished makes room for what comes later.

import type { ErrorCode, MessagePart, MessageRefused } from "../protocol";

/** The bounds of all messages whose parts are coming. */
export interface Bounds {
  bytes: number;
  messages: number;
}

/** What a part led to: a whole message's text with the last one. */
export interface Joined {
  text?: string;
  refused: MessageRefused[];
}

interface Partial {
  total: number;
  parts: string[];
  bytes: number;
}

const encoder = new TextEncoder();

/** Puts the parts of messages together. */
export class Parts {
  /** By id; the one whose last part came longest ago is the first. */
  private readonly messages = new Map<number, Partial>();
  private bytes = 0;

  constructor(private readonly bounds: Bounds = { bytes: 64 << 20, messages: 8 }) {}

  add({ id, index, total, data }: MessagePart): Joined {
    const refused: MessageRefused[] = [];
    const refuse = (which: number, code: ErrorCode, message: string): Joined => {
      this.forget(which);
      refused.push(refusal(which, code, message));
      return { refused };
    };
    const message = this.forget(id) ?? { total, parts: [], bytes: 0 }; // it comes back as the last one
    if (data === "") return { refused }; // its sender gave it up
    if (index !== message.parts.length || total !== message.total) {
      const place = `part ${message.parts.length} of ${message.total}`;
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
    message.parts.push(data);
    if (message.parts.length === total) return { text: message.parts.join(""), refused };
    this.messages.set(id, message);
    this.bytes += message.bytes;
    return { refused };
  }

  private forget(id: number): Partial | undefined {
    const message = this.messages.get(id);
    if (message) {
      this.messages.delete(id);
      this.bytes -= message.bytes;
    }
    return message;
  }
}

/** Tells the sender that its parts made no message. */
export function refusal(id: number, code: ErrorCode, message: string): MessageRefused {
  return { id, error: { code, message, dispatched: "no" } };
}
