// Rule of this file: a page's end of the port to the worker. The port ends with
// the worker, which may happen at any moment; then it is opened again and the
// whole view comes anew. A request that was under way then has an unknown outcome.

import type { ErrorData } from "../../protocol";
import { AGENT_PORT, type AgentChange, type AgentMessage, type AgentMethod, type AgentParams, type AgentRequest, type AgentView } from "./agent-messages";
import { t } from "./text";

const RECONNECT_DELAY_MS = 500;

/** Receives the agent's state. */
export interface AgentListener {
  /** The whole view; it replaces what was shown before. */
  view(view: AgentView): void;
  /** A change, after the view. */
  change(change: AgentChange): void;
  /** There is no view, for the reason in the message. */
  offline(message: string): void;
}

/** A request that the host or the worker refused. */
export class RequestError extends Error {
  readonly nextStep: string | undefined;
  /** Whether anything was done; undefined where it is not known. */
  readonly dispatched: ErrorData["dispatched"];

  constructor({ message, next_step, dispatched }: Pick<ErrorData, "message" | "next_step" | "dispatched">) {
    super(message);
    this.nextStep = next_step;
    this.dispatched = dispatched;
  }
}

interface Waiting {
  resolve(): void;
  reject(error: RequestError): void;
}

/** The connection of a page with the agent. */
export class AgentClient {
  private port: chrome.runtime.Port | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  /** A frame in a web page passes the key that proves it to be ours. */
  constructor(
    private readonly listener: AgentListener,
    private readonly key?: string,
  ) {
    // A page in the back/forward cache lost its port without an event.
    window.addEventListener("pageshow", ({ persisted }) => {
      if (persisted) this.open();
    });
    this.open();
  }

  /** Sends a request to the host; resolves when it is done. */
  request<M extends AgentMethod>(method: M, params: AgentParams<M>): Promise<void> {
    return new Promise((resolve, reject) => {
      const id = ++this.last;
      this.waiting.set(id, { resolve, reject });
      if (!this.post({ kind: "request", id, method, params } as AgentRequest)) this.settle(id, { message: t("worker_silent") });
    });
  }

  private open(): void {
    const key = this.key;
    try {
      const port = chrome.runtime.connect({ name: AGENT_PORT });
      this.port = port;
      port.onMessage.addListener((message: AgentMessage) => this.handleMessage(message));
      port.onDisconnect.addListener(() => this.onDisconnect(port));
      this.post(key === undefined ? { kind: "hello" } : { kind: "hello", key });
    } catch {
      this.listener.offline(t("worker_silent")); // the extension was updated: this page belongs to the old version
    }
  }

  private post(request: AgentRequest): boolean {
    try {
      this.port?.postMessage(request);
      return this.port !== undefined;
    } catch {
      return false; // onDisconnect follows
    }
  }

  private onDisconnect(port: chrome.runtime.Port): void {
    if (this.port !== port) return;
    this.port = undefined;
    for (const id of [...this.waiting.keys()]) this.settle(id, { message: t("worker_silent") });
    setTimeout(() => this.open(), RECONNECT_DELAY_MS);
  }

  private handleMessage(message: AgentMessage): void {
    switch (message.kind) {
      case "view":
        return this.listener.view(message.view);
      case "change":
        return this.listener.change(message.change);
      case "offline":
        return this.listener.offline(message.message);
      case "answer":
        return this.settle(message.id, message.error);
      case "refused":
        this.listener.offline(t("agent_refused"));
    }
  }

  private settle(id: number, error: Pick<ErrorData, "message" | "next_step"> | undefined): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) waiting?.reject(new RequestError(error));
    else waiting?.resolve();
  }
}
