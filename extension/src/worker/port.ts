// Rule of this file: one connection with the host at a time, whose state is
// always told truthfully: connected is said only after the handshake. A lost
// connection is tried again by itself; a request that cannot be sent fails.

import {
  CancellationTokenSource,
  createMessageConnection,
  ResponseError,
  type MessageConnection,
} from "vscode-jsonrpc/browser";
import { HOST_NAME, PROTOCOL, PROTOCOL_MIN } from "../contract";
import type { ErrorData, ExtensionNotifications, ExtensionRequests, Handshake, HandshakeResult } from "../protocol";
import { within } from "./bounded";
import { Fault, report, textOf } from "./fault";
import { backoff, disconnected, MAX_DELAY_MS, retriesSoon, type ConnectionState } from "./states";
import { PortReader, PortWriter } from "./transport";
import { definitions, results } from "./validators";

const REQUEST_LIMIT_MS = 10_000;
/** Starting the agent waits for the microphone and the voice service, an import for the disk. */
const LONGER_LIMITS_MS: Partial<Record<keyof ExtensionRequests, number>> = { agent_command: 60_000, desk_command: 60_000 };

/** What the rest of the worker gives to the connection and learns from it. */
export interface LinkOptions {
  /** Makes the first message. */
  hello(): Promise<Handshake>;
  /** Answers the host's requests; the returned function ends those under way. */
  serve(connection: MessageConnection): () => void;
  /** The handshake is through. */
  welcome(result: HandshakeResult): void;
  /** The state is another one. */
  changed(state: ConnectionState): void;
}

/** One run of the host: its port and what hangs on it. */
interface Attempt {
  port: chrome.runtime.Port;
  connection: MessageConnection;
  stopServing: () => void;
  greeted: boolean;
  since: number;
}

/** The connection with the native host. */
export class Link {
  state: ConnectionState = { state: "connecting" };
  private attempt: Attempt | undefined;
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: LinkOptions) {}

  /** Connects unless a connection stands or is being made. */
  start(): void {
    clearTimeout(this.timer);
    if (this.attempt) return;
    try {
      this.open();
    } catch (error) {
      this.rest({ state: "host_exited", reason: textOf(error) });
    }
  }

  /** The user asks to try again now. */
  retry(): void {
    if (this.attempt) return;
    this.failures = 0;
    this.move({ state: "connecting" });
    this.start();
  }

  /** Sends a request and gives its checked answer. */
  async request<M extends keyof ExtensionRequests>(
    method: M,
    params: ExtensionRequests[M]["params"],
  ): Promise<ExtensionRequests[M]["result"]> {
    const attempt = this.attempt;
    if (!attempt?.greeted) throw Fault.new("transport_failed", "the host is not connected", { dispatched: "no" });
    return this.ask(attempt, method, params);
  }

  /** Sends a notification; without a connection the next handshake tells the state anyway. */
  notify<M extends keyof ExtensionNotifications>(method: M, params: ExtensionNotifications[M]["params"]): void {
    if (!this.attempt?.greeted) return;
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
    const attempt: Attempt = { port, connection, stopServing: () => {}, greeted: false, since: Date.now() };
    this.attempt = attempt;
    port.onDisconnect.addListener(() => this.end(attempt, disconnected(chrome.runtime.lastError?.message)));
    attempt.stopServing = this.options.serve(connection);
    connection.listen();
    this.greet(attempt).catch((error: unknown) => {
      if (this.attempt !== attempt) return; // the port's own reason was told already
      port.disconnect();
      this.end(attempt, refused(error));
    });
  }

  private async greet(attempt: Attempt): Promise<void> {
    const hello = await this.options.hello();
    const result = await this.ask(attempt, "handshake", hello);
    if (this.attempt !== attempt) return;
    if (result.protocol < PROTOCOL_MIN) throw skew("host", `the host ${result.host_version} speaks protocol ${result.protocol}`);
    if (result.protocol > PROTOCOL) throw skew("extension", `the host ${result.host_version} speaks protocol ${result.protocol}`);
    attempt.greeted = true;
    this.options.welcome(result);
    this.move({ state: "connected", host_version: result.host_version });
  }

  private async ask<M extends keyof ExtensionRequests>(
    attempt: Attempt,
    method: M,
    params: ExtensionRequests[M]["params"],
  ): Promise<ExtensionRequests[M]["result"]> {
    const source = new CancellationTokenSource();
    try {
      const answer = attempt.connection.sendRequest<unknown>(method, params, source.token);
      const result = await within(LONGER_LIMITS_MS[method] ?? REQUEST_LIMIT_MS, `the host's answer to ${method}`, answer, "transport_failed");
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
    if (attempt.greeted && Date.now() - attempt.since > MAX_DELAY_MS) this.failures = 0;
    this.rest(state);
  }

  /** Stays in the state until the next attempt, which keeps it shown until it knows better. */
  private rest(state: ConnectionState): void {
    this.move(state);
    if (retriesSoon(state)) this.timer = setTimeout(() => this.start(), backoff(this.failures++));
  }

  private move(state: ConnectionState): void {
    this.state = state;
    this.options.changed(state);
  }
}

/** A failed handshake as a state. */
function refused(error: unknown): ConnectionState {
  const { code, message, next_step, evidence } = Fault.of(error).data;
  if (code !== "version_skew") return { state: "host_failed", reason: [message.replace(/\.?$/, "."), next_step].filter(Boolean).join(" ") };
  return { state: "version_skew", update: evidence?.["update"] === "host" ? "host" : "extension", reason: message };
}

function skew(update: "extension" | "host", message: string): Fault {
  return Fault.new("version_skew", message, { evidence: { update } });
}

/** The host's error with its data, if it sent any. */
function hostFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof ResponseError && definitions["ErrorData"]?.(error.data)) return Fault.pass(error.data as ErrorData);
  return Fault.new("transport_failed", textOf(error), { dispatched: "unknown" });
}
