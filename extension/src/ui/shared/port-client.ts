// Rule of this file: a page's end of a port to the worker. The port ends with
// the worker, which may happen at any moment; then it is opened again and the
// whole view comes anew. A request that was under way then has an unknown outcome.

import type { ErrorData } from "../../protocol";
import { t } from "./text";

const RECONNECT_DELAY_MS = 500;

/** Receives the state that a page shows. */
export interface PortListener<View, Change> {
  /** The whole view; it replaces what was shown before. */
  view(view: View): void;
  /** A change, after the view. */
  change(change: Change): void;
  /** There is no view, for the reason in the message. */
  offline(message: string): void;
}

/** From the worker to a page. After `refused` nothing more comes. */
export type PortMessage<View, Change> =
  | { kind: "view"; view: View }
  | { kind: "change"; change: Change }
  | { kind: "offline"; message: string }
  | { kind: "answer"; id: number; error?: ErrorData }
  | { kind: "refused" };

/** A request that the host or the worker refused. */
export class RequestError extends Error {
  readonly nextStep: string | undefined;
  /** Whether anything was done; undefined where it is not known. */
  readonly dispatched: ErrorData["dispatched"];
  /** What it is about, by its code. */
  readonly evidence: ErrorData["evidence"];

  constructor({ message, next_step, dispatched, evidence }: Pick<ErrorData, "message" | "next_step" | "dispatched" | "evidence">) {
    super(message);
    this.evidence = evidence;
    this.nextStep = next_step;
    this.dispatched = dispatched;
  }
}

interface Waiting {
  resolve(): void;
  reject(error: RequestError): void;
}

/** The connection of a page with the worker. */
export class PortClient<View, Change> {
  private port: chrome.runtime.Port | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  /** Connects by the name of the port; hello is its first message. */
  constructor(
    private readonly name: string,
    private readonly hello: object,
    private readonly listener: PortListener<View, Change>,
  ) {
    // A page in the back/forward cache lost its port without an event.
    window.addEventListener("pageshow", ({ persisted }) => {
      if (persisted) this.open();
    });
    this.open();
  }

  /** Sends a request; resolves when it is done. */
  protected send(method: string, params: object): Promise<void> {
    return new Promise((resolve, reject) => {
      const id = ++this.last;
      this.waiting.set(id, { resolve, reject });
      if (!this.post({ kind: "request", id, method, params })) this.settle(id, { message: t("worker_silent") });
    });
  }

  private open(): void {
    try {
      const port = chrome.runtime.connect({ name: this.name });
      this.port = port;
      port.onMessage.addListener((message: PortMessage<View, Change>) => this.handleMessage(message));
      port.onDisconnect.addListener(() => this.onDisconnect(port));
      this.post(this.hello);
    } catch {
      this.listener.offline(t("worker_silent")); // the extension was updated: this page belongs to the old version
    }
  }

  private post(request: object): boolean {
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

  private handleMessage(message: PortMessage<View, Change>): void {
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
