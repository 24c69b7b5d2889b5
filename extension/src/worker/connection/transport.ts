// Rule of this file: it carries JSON-RPC messages over a native messaging port
// and nothing else. The browser does the framing; what the host sends is
// untrusted until its envelope has been checked here. Whole messages do not wait
// for those that come in chunks.

import {
  AbstractMessageReader,
  AbstractMessageWriter,
  Disposable,
  Message,
  type DataCallback,
  type MessageReader,
  type MessageWriter,
} from "vscode-jsonrpc/browser";
import type { MessagePart, MessageRefused } from "../../protocol";
import { Fault, report, textOf } from "../shared/fault";
import { Chunks, refusal } from "./chunks";
import { definitions } from "./validators";

const CANCEL = "$/cancelRequest";

/** Reads the messages of a port. */
export class PortReader extends AbstractMessageReader implements MessageReader {
  private readonly chunks = new Chunks();

  constructor(private readonly port: chrome.runtime.Port) {
    super();
  }

  listen(callback: DataCallback): Disposable {
    const onMessage = (data: unknown): void => {
      if (wellFormed(data)) callback(data);
      else if (isObject(data) && "total" in data) this.addChunk(data, callback);
      else report("A message of the host was dropped", "it is not JSON-RPC 2.0");
    };
    this.port.onMessage.addListener(onMessage);
    return Disposable.create(() => this.port.onMessage.removeListener(onMessage));
  }

  private addChunk(data: object, callback: DataCallback): void {
    const id = "id" in data && Number.isSafeInteger(data.id) ? Number(data.id) : 0;
    if (!isChunk(data)) {
      this.reportRefused(refusal(id, "invalid_message", "invalid message chunk"));
      return;
    }
    const { text, refused } = this.chunks.add(data);
    refused.forEach((message) => this.reportRefused(message));
    if (text === undefined) return;
    const message = parsed(text);
    if (wellFormed(message)) callback(message);
    else this.reportRefused(refusal(id, "invalid_message", "the chunks together are not JSON-RPC 2.0"));
  }

  private reportRefused(params: MessageRefused): void {
    report(`Message ${params.id} of the host was refused`, params.error.message);
    if (params.id > 0) this.port.postMessage({ jsonrpc: "2.0", method: "message_refused", params });
  }
}

/** Writes messages to a port; one that the browser refuses fails only itself. */
export class PortWriter extends AbstractMessageWriter implements MessageWriter {
  constructor(private readonly port: chrome.runtime.Port) {
    super();
  }

  async write(message: Message): Promise<void> {
    try {
      this.port.postMessage(message);
    } catch (error) {
      if (!Message.isResponse(message) || !/maximum allowed size/i.test(textOf(error))) throw error;
      // The host waits for this answer: it gets an error that explains why there is none.
      const fault = Fault.new("payload_too_large", "the answer is larger than the browser lets through (64 MiB)", {
        dispatched: "yes",
      });
      this.port.postMessage({ jsonrpc: "2.0", id: message.id, error: fault.toResponse().toJson() });
    }
  }

  end(): void {
    this.port.disconnect();
  }
}

function isChunk(data: unknown): data is MessagePart {
  return definitions["MessagePart"]?.(data) === true;
}

/** Parses JSON; returns undefined for invalid JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(data: unknown): data is object {
  return typeof data === "object" && data !== null;
}

/** Reports whether the data is a request, a notification or a response by its shape. */
function wellFormed(data: unknown): data is Message {
  if (!isObject(data)) return false;
  const m = data as { jsonrpc?: unknown; id?: unknown; method?: unknown; params?: unknown; result?: unknown; error?: unknown };
  if (m.jsonrpc !== "2.0") return false;
  if (m.id !== undefined && !isId(m.id)) return false;
  if (m.method === CANCEL) {
    return typeof m.params === "object" && m.params !== null && isId((m.params as { id?: unknown }).id);
  }
  if (typeof m.method === "string") {
    return m.result === undefined && m.error === undefined;
  }
  return m.method === undefined && m.id !== undefined && (m.result === undefined) !== (m.error === undefined);
}

function isId(id: unknown): id is string | number {
  return typeof id === "string" || typeof id === "number";
}
