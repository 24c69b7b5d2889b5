// Rule of this file: the script that runs in the tab's own PDF reads its bytes, as the
// page itself could and from the cache where they are still there; nothing but
// a PDF of a bounded size leaves it, and only for the worker, which has it read.

import { type Args, number } from "../base/args";
import { type Evidence, PageError } from "../base/errors";
import { type Context, throwIfCancelled } from "../wait/schedule";

const MAX_BYTES = 20 * 1024 * 1024;
/** A PDF's mark may stand behind a few other bytes. */
const HEAD_BYTES = 1024;

interface PdfAnswer {
  ok: boolean;
  output?: unknown;
  code?: "document_unreadable" | "handler_timeout";
  message?: string;
  evidence?: Evidence;
}

/** pdf.read */
export async function readPdf(args: Args, ctx: Context): Promise<unknown> {
  if (document.contentType !== "application/pdf") throw unreadable("not_a_pdf", "the tab does not show a PDF");
  const bytes = await bytesOf(location.href, ctx);
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, HEAD_BYTES));
  if (!head.includes("%PDF-")) throw unreadable("not_a_pdf", "what the tab's address gives is not a PDF");
  const message = {
    kind: "pdf_text",
    data: await base64Of(bytes),
    from_page: number(args, "from_page", 1, 1, 1e6),
    ...(args.to_page !== undefined && { to_page: number(args, "to_page", 1, 1, 1e6) }),
    offset: number(args, "offset", 0, 0, 1e9),
    timeout_ms: Math.max(1, ctx.deadline - performance.now()),
  };
  const answer = (await chrome.runtime.sendMessage(message)) as PdfAnswer | null;
  throwIfCancelled(ctx);
  if (answer?.ok) return answer.output;
  throw new PageError(answer?.code ?? "capability_unavailable", answer?.message ?? "the extension cannot read PDFs here", answer?.evidence);
}

async function bytesOf(url: string, ctx: Context): Promise<Uint8Array<ArrayBuffer>> {
  const timeout = AbortSignal.timeout(Math.max(1, ctx.deadline - performance.now()));
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    const init: RequestInit = { credentials: "include", mode: "same-origin", cache: "force-cache", signal: AbortSignal.any([ctx.signal, timeout]) };
    const response = await fetch(url, init);
    if (!response.ok) throw unreadable("fetch_failed", `the PDF cannot be read again: the server answers ${response.status}`, { status: response.status });
    const reader = response.body?.getReader();
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done || !value) break;
      chunks.push(value);
      size += value.length;
      if (size <= MAX_BYTES) continue;
      await reader?.cancel();
      throw unreadable("too_large", `the PDF is larger than ${MAX_BYTES} bytes`, { max_bytes: MAX_BYTES });
    }
  } catch (thrown) {
    throwIfCancelled(ctx);
    if (thrown instanceof PageError) throw thrown;
    if (timeout.aborted) throw new PageError("timeout", "the PDF was not read in time");
    throw unreadable("fetch_failed", `the PDF cannot be read again: ${String(thrown)}`);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function base64Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error ?? new Error("the bytes cannot be encoded"));
    reader.readAsDataURL(new Blob([bytes]));
  });
}

const unreadable = (reason: string, message: string, evidence?: Evidence): PageError => new PageError("document_unreadable", message, { reason, ...evidence });
