// Rule of this file: it follows the main frame of one tab from before a
// navigation to its end, by events alone. What belongs to an older navigation,
// or to the page's own doings, must not be taken for this one's.

import { Fault } from "../shared/fault";
import type { DocumentEvent, Documents } from "./documents";

/** A page that sends itself on aborts its first load; the next one begins within this time. */
const ABORT_GRACE_DELAY_MS = 500;

/** The course of one navigation. */
export class NavigationWatch {
  /** True with a new document, false when the old one stayed; fails when nothing was loaded. */
  readonly moved: Promise<boolean>;
  /** True when a new document is parsed, false when the time was over first. */
  readonly parsed: Promise<boolean>;
  /** Settles when the time is over. */
  readonly over: Promise<void>;
  /** Whether the time is over. */
  ended = false;

  private settleMoved: (replaced: boolean) => void = () => {};
  private settleParsed: (done: boolean) => void = () => {};
  private settleOver: () => void = () => {};
  private reject: (why: Fault) => void = () => {};
  private newest: string;
  private giveUp: ReturnType<typeof setTimeout> | undefined;
  private readonly unwatch: () => void;

  /** `mayStay` means that the address differs from the current one at most in its fragment. */
  constructor(
    documents: Documents,
    tabId: number,
    private readonly previous: string,
    private readonly mayStay: boolean,
  ) {
    this.newest = previous;
    this.over = new Promise((resolve) => (this.settleOver = resolve));
    this.parsed = new Promise((resolve) => (this.settleParsed = resolve));
    this.moved = new Promise((resolve, reject) => {
      this.settleMoved = resolve;
      this.reject = reject;
    });
    this.moved.catch(() => {}); // it may fail while the start is still awaited
    this.unwatch = documents.watch((id, event) => {
      if (id === tabId) this.onEvent(event);
    });
  }

  stop(): void {
    clearTimeout(this.giveUp);
    this.unwatch();
  }

  /** Ends the wait at the timeout: without a new document as a failure, with one as an incomplete load. */
  onTimeout(): void {
    this.fail(Fault.new("timeout", "the page did not begin to load in time", { dispatched: "yes" }));
  }

  /** Ends all waiting; promises that have settled already stay as they are. */
  fail(why: Fault): void {
    this.ended = true;
    this.reject(why);
    this.settleParsed(false);
    this.settleOver();
  }

  private onEvent(event: DocumentEvent): void {
    switch (event.kind) {
      case "begun":
        clearTimeout(this.giveUp);
        return;
      case "replaced":
        clearTimeout(this.giveUp);
        // The browser's error page is a new document too; its reason follows.
        if (event.runtime.failed) return this.failSoon("the browser shows an error page");
        this.newest = event.runtime.id;
        this.settleMoved(true);
        return;
      case "moved":
        if (this.mayStay && this.newest === this.previous) this.settleMoved(false);
        return;
      case "parsed":
        if (event.runtimeId === this.newest && this.newest !== this.previous) this.settleParsed(true);
        return;
      case "failed":
        // The load that this navigation pushes aside is aborted as well: only
        // silence after it means that nothing was loaded.
        if (event.error === "net::ERR_ABORTED") return this.failSoon(event.error);
        this.fail(failed(event.error));
    }
  }

  private failSoon(error: string): void {
    clearTimeout(this.giveUp);
    this.giveUp = setTimeout(() => this.fail(failed(error)), ABORT_GRACE_DELAY_MS);
  }
}

function failed(error: string): Fault {
  return Fault.new("navigation_failed", `the page could not be loaded: ${error}`, { dispatched: "yes", evidence: { error } });
}
