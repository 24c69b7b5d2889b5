// Rule of this file: a run is one frame with one worker, which ends with the frame: when
// the code is done, its time is over, or nobody waits for it any more, as after the end of the
// extension's worker. What the code sends is bounded here.

import type { ReplFile } from "../../protocol";
import { ALIVE_INTERVAL_MS, type BeginMessage, type FromCode, type FromRun, MAX_FILE_BYTES, MAX_OUTPUT_CHARS, portName, RUN_FUNCTION, type SandboxMessage, type StepAnswer, type StepRequest, type ToRun } from "./messages";
import { findNavigation } from "./navigation-rules";

const MAX_FILES = 100;
const MAX_PENDING_STEPS = 64;
const MAX_STEP_CHARS = 2_000_000;
/** A page that has not shown for so long that it lives is gone. */
const ALIVE_TIMEOUT_MS = 5_000;

/** Opens the port of a run, in which all of it goes on. */
export function openRun(runId: string): void {
  const port = chrome.runtime.connect({ name: portName(runId) });
  const post = (message: FromRun): void => port.postMessage(message);
  let run: Run | undefined;
  port.onMessage.addListener((message: ToRun) => {
    if (message.kind === "answer") run?.answer(message);
    else run ??= begin(message, post);
  });
  port.onDisconnect.addListener(() => run?.end());
}

/** Begins the run, unless the code's own text is refused. */
function begin({ code, timeout_ms }: ToRun & { kind: "start" }, post: (message: FromRun) => void): Run | undefined {
  try {
    const navigation = refusedNavigation(code);
    if (navigation) post(navigation);
    else return new Run(code, timeout_ms, post);
  } catch (error) {
    post({ kind: "done", result: { output: "", files: [], error: { message: String(error) } } });
  }
  return undefined;
}

function refusedNavigation(code: string): FromRun | undefined {
  const found = findNavigation(code);
  return found && { kind: "refused", code: "code_navigation_refused", message: `line ${found.line} of the code ${found.what}`, evidence: { line: found.line } };
}

class Run {
  private readonly frame = document.createElement("iframe");
  private readonly channel = new MessageChannel();
  private readonly timer: ReturnType<typeof setTimeout>;
  private readonly watch: ReturnType<typeof setInterval>;
  private aliveAt = performance.now();
  private readonly pending = new Set<number>();
  private readonly files: ReplFile[] = [];
  private output = "";
  private cut = 0;
  private fileChars = 0;
  private over = false;

  constructor(
    private readonly code: string,
    timeoutMs: number,
    private readonly post: (message: FromRun) => void,
  ) {
    this.timer = setTimeout(() => this.refuse("javascript_timeout", `the code did not end within ${timeoutMs / 1000} s and was stopped`, { timeout_ms: timeoutMs, terminated: true }), timeoutMs);
    this.watch = setInterval(() => this.checkAlive(), ALIVE_INTERVAL_MS);
    this.channel.port1.addEventListener("message", (event: MessageEvent<FromCode>) => this.receive(event.data));
    this.channel.port1.start();
    window.addEventListener("message", this.onSandbox);
    this.frame.setAttribute("sandbox", "allow-scripts");
    this.frame.src = chrome.runtime.getURL("repl-sandbox.html");
    document.body.append(this.frame);
  }

  /** Gives the code the outcome of a step. */
  answer(answer: StepAnswer): void {
    this.pending.delete(answer.step);
    if (!this.over) this.channel.port1.postMessage(answer);
  }

  end(): void {
    this.over = true;
    clearTimeout(this.timer);
    clearInterval(this.watch);
    window.removeEventListener("message", this.onSandbox);
    this.channel.port1.close();
    this.frame.remove();
  }

  private readonly onSandbox = (event: MessageEvent<SandboxMessage>): void => {
    if (event.source !== this.frame.contentWindow) return;
    this.aliveAt = performance.now();
    if (event.data.kind === "alive") return;
    if (event.data.kind === "broken") this.finish({ message: event.data.message || "the code could not be loaded" });
    else this.start().catch((error: unknown) => this.refuse("internal_error", `the code could not be started: ${String(error)}`));
  };

  private checkAlive(): void {
    if (performance.now() - this.aliveAt < ALIVE_TIMEOUT_MS) return;
    this.refuse("javascript_failed", "the sandbox ended: the code may have used too much memory");
  }

  private async start(): Promise<void> {
    const response = await fetch(chrome.runtime.getURL("repl-worker.js"));
    const tools = await response.text();
    // In a block of its own the code may declare these names anew.
    const program = `${tools}\n${RUN_FUNCTION}(async (browserjs, navigate, sleep, returnFile, console) => {{\n${this.code}\n}});`;
    const begin: BeginMessage = { program };
    this.frame.contentWindow?.postMessage(begin, "*", [this.channel.port2]);
  }

  private receive(message: FromCode): void {
    if (this.over) return;
    switch (message.kind) {
      case "line":
        return this.write(String(message.text));
      case "file":
        return this.keep(message.file);
      case "step":
        return this.step(message);
      case "done":
        this.cut += Number(message.cut) || 0;
        return this.finish(message.error);
    }
  }

  private write(line: string): void {
    const room = Math.max(0, MAX_OUTPUT_CHARS - this.output.length);
    const text = (this.output === "" ? line : `\n${line}`).slice(0, room);
    this.cut += line.length - Math.min(line.length, text.length);
    this.output += text;
  }

  private keep({ file_name, mime_type, content_base64 }: ReplFile): void {
    if (![file_name, mime_type, content_base64].every((member) => typeof member === "string")) return this.refuse("javascript_failed", "the code sent a file that is none");
    const chars = content_base64.length;
    if (this.files.length >= MAX_FILES || this.fileChars + chars > Math.ceil(MAX_FILE_BYTES / 3) * 4 + 4 * MAX_FILES) {
      return this.refuse("payload_too_large", "the code returned more files than a run may");
    }
    this.fileChars += chars;
    this.files.push({ file_name: file_name.slice(0, 255), mime_type: mime_type.slice(0, 255), content_base64 });
  }

  private step({ step, action, arguments: args }: StepRequest): void {
    // The answer to one would otherwise make room for the others of the same number.
    if (!Number.isSafeInteger(step) || this.pending.has(step)) return this.refuse("javascript_failed", "the code sent a step that is none");
    const source = args["source"];
    if (this.pending.size >= MAX_PENDING_STEPS || JSON.stringify(args).length > MAX_STEP_CHARS) {
      return this.answer({ kind: "answer", step, ok: false, code: "payload_too_large", message: "too many steps wait, or a step's arguments are too large" });
    }
    if (action === "browserjs") {
      try {
        const navigation = refusedNavigation(`(${String(source)}\n)`);
        if (navigation) return this.conclude(navigation);
      } catch (error) {
        return this.answer({ kind: "answer", step, ok: false, code: "javascript_failed", message: `browserjs takes a function as it is written: ${String(error)}` });
      }
    }
    this.pending.add(step);
    this.post({ kind: "step", step, action, arguments: args });
  }

  private finish(error?: { message: string; step?: number }): void {
    const { files } = this;
    const note = this.cut > 0 ? `\n[${this.cut} more characters of output were cut]` : "";
    this.conclude({ kind: "done", result: { output: this.output + note, files, ...(error && { error: { message: String(error.message) || "an error without a message", ...(typeof error.step === "number" && { step: error.step }) } }) } });
  }

  private refuse(code: "javascript_failed" | "javascript_timeout" | "internal_error" | "payload_too_large", message: string, evidence: Record<string, unknown> = {}): void {
    this.conclude({ kind: "refused", code, message, evidence: { ...evidence, output: this.output.slice(-2_000) } });
  }

  private conclude(message: FromRun): void {
    if (this.over) return;
    this.end();
    this.post(message);
  }
}
