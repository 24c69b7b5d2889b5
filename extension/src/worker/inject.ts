// Rule of this file: a document has the content script once, and only while
// its tab is claimed. A script that is alive already is found by a greeting,
// not replaced: a second one would break what the first is doing.

import { API_LIMIT_MS, asked, within } from "./bounded";
import type { Claims } from "./claims";
import type { Documents, Runtime } from "./documents";
import { Fault, textOf } from "./fault";
import { noSuchTab } from "./tabs";
import { restricted } from "./urls";

const SCRIPT = "page.js";
/** A living content script answers a greeting in about a millisecond. */
const HELLO_LIMIT_MS = 1_000;

/** Whether Chrome says that nobody listens in the document: nothing was dispatched. */
export function nobodyListens(error: unknown): boolean {
  return /receiving end does not exist/i.test(textOf(error));
}

/** Brings the content script into documents. */
export class Injector {
  /** Is called when the content script runs in a document. */
  onReady: (tabId: number, runtime: Runtime) => void = () => {};

  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
  ) {}

  /** Waits until the content script runs in the document; the first caller starts it. */
  ensure(tabId: number, runtime: Runtime): Promise<void> {
    runtime.script ??= this.bring(tabId, runtime).catch((error: unknown) => {
      runtime.script = undefined; // the next caller tries again
      throw error;
    });
    return runtime.script;
  }

  /** The document turned out to have no content script: forget that it had. */
  lost(runtime: Runtime): void {
    runtime.script = undefined;
    runtime.ready = false;
  }

  private async bring(tabId: number, runtime: Runtime): Promise<void> {
    this.claims.demand(tabId);
    if (restricted(runtime.url)) throw restrictedPage(runtime.url);
    if (!(await this.alive(tabId, runtime))) await this.inject(tabId);
    const now = this.documents.current(tabId);
    if (now?.id !== runtime.id) {
      throw Fault.new("runtime_replaced", "the document was replaced before the content script ran", { dispatched: "no" });
    }
    runtime.ready = true;
    this.onReady(tabId, runtime);
  }

  private async alive(tabId: number, runtime: Runtime): Promise<boolean> {
    try {
      const hello = chrome.tabs.sendMessage(tabId, { kind: "hello" }, { documentId: runtime.id });
      const answer: unknown = await within(HELLO_LIMIT_MS, "the content script", hello);
      return typeof answer === "object" && answer !== null && (answer as { ok?: unknown }).ok === true;
    } catch (error) {
      if (nobodyListens(error) || error instanceof Fault) return false;
      throw Fault.new("runtime_not_ready", textOf(error), { dispatched: "no" });
    }
  }

  private async inject(tabId: number): Promise<void> {
    await inject({ tabId });
    // The script may have landed in a newer document than the one meant.
    await asked("the current document", this.documents.refresh(tabId));
  }
}

/** Runs the content script in the tab's own document, or in those that are named. */
export async function inject(target: chrome.scripting.InjectionTarget): Promise<void> {
  const injection = chrome.scripting.executeScript({ target, files: [SCRIPT], injectImmediately: true });
  try {
    await within(API_LIMIT_MS, "chrome.scripting.executeScript", injection);
  } catch (error) {
    throw error instanceof Fault ? error : injectionFault(textOf(error));
  }
}

export function restrictedPage(url: string): Fault {
  const page = url === "" ? "this page" : url.split(/[?#]/, 1)[0];
  return Fault.new("restricted_page", `the browser lets no extension operate ${page}`, { dispatched: "no" });
}

/** What a refused injection means. */
function injectionFault(message: string): Fault {
  if (noSuchTab(message) || /tab was closed/i.test(message)) {
    return Fault.new("runtime_not_found", message, { dispatched: "no" });
  }
  if (/must request permission/i.test(message)) {
    // It has: so says Chrome of a crashed page, and of a site that the user keeps from extensions.
    return Fault.new("restricted_page", "the page has crashed, or the user keeps extensions from this site", {
      dispatched: "no",
      next_step: 'Reload the page with browser.navigate {"reload":true}. If that does not help, ask the user to allow the extension on this site.',
    });
  }
  if (/showing error page/i.test(message)) {
    return Fault.new("restricted_page", "the tab shows the browser's error page: its address could not be loaded", {
      dispatched: "no",
      next_step: "Load it again with browser.navigate {\"reload\":true}, or go to another address with browser.navigate.",
    });
  }
  if (/cannot access|cannot be scripted/i.test(message)) {
    return Fault.new("restricted_page", message, { dispatched: "no" });
  }
  return Fault.new("runtime_not_ready", message, { dispatched: "no" });
}
