// Rule of this file: a PDF is hostile. Each is read by a worker of its own that ends with
// it, and that has neither eval nor the network: the extension's policy forbids
// both, and the reader is given bytes and no address. Nothing is drawn. As a script
// of its own it gives its refusals as answers: their class is another one there.

import { getDocument, InvalidPDFException, type PDFDocumentProxy, PasswordException, PDFWorker, VerbosityLevel } from "pdfjs-dist/legacy/build/pdf.mjs";
import type { OffscreenAnswer, OffscreenRequest, PdfText } from "./messages";
import { Refusal, refused } from "./refusal";

type Request = Extract<OffscreenRequest, { kind: "pdf_text" }>;

/** Characters of one answer, below the budget of an output. */
const MAX_CHARS = 6000;
/** What a page takes in JSON beside its text. */
const PAGE_CHARS = 40;
/** A page with more text than this is cut: no person reads it. */
const MAX_PAGE_CHARS = 500_000;
const MAX_TITLE = 300;

/** Reads the text of pages. */
export async function readText(request: Request): Promise<OffscreenAnswer<"pdf_text">> {
  const worker = new Worker(chrome.runtime.getURL("pdf-worker.js"), { type: "module" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refusal("handler_timeout", "the PDF was not read in time")), request.timeout_ms);
  });
  try {
    return { ok: true, ...(await Promise.race([read(request, worker), late])) };
  } catch (error) {
    return refused(refusalOf(error));
  } finally {
    clearTimeout(timer);
    worker.terminate();
  }
}

async function read(request: Request, worker: Worker): Promise<PdfText> {
  const pdf = await getDocument({
    data: bytesOf(request.data),
    worker: PDFWorker.create({ port: worker }),
    cMapUrl: chrome.runtime.getURL("cmaps/"),
    cMapPacked: true,
    useWorkerFetch: false,
    useWasm: false,
    useSystemFonts: false,
    disableFontFace: true,
    enableXfa: false,
    isOffscreenCanvasSupported: false,
    verbosity: VerbosityLevel.ERRORS,
  }).promise;
  const { from_page, to_page = pdf.numPages } = request;
  if (from_page > pdf.numPages || to_page < from_page) {
    throw new Refusal("document_unreadable", `the PDF has ${pdf.numPages} pages`, { evidence: { reason: "page_out_of_range", page_count: pdf.numPages } });
  }
  const last = Math.min(to_page, pdf.numPages);
  const texts: PdfText["texts"] = [];
  let room = MAX_CHARS;
  let page = from_page;
  let offset = request.offset;
  for (; page <= last && room > 0; page++, offset = 0) {
    const whole = await textOf(pdf, page);
    offset = Math.min(offset, whole.length);
    const end = endOf(whole, offset, room);
    // A page is only begun where it is the first, or fits.
    if (end < whole.length && texts.length > 0) break;
    texts.push({ page, text: whole.slice(offset, end), ...(offset > 0 && { offset }), ...(whole === "" && { empty: true }) });
    room -= end - offset + PAGE_CHARS;
    if (end < whole.length) {
      offset = end;
      break;
    }
  }
  const more = page <= last;
  return { page_count: pdf.numPages, title: await titleOf(pdf), texts, ...(more && { rest: { from_page: page, offset } }) };
}

async function textOf(pdf: PDFDocumentProxy, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  let text = "";
  for (const item of items) {
    if (!("str" in item)) continue;
    text += item.str + (item.hasEOL ? "\n" : "");
    if (text.length > MAX_PAGE_CHARS) break;
  }
  page.cleanup();
  return text.replace(/[ \t\u00a0]+/g, " ").replace(/ ?\n ?/g, "\n").replace(/\n{3,}/g, "\n\n").trim();
}

async function titleOf(pdf: PDFDocumentProxy): Promise<string> {
  const { info } = await pdf.getMetadata();
  const title = (info as { Title?: unknown } | undefined)?.Title;
  return typeof title === "string" ? title.slice(0, MAX_TITLE) : "";
}

function endOf(whole: string, offset: number, room: number): number {
  const end = offset + room;
  if (end >= whole.length) return whole.length;
  const line = whole.lastIndexOf("\n", end - 1);
  if (line > offset + room / 2) return line + 1;
  return /[\ud800-\udbff]/.test(whole.charAt(end - 1)) ? end - 1 : end;
}

function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function refusalOf(error: unknown): Error {
  const because = (reason: string, message: string): Refusal => new Refusal("document_unreadable", message, { evidence: { reason } });
  if (error instanceof Refusal) return error;
  if (error instanceof PasswordException) return because("encrypted", "the PDF is locked with a password");
  if (error instanceof InvalidPDFException) return because("broken", "the PDF is broken");
  return because("broken", `the PDF cannot be read: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}`);
}
