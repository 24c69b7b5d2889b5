// Rule of this file: the two messages between a report and its sandbox.

/** From the report to its sandbox, once. */
export interface ShowMessage {
  html: string;
  scripts: boolean;
}

/** From the sandbox to the report; a template's scripts may forge it, and close their own report. */
export type SandboxMessage = "ready" | "shown" | "escape";
