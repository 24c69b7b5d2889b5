// Rule of this file: it carries JSON-RPC messages over a native messaging port
// and nothing else. The browser does the framing; what the host sends is
// untrusted until its envelope has been checked here.

import {
  AbstractMessageReader,
  AbstractMessageWriter,
  Disposable,
  Message,
  type DataCallback,
  type MessageReader,
  type MessageWriter,
} from "vscode-jsonrpc/browser";
import { Fault, report, textOf } from "./fault";

const CANCEL = "$/cancelRequest";

/** Reads the messages of a port. */
export class PortReader extends AbstractMessageReader implements MessageReader {
  constructor(private readonly port: chrome.runtime.Port) {
    super();
  }

  listen(callback: DataCallback): Disposable {
    const take = (data: unknown): void => {
      if (wellFormed(data)) callback(data);
      else report("A message of the host was dropped", "it is not JSON-RPC 2.0");
    };
    this.port.onMessage.addListener(take);
    return Disposable.create(() => this.port.onMessage.removeListener(take));
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
      // The host waits for this answer: it gets one that says why there is none.
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

/** Whether the data is a request, a notification or a response by its shape. */
function wellFormed(data: unknown): data is Message {
  if (typeof data !== "object" || data === null) return false;
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
