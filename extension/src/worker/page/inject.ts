// Rule of this file: a document has the content script once, and only while
// its tab is claimed. A script that is alive already is found by a greeting,
// not replaced: a second one would break what the first is doing.

import { API_TIMEOUT_MS, withApiTimeout, withTimeout } from "../shared/async";
import { Fault, textOf } from "../shared/fault";
import { restricted } from "../shared/urls";
import type { Claims } from "../tabs/claims";
import type { Documents, Runtime } from "../tabs/documents";
import { noSuchTab } from "../tabs/tabs";

const SCRIPT = "page.js";
/** A live content script answers a greeting in about a millisecond. */
const HELLO_TIMEOUT_MS = 1_000;

/** Chrome's error messages for a document that went away before it answered. */
export const CHANNEL_CLOSED = /channel (is )?closed|port closed|back\/forward cache/i;

/** Reports whether Chrome's error means that the document has no listener, so nothing was dispatched. */
export function hasNoReceiver(error: unknown): boolean {
  return /receiving end does not exist/i.test(textOf(error));
}

/** Injects the content script into documents. */
export class Injector {
  /** Called when the content script runs in a document. */
  onReady: (tabId: number, runtime: Runtime) => void = () => {};

  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
  ) {}

  /** Waits until the content script runs in the document; the first caller starts it. */
  ensure(tabId: number, runtime: Runtime): Promise<void> {
    runtime.script ??= this.load(tabId, runtime).catch((error: unknown) => {
      runtime.script = undefined; // the next caller tries again
      throw error;
    });
    return runtime.script;
  }

  /** Marks the document as having no content script. */
  onScriptMissing(runtime: Runtime): void {
    runtime.script = undefined;
    runtime.ready = false;
  }

  private async load(tabId: number, runtime: Runtime): Promise<void> {
    this.claims.demand(tabId);
    if (restricted(runtime.url)) throw restrictedPage(runtime.url);
    if (!(await this.isAlive(tabId, runtime))) await this.inject(tabId);
    const now = this.documents.current(tabId);
    if (now?.id !== runtime.id) {
      throw documentGone();
    }
    runtime.ready = true;
    this.onReady(tabId, runtime);
  }

  private async isAlive(tabId: number, runtime: Runtime): Promise<boolean> {
    try {
      const hello = chrome.tabs.sendMessage(tabId, { kind: "hello" }, { documentId: runtime.id });
      const answer: unknown = await withTimeout(HELLO_TIMEOUT_MS, "the content script", hello);
      return typeof answer === "object" && answer !== null && (answer as { ok?: unknown }).ok === true;
    } catch (error) {
      if (hasNoReceiver(error) || error instanceof Fault) return false;
      throw Fault.new("runtime_not_ready", textOf(error), { dispatched: "no" });
    }
  }

  private async inject(tabId: number): Promise<void> {
    await inject({ tabId });
    // The script may have landed in a newer document than the one meant.
    await withApiTimeout("the current document", this.documents.refresh(tabId));
  }
}

/** Runs the content script, or another one, in the tab's own document, or in those that are named. */
export async function inject(target: chrome.scripting.InjectionTarget, file = SCRIPT): Promise<void> {
  const injection = chrome.scripting.executeScript({ target, files: [file], injectImmediately: true });
  try {
    await withTimeout(API_TIMEOUT_MS, "chrome.scripting.executeScript", injection);
  } catch (error) {
    throw error instanceof Fault ? error : injectionFault(textOf(error));
  }
}

export function documentGone(): Fault {
  return Fault.new("runtime_replaced", "the document was replaced before the content script ran", { dispatched: "no" });
}

export function restrictedPage(url: string): Fault {
  const page = url === "" ? "this page" : url.split(/[?#]/, 1)[0];
  return Fault.new("restricted_page", `the browser lets no extension operate ${page}`, { dispatched: "no" });
}

/** Converts Chrome's error for a refused injection to a Fault. */
function injectionFault(message: string): Fault {
  if (noSuchTab(message) || /tab was closed/i.test(message)) {
    return Fault.new("runtime_not_found", message, { dispatched: "no" });
  }
  if (/no document with id|frame with id \d+ was removed/i.test(message)) return documentGone();
  if (/must request permission/i.test(message)) {
    // It has the permission: Chrome reports this for a crashed page, and for a site that the user keeps from extensions.
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
