// Rule of this file: code of an agent runs in the one document that the host names, in a
// world of its own that may load nothing, or in the page's. Its messages are its own word: the
// browser names the document, the host knows the capability.

import type { NativeInput, UserScriptResult, UserScriptRun } from "../../protocol";
import type { Link } from "../connection/link";
import { END_SCRIPT } from "../debugger/debugger";
import { withApiTimeout, withTimeout } from "../shared/async";
import { Fault, textOf } from "../shared/fault";
import { documentGone } from "../page/inject";
import type { Claims } from "../tabs/claims";
import type { Documents } from "../tabs/documents";

const WORLD = "actions-host-browserjs";
const POLICY = "default-src 'none'";

/** The type of the message by which code asks for real input. */
const NATIVE_INPUT = "automation:native-input";

/** A step may take as long as a run. */
const INPUT_TIMEOUT_MS = 130_000;

const GONE = /no (document|frame|tab) with id|was removed|was closed|frame is not ready/i;

type Sender = chrome.runtime.MessageSender;
type Respond = (answer: unknown) => void;

/** Runs code by chrome.userScripts. */
export class UserScripts {
  private ready: Promise<void> | undefined;
  private readonly running = new Set<{ tabId: number; end(fault: Fault): void }>();

  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
    private readonly link: Link,
  ) {}

  async run({ tab_id: tabId, runtime_id, world, code, timeout_ms }: UserScriptRun): Promise<UserScriptResult> {
    this.claims.demand(tabId);
    if (!supported()) return { supported: false };
    if (this.documents.current(tabId)?.id !== runtime_id) throw documentGone();
    this.ready ??= this.prepare();
    await this.ready;
    this.claims.demand(tabId); // the user may have released the tab meanwhile
    const run = { tabId, end(_: Fault) {} };
    const ended = new Promise<never>((_, reject) => {
      run.end = reject;
    });
    this.running.add(run);
    try {
      const execution = chrome.userScripts.execute({
        target: { tabId, documentIds: [runtime_id] },
        js: [{ code }],
        injectImmediately: true,
        ...(world === "main" ? { world: "MAIN" as const } : { world: "USER_SCRIPT" as const, worldId: WORLD }),
      });
      const [first] = await withTimeout(timeout_ms, "chrome.userScripts.execute", Promise.race([execution, ended]), "javascript_timeout");
      if (first?.error) return { supported: true, error: first.error };
      if (typeof first?.result !== "string") throw Fault.new("runtime_replaced", "the document went away while the code ran", { dispatched: "unknown" });
      return { supported: true, result: first.result };
    } catch (error) {
      if (error instanceof Fault) throw error;
      if (GONE.test(textOf(error))) throw Fault.new("runtime_replaced", textOf(error), { dispatched: "unknown" });
      throw Fault.new("handler_failed", textOf(error), { dispatched: "unknown" });
    } finally {
      this.running.delete(run);
    }
  }

  /** Ends code in a tab whose claim has ended, and the wait for it. */
  released(tabId: number): void {
    for (const run of this.running) {
      if (run.tabId === tabId) run.end(Fault.new("tab_not_claimed", "the tab was taken back while the code ran", { dispatched: "unknown" }));
    }
    if (!supported()) return;
    const ending = chrome.userScripts.execute({ target: { tabId }, js: [{ code: END_SCRIPT }], injectImmediately: true, world: "USER_SCRIPT", worldId: WORLD });
    ending.catch(() => {}); // a closed tab, or a page in which no code runs
  }

  /** Refuses real input to whoever asks for it otherwise than from such a world; reports whether somebody did. */
  refuses(message: unknown, respond: Respond): boolean {
    if ((message as { type?: unknown } | null)?.type !== NATIVE_INPUT) return false;
    respond({ ok: false, code: "permission_denied", message: "real input is not armed here", reason: "not armed" });
    return true;
  }

  private async prepare(): Promise<void> {
    try {
      await withApiTimeout("chrome.userScripts.configureWorld", chrome.userScripts.configureWorld({ worldId: WORLD, csp: POLICY, messaging: true }));
      chrome.runtime.onUserScriptMessage.addListener((message: unknown, sender, respond) => this.receive(message, sender, respond));
    } catch (error) {
      this.ready = undefined;
      throw Fault.new("capability_unavailable", textOf(error), { dispatched: "no" });
    }
  }

  private receive(message: unknown, sender: Sender, respond: Respond): boolean {
    const wish = (message ?? {}) as Record<string, unknown>;
    const { tab, frameId, documentId } = sender;
    if (wish["type"] !== NATIVE_INPUT) return false;
    if (tab?.id === undefined || frameId !== 0 || documentId === undefined || !this.claims.has(tab.id)) return !this.refuses(message, respond);
    const text = (name: string): object => (typeof wish[name] === "string" ? { [name]: wish[name] } : {});
    const input = { tab_id: tab.id, runtime_id: documentId, capability: "", action: "click", ...text("capability"), ...text("action"), ...text("selector"), ...text("text"), ...text("key") };
    this.link.request("native_input", input as NativeInput, INPUT_TIMEOUT_MS).then(
      () => respond({ ok: true }),
      (error: unknown) => {
        const { code, message: why, evidence } = Fault.of(error).data;
        respond({ ok: false, code, message: why, reason: evidence?.["reason"] });
      },
    );
    return true;
  }
}

/** Reports whether the user allows user scripts, in a browser that can run one at once. */
function supported(): boolean {
  return typeof (chrome as { userScripts?: { execute?: unknown } }).userScripts?.execute === "function";
}
