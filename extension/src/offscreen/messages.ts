// Rule of this file: the closed set of messages between the worker and the
// offscreen document. Each names its receiver, since all pages of the extension
// receive what the worker sends.

import type { ErrorCode, MediaState } from "../protocol";

/** A request of the worker. */
export type OffscreenRequest =
  | { to: "offscreen"; kind: "clipboard_read" }
  | { to: "offscreen"; kind: "clipboard_write"; text: string; html?: string }
  | { to: "offscreen"; kind: "pdf_text"; data: string; from_page: number; to_page?: number; offset: number; timeout_ms: number }
  | { to: "offscreen"; kind: "repl_open"; run_id: string }
  | { to: "offscreen"; kind: "call_offer" }
  | { to: "offscreen"; kind: "call_answer"; sdp: string }
  | { to: "offscreen"; kind: "call_mute"; input: boolean; output: boolean }
  | { to: "offscreen"; kind: "call_close" };

/** The members of the answer to each request. */
export interface OffscreenResults {
  clipboard_read: { text: string; html: string };
  clipboard_write: object;
  pdf_text: PdfText;
  repl_open: object;
  call_offer: { sdp: string };
  call_answer: object;
  call_mute: object;
  call_close: object;
}

/** The text of some pages of a PDF; the rest begins where it says. */
export interface PdfText {
  page_count: number;
  title: string;
  texts: { page: number; text: string; offset?: number; empty?: boolean }[];
  rest?: { from_page: number; offset: number };
}

/** The answer to a request. */
export type OffscreenAnswer<K extends keyof OffscreenResults = keyof OffscreenResults> =
  | ({ ok: true } & OffscreenResults[K])
  | OffscreenRefusal;

/** Why a request was not done. */
export interface OffscreenRefusal {
  ok: false;
  code: ErrorCode;
  message: string;
  evidence?: Record<string, unknown>;
  next_step?: string;
}

/** The reason in a refusal's evidence when the user must first be asked, which no offscreen document can. */
export const PERMISSION_NEEDED = "permission_needed";

/** The state of the call. */
export type CallReport = MediaState;

/** A report from the offscreen document to the worker; call_watch asks whether a host is connected. */
export type OffscreenReport = { to: "worker"; kind: "call_watch" } | ({ to: "worker"; kind: "call_state" } & CallReport);

/** Reports whether the message is for the offscreen document. */
export function isOffscreenRequest(message: unknown): message is OffscreenRequest {
  return typeof message === "object" && message !== null && (message as { to?: unknown }).to === "offscreen";
}

/** Reports whether the message claims to be the offscreen document's; only the browser knows the real sender. */
export function isOffscreenReport(message: unknown): message is OffscreenReport {
  return typeof message === "object" && message !== null && (message as { to?: unknown }).to === "worker";
}
