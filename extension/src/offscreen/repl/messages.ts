// Rule of this file: the messages of a run: between the extension's worker and the
// offscreen document, and between that and the code's own worker, which may forge any of its own.

import type { ErrorCode, ReplFile, ReplResult } from "../../protocol";

/** The name of a run's port. */
export const portName = (runId: string): string => `repl:${runId}`;

/** From the extension's worker to the offscreen document. */
export type ToRun = { kind: "start"; code: string; timeout_ms: number } | StepAnswer;

/** How a step ended. */
export type StepAnswer = { kind: "answer"; step: number } & ({ ok: true; value: unknown } | { ok: false; code: string; message: string });

/** A step that the code asks for. */
export interface StepRequest {
  kind: "step";
  step: number;
  action: "browserjs" | "navigate";
  arguments: Record<string, unknown>;
}

/** From the offscreen document to the extension's worker. */
export type FromRun =
  | StepRequest
  | { kind: "done"; result: ReplResult }
  | { kind: "refused"; code: ErrorCode; message: string; evidence?: Record<string, unknown> };

/** From the code's worker to the offscreen document. */
export type FromCode =
  | StepRequest
  | { kind: "line"; text: string }
  | { kind: "file"; file: ReplFile }
  | { kind: "done"; cut: number; error?: { message: string; step?: number } };

/** From the offscreen document to the sandboxed page, with the port of the code. */
export interface BeginMessage {
  program: string;
}

/** From the sandboxed page to the offscreen document. */
export type SandboxMessage = { kind: "ready" } | { kind: "alive" } | { kind: "broken"; message: string };

/** How often the sandboxed page shows that its process lives, which code can end with too much memory. */
export const ALIVE_INTERVAL_MS = 1_000;

/** The most that a run may put out. */
export const MAX_OUTPUT_CHARS = 100_000;
export const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** The function of the program's first part that runs the second. */
export const RUN_FUNCTION = "actionsHostRun";
