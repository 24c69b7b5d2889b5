// Rule of this file: the content script of a document keeps a port open, which carries calls to
// the document and their answers in a third of the time of messages of their own. A document
// whose port is not there yet, as after a restart of this worker, gets a message. What went over
// a port that ends without an answer may have arrived; it is never sent again.

import type { Answered, Asked, Pushed } from "../../page/base/worker-messages";
import { textOf } from "../shared/fault";
import type { Spent } from "../shared/spent";
import type { PageMessage } from "./pages";

interface Waiting {
  resolve(answer: unknown): void;
  reject(why: Error): void;
}

/** The ports of the documents that have a content script. */
export class DocumentPorts {
  private readonly ports = new Map<string, DocumentPort>();

  constructor(
    /** Takes what a content script says unasked. */
    private readonly receive: (message: unknown, sender: chrome.runtime.MessageSender) => void,
    private readonly spent: Spent,
  ) {}

  /** Takes the port if it is of a content script. */
  accept(port: chrome.runtime.Port): boolean {
    const { sender } = port;
    const { id, tab, documentId } = sender ?? {};
    if (port.name !== "page" || id !== chrome.runtime.id || tab === undefined || sender === undefined || documentId === undefined) return false;
    const taken = new DocumentPort(port, (message) => this.receive(message, sender));
    this.ports.set(documentId, taken);
    port.onDisconnect.addListener(() => {
      void chrome.runtime.lastError; // read, or Chrome logs it as unchecked
      taken.end();
      if (this.ports.get(documentId) === taken) this.ports.delete(documentId);
    });
    return true;
  }

  /** Sends the message to the document of the tab, and returns its answer. */
  send(tabId: number, documentId: string, message: PageMessage): Promise<unknown> {
    return this.spent.on("pages", this.ports.get(documentId)?.ask(message) ?? chrome.tabs.sendMessage(tabId, message, { documentId }));
  }
}

class DocumentPort {
  private last = 0;
  private readonly waiting = new Map<number, Waiting>();

  constructor(
    private readonly port: chrome.runtime.Port,
    receive: (message: unknown) => void,
  ) {
    port.onMessage.addListener((message: unknown) => {
      const { ask, answer, pushed } = (message ?? {}) as Partial<Answered & Pushed>;
      if (pushed !== undefined) receive(pushed);
      if (ask === undefined) return;
      this.waiting.get(ask)?.resolve(answer);
      this.waiting.delete(ask);
    });
  }

  /** Returns undefined where the port has ended already: nothing was sent. */
  ask(message: PageMessage): Promise<unknown> | undefined {
    const ask = ++this.last;
    try {
      this.port.postMessage({ ask, message } satisfies Asked<PageMessage>);
    } catch (error) {
      if (/disconnected port/i.test(textOf(error))) return undefined;
      throw error;
    }
    return new Promise((resolve, reject) => this.waiting.set(ask, { resolve, reject }));
  }

  end(): void {
    for (const { reject } of this.waiting.values()) reject(new Error("the port closed before it answered"));
    this.waiting.clear();
  }
}
