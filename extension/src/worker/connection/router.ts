// Rule of this file: every method that the host may call has a handler, by
// type; its parameters are checked against the schema before the handler sees
// them, and a cancelled or orphaned call is aborted.

import { ErrorCodes, ResponseError, type CancellationToken, type MessageConnection } from "vscode-jsonrpc/browser";
import type { HostNotifications, HostRequests } from "../../protocol";
import { unlessCancelled } from "../shared/async";
import { Fault, report } from "../shared/fault";
import type { Spent } from "../shared/spent";
import { notifications, requests, type Check } from "./validators";

/** A handler for each request of the host. */
export type Handlers = {
  [M in keyof HostRequests]: (params: HostRequests[M]["params"], signal: AbortSignal) => Promise<HostRequests[M]["result"]>;
};

/** A listener for each notification of the host. */
export type Listeners = {
  [M in keyof HostNotifications]: (params: HostNotifications[M]["params"]) => void;
};

/** Answers the host's messages; the returned function stops the calls under way. */
export function serve(connection: MessageConnection, handlers: Handlers, listeners: Listeners, spent: Spent): () => void {
  const running = new Set<AbortController>();

  connection.onRequest(async (method: string, params: unknown, token: CancellationToken) => {
    if (!has(handlers, method)) {
      return new ResponseError(ErrorCodes.MethodNotFound, `this extension does not know the request ${method}`);
    }
    const controller = new AbortController();
    const watch = token.onCancellationRequested(() => controller.abort());
    if (token.isCancellationRequested) controller.abort();
    running.add(controller);
    try {
      return await spent.on("requests", handleRequest(handlers, method, params, controller.signal));
    } catch (error) {
      return Fault.of(error).toResponse();
    } finally {
      running.delete(controller);
      watch.dispose();
    }
  });

  connection.onNotification((method: string, params: unknown) => {
    try {
      if (!has(listeners, method)) throw Fault.new("invalid_message", `unknown notification ${method}`);
      handleNotification(listeners, method, params);
    } catch (error) {
      report("A notification of the host was dropped", error);
    }
  });

  return () => running.forEach((controller) => controller.abort());
}

function handleRequest<M extends keyof HostRequests>(
  handlers: Handlers,
  method: M,
  params: unknown,
  signal: AbortSignal,
): Promise<HostRequests[M]["result"]> {
  return unlessCancelled(signal, handlers[method](checked(method, params, requests[method]), signal));
}

function handleNotification<M extends keyof HostNotifications>(listeners: Listeners, method: M, params: unknown): void {
  listeners[method](checked(method, params, notifications[method]));
}

function checked<T>(method: string, params: unknown, check: Check<T>): T {
  if (check(params)) return params;
  const [first] = check.errors ?? [];
  throw Fault.new("invalid_message", `${method}${first?.instancePath ?? ""} ${first?.message ?? "is not valid"}`, {
    dispatched: "no",
  });
}

/** Reports whether the table has the method itself, not by inheritance. */
function has<T extends object>(table: T, method: string): method is Extract<keyof T, string> {
  return Object.hasOwn(table, method);
}
