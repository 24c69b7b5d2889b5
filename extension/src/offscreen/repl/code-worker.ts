// Rule of this file: what the code has beside the language itself. The code shares this
// world and can change all of it, so nothing here is relied on: the bounds are enforced once
// more where its messages arrive, and the host decides about every step.

import { type FromCode, MAX_FILE_BYTES, MAX_OUTPUT_CHARS, RUN_FUNCTION, type StepAnswer, type StepRequest } from "./messages";
import { shownValue } from "./shown-value";

type Body = (browserjs: unknown, navigate: unknown, sleep: unknown, returnFile: unknown, console: unknown) => Promise<unknown>;

const MAX_ERROR_CHARS = 2_000;

const connected = new Promise<MessagePort>((resolve) => {
  self.addEventListener("message", (event: MessageEvent) => event.ports[0] && resolve(event.ports[0]), { once: true });
});

Object.defineProperty(self, RUN_FUNCTION, {
  value: (body: Body) => {
    void connected.then((port) => new Run(port).run(body));
  },
});

/** An error of a step. */
class StepError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly step: number,
  ) {
    super(message);
    this.name = "StepError";
  }
}

class Run {
  private readonly post: (message: FromCode) => void;
  private readonly steps = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  private readonly pending = new Set<Promise<unknown>>();
  private readonly unhandled = new Map<Promise<unknown>, StepError>();
  private count = 0;
  private room = MAX_OUTPUT_CHARS;
  private cut = 0;
  private fileRoom = MAX_FILE_BYTES;

  constructor(port: MessagePort) {
    this.post = port.postMessage.bind(port);
    port.addEventListener("message", (event: MessageEvent<StepAnswer>) => this.accept(event.data));
    port.start();
    self.addEventListener("unhandledrejection", ({ promise, reason }) => {
      if (reason instanceof StepError) this.unhandled.set(promise, reason);
      this.write(`[error] nobody handled: ${errorText(reason)}`);
    });
    self.addEventListener("rejectionhandled", ({ promise }) => this.unhandled.delete(promise));
  }

  async run(body: Body): Promise<void> {
    const post = this.post;
    try {
      const value = await body(this.browserjs(), (to: unknown) => this.navigate(to), sleep, (...file: unknown[]) => this.returnFile(file), this.console());
      await this.settle();
      if (value !== undefined) this.write(`=> ${shownValue(value)}`);
      const [failed] = this.unhandled.values();
      post({ kind: "done", cut: this.cut, ...(failed && { error: { message: failed.message, step: failed.step } }) });
    } catch (error) {
      await this.settle();
      const step = error instanceof StepError ? error.step : undefined;
      post({ kind: "done", cut: this.cut, error: { message: errorText(error), ...(step !== undefined && { step }) } });
    }
  }

  /** Waits for the steps that the code does not await, and for those that it begins after them. */
  private async settle(): Promise<void> {
    do {
      await Promise.allSettled(this.pending);
      // The browser notices after the first that nobody handled an error, and reports it before the second.
      await sleep(0);
      await sleep(0);
    } while (this.steps.size > 0);
  }

  private browserjs(): unknown {
    const inWorld = (world: "page" | "main") => async (fn: unknown, ...args: unknown[]) => {
      if (typeof fn !== "function") throw new TypeError("browserjs takes a function, and then its arguments");
      const answer = await this.step("browserjs", { source: Function.prototype.toString.call(fn), args: JSON.parse(JSON.stringify(args)) as unknown, world });
      const { value, logs = [] } = (answer ?? {}) as { value?: unknown; logs?: string[] };
      for (const line of logs) this.write(line);
      return value;
    };
    return Object.assign(inWorld("page"), { main: inWorld("main") });
  }

  private navigate(to: unknown): Promise<unknown> {
    const url = typeof to === "string" ? to : (to as { url?: unknown } | null | undefined)?.url;
    if (typeof url !== "string") return Promise.reject(new TypeError("navigate takes {url}"));
    return this.step("navigate", { url });
  }

  /** Its promise is the code's alone: an error of it that the code does not handle is noticed. */
  private async step(action: StepRequest["action"], args: Record<string, unknown>): Promise<unknown> {
    const step = ++this.count;
    const answer = new Promise((resolve, reject) => this.steps.set(step, { resolve, reject }));
    this.pending.add(answer);
    this.post({ kind: "step", step, action, arguments: args });
    return await answer;
  }

  private accept(answer: StepAnswer): void {
    const waiting = this.steps.get(answer.step);
    this.steps.delete(answer.step);
    if (answer.ok) waiting?.resolve(answer.value);
    else waiting?.reject(new StepError(answer.code, answer.message, answer.step));
  }

  private console(): object {
    const log = (mark: string) => (...values: unknown[]) => this.write(mark + values.map((value) => (typeof value === "string" ? value : shownValue(value))).join(" "));
    const plain = log("");
    return { log: plain, info: plain, debug: plain, warn: log("[warn] "), error: log("[error] ") };
  }

  private write(text: string): void {
    const line = text.slice(0, this.room);
    this.cut += text.length - line.length;
    if (this.room <= 0) return;
    this.room -= line.length + 1;
    this.post({ kind: "line", text: line });
  }

  private async returnFile([first, content, type]: unknown[]): Promise<void> {
    const one = typeof first === "object" && first !== null ? (first as Record<string, unknown>) : { name: first, content, mimeType: type };
    const name = one["fileName"] ?? one["name"];
    if (typeof name !== "string" || name === "") throw new TypeError("returnFile takes a name, the content and its MIME type");
    const bytes = await bytesOf(one["content"]);
    if (bytes.length > this.fileRoom) throw new RangeError(`the files of a run may have ${MAX_FILE_BYTES} bytes together`);
    this.fileRoom -= bytes.length;
    const mimeType = one["mimeType"] ?? one["type"];
    const plain = typeof one["content"] === "string" ? "text/plain" : one["content"] instanceof Blob && one["content"].type !== "" ? one["content"].type : "application/octet-stream";
    this.post({ kind: "file", file: { file_name: name, mime_type: typeof mimeType === "string" ? mimeType : plain, content_base64: base64Of(bytes) } });
  }
}

const sleep = (ms: unknown): Promise<void> => new Promise((resolve) => setTimeout(resolve, Number(ms)));

async function bytesOf(content: unknown): Promise<Uint8Array> {
  if (content instanceof Blob) return new Uint8Array(await content.arrayBuffer());
  if (content instanceof ArrayBuffer) return new Uint8Array(content);
  if (ArrayBuffer.isView(content)) return new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
  return new TextEncoder().encode(typeof content === "string" ? content : (JSON.stringify(content, null, 2) ?? ""));
}

function base64Of(bytes: Uint8Array): string {
  const PIECE = 0x8000;
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(text);
}

function errorText(error: unknown): string {
  const text = error instanceof Error ? (error instanceof StepError ? error.message : `${error.name}: ${error.message}`) : `thrown: ${shownValue(error)}`;
  return text.slice(0, MAX_ERROR_CHARS) || "an error without a message";
}
