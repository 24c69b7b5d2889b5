// Rule of this file: one connection with the host at a time, whose state is always
// reported truthfully: it is connected only after the handshake. A lost
// connection is retried automatically; a request that cannot be sent fails.

import {
  CancellationTokenSource,
  createMessageConnection,
  ResponseError,
  type MessageConnection,
} from "vscode-jsonrpc/browser";
import { HOST_NAME, PROTOCOL, PROTOCOL_MIN } from "../../contract";
import type { ErrorData, ExtensionNotifications, ExtensionRequests, Handshake, HandshakeResult } from "../../protocol";
import { withTimeout } from "../shared/async";
import { Fault, report, textOf } from "../shared/fault";
import { PAGES_PROTOCOL, sendToOlderHost } from "./commands";
import { backoff, disconnected, MAX_DELAY_MS, retriesSoon, type ConnectionState } from "./states";
import { PortReader, PortWriter } from "./transport";
import { definitions, results } from "./validators";

const REQUEST_TIMEOUT_MS = 10_000;
/** For a page: starting the agent waits for the microphone and the voice service, an import for the disk. */
const PAGE_REQUEST_TIMEOUT_MS = 60_000;
/** A saved action that the user runs may wait for two answers of theirs, and take as long as an action may. */
const RUN_TIMEOUT_MS = 300_000;

/** The callbacks of the connection. */
export interface LinkOptions {
  /** Makes the first message. */
  makeHandshake(): Promise<Handshake>;
  /** Answers the host's requests; the returned function ends those under way. */
  serve(connection: MessageConnection): () => void;
  /** Called after the handshake. */
  onConnected(result: HandshakeResult): void;
  /** Called when the state has changed. */
  onStateChanged(state: ConnectionState): void;
}

/** One run of the host: its port and what belongs to it. */
interface Attempt {
  port: chrome.runtime.Port;
  connection: MessageConnection;
  stopServing: () => void;
  isConnected: boolean;
  /** What both sides speak, after the handshake. */
  protocol: number;
  since: number;
}

/** The connection with the native host. */
export class Link {
  state: ConnectionState = { state: "connecting" };
  private attempt: Attempt | undefined;
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: LinkOptions) {}

  /** The protocol that both sides speak; 0 without a connection. */
  get protocol(): number {
    return this.attempt?.protocol ?? 0;
  }

  /** Connects unless there is a connection or one is being made. */
  start(): void {
    clearTimeout(this.timer);
    if (this.attempt) return;
    try {
      this.open();
    } catch (error) {
      this.retryLater({ state: "host_exited", reason: textOf(error) });
    }
  }

  /** Tries again at once, at the user's request. */
  retry(): void {
    if (this.attempt) return;
    this.failures = 0;
    this.setState({ state: "connecting" });
    this.start();
  }

  /** Sends a request and returns its checked answer; limit is the timeout of one that may take long. */
  async request<M extends keyof ExtensionRequests>(
    method: M,
    params: ExtensionRequests[M]["params"],
    limit?: number,
  ): Promise<ExtensionRequests[M]["result"]> {
    const attempt = this.attempt;
    if (!attempt?.isConnected) throw Fault.new("transport_failed", "the host is not connected", { dispatched: "no" });
    if (attempt.protocol < PAGES_PROTOCOL) return sendToOlderHost((...request) => this.sendRequest(attempt, ...request), method, params);
    return this.sendRequest(attempt, method, params, limit);
  }

  /** Sends a notification; without a connection it is dropped, as the next handshake carries the state. */
  notify<M extends keyof ExtensionNotifications>(method: M, params: ExtensionNotifications[M]["params"]): void {
    if (!this.attempt?.isConnected) return;
    this.attempt.connection.sendNotification(method, params).catch((error: unknown) => report(`${method} was not sent`, error));
  }

  private open(): void {
    const port = chrome.runtime.connectNative(HOST_NAME);
    const connection = createMessageConnection(new PortReader(port), new PortWriter(port), {
      error: (message) => report("JSON-RPC", message),
      warn: (message) => report("JSON-RPC", message),
      info: () => {},
      log: () => {},
    });
    const attempt: Attempt = { port, connection, stopServing: () => {}, isConnected: false, protocol: 0, since: Date.now() };
    this.attempt = attempt;
    port.onDisconnect.addListener(() => this.end(attempt, disconnected(chrome.runtime.lastError?.message)));
    attempt.stopServing = this.options.serve(connection);
    connection.listen();
    this.performHandshake(attempt).catch((error: unknown) => {
      if (this.attempt !== attempt) return; // the port's own reason was reported already
      port.disconnect();
      this.end(attempt, handshakeFailure(error));
    });
  }

  private async performHandshake(attempt: Attempt): Promise<void> {
    const handshake = await this.options.makeHandshake();
    const result = await this.sendRequest(attempt, "handshake", handshake);
    if (this.attempt !== attempt) return;
    if (result.protocol < PROTOCOL_MIN) throw versionSkew("host", `the host ${result.host_version} speaks protocol ${result.protocol}`);
    if (result.protocol > PROTOCOL) throw versionSkew("extension", `the host ${result.host_version} speaks protocol ${result.protocol}`);
    attempt.isConnected = true;
    attempt.protocol = result.protocol;
    this.options.onConnected(result);
    this.setState({ state: "connected", host_version: result.host_version });
  }

  private async sendRequest<M extends keyof ExtensionRequests>(
    attempt: Attempt,
    method: M,
    params: ExtensionRequests[M]["params"],
    limit: number = timeoutOf(method),
  ): Promise<ExtensionRequests[M]["result"]> {
    const source = new CancellationTokenSource();
    try {
      const answer = attempt.connection.sendRequest<unknown>(method, params, source.token);
      const result = await withTimeout(limit, `the host's answer to ${method}`, answer, "transport_failed");
      const check = results[method];
      if (check(result)) return result;
      throw Fault.new("invalid_message", `the host's answer to ${method} has not the agreed form`);
    } catch (error) {
      source.cancel(); // of a request that was answered this is nothing
      throw hostFault(error);
    } finally {
      source.dispose();
    }
  }

  private end(attempt: Attempt, state: ConnectionState): void {
    if (this.attempt !== attempt) return;
    this.attempt = undefined;
    attempt.stopServing();
    attempt.connection.dispose();
    // A host that ends right after each start must not be started four times a second.
    if (attempt.isConnected && Date.now() - attempt.since > MAX_DELAY_MS) this.failures = 0;
    this.retryLater(state);
  }

  /** Sets the state and schedules the next attempt, which leaves it shown until it has an outcome. */
  private retryLater(state: ConnectionState): void {
    this.setState(state);
    if (retriesSoon(state)) this.timer = setTimeout(() => this.start(), backoff(this.failures++));
  }

  private setState(state: ConnectionState): void {
    this.state = state;
    this.options.onStateChanged(state);
  }
}

function timeoutOf(method: keyof ExtensionRequests): number {
  if (method === "ui_run" || method === "ui_repair") return RUN_TIMEOUT_MS;
  return isPageRequest(method) ? PAGE_REQUEST_TIMEOUT_MS : REQUEST_TIMEOUT_MS;
}

/** Reports whether the method is for what the extension's own pages request. */
function isPageRequest(method: keyof ExtensionRequests): boolean {
  return /^(agent|ui|desk)_/.test(method);
}

/** Converts a failed handshake to a state. */
function handshakeFailure(error: unknown): ConnectionState {
  const { code, message, next_step, evidence } = Fault.of(error).data;
  if (code !== "version_skew") return { state: "host_failed", reason: [message.replace(/\.?$/, "."), next_step].filter(Boolean).join(" ") };
  return { state: "version_skew", update: evidence?.["update"] === "host" ? "host" : "extension", reason: message };
}

function versionSkew(update: "extension" | "host", message: string): Fault {
  return Fault.new("version_skew", message, { evidence: { update } });
}

/** Converts an error of a request to a Fault, with the host's data if it sent any. */
function hostFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof ResponseError && definitions["ErrorData"]?.(error.data)) return Fault.pass(error.data as ErrorData);
  return Fault.new("transport_failed", textOf(error), { dispatched: "unknown" });
}
