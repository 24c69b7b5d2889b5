// Rule of this file: the mirror of the host's claims. It is restored before
// any event is handled, and every command for a tab that is not in it is
// refused here, whatever the host says. It grows only by a tab that the user
// has just handed over; everything else can only make it smaller.

import { asked } from "./bounded";
import { Fault, report } from "./fault";

/** What the worker must still know of a claimed tab after it was restarted. */
export interface ClaimNotes {
  /** The tab group that the tab was put in; absent where grouping failed. */
  group_id?: number;
  /** The debugger is attached to the tab by this extension. */
  debugger_attached?: boolean;
  /** The user ended the debugger from the browser's bar: do not attach again. */
  debugger_refused?: boolean;
  /** The page shows a dialog: what the browser's event said of it. */
  dialog?: Record<string, unknown> | undefined;
}

const KEY = "claims";

/** The claimed tabs of this browser session. */
export class Claims {
  private readonly notes = new Map<number, ClaimNotes>();
  private readonly offered = new Set<number>();
  private loading: Promise<void> | undefined;

  /** Told of every change of the mirror, and when it is restored. */
  onChange: () => void = () => {};

  /** Reads the mirror once. A failed attempt is not remembered: the next event tries again. */
  restored(): Promise<void> {
    this.loading ??= this.load().catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    return this.loading;
  }

  private async load(): Promise<void> {
    const stored = await asked("chrome.storage.session.get", chrome.storage.session.get(KEY));
    const entries = (stored[KEY] ?? {}) as Record<string, ClaimNotes>;
    for (const [id, notes] of Object.entries(entries)) this.notes.set(Number(id), notes);
    this.onChange();
  }

  has(tabId: number): boolean {
    return this.notes.has(tabId);
  }

  ids(): number[] {
    return [...this.notes.keys()];
  }

  /** Throws tab_not_claimed unless the tab is in the mirror. */
  demand(tabId: number): void {
    if (!this.has(tabId)) {
      throw Fault.new("tab_not_claimed", `tab ${tabId} is not under control`, { dispatched: "no" });
    }
  }

  /** The notes of a claimed tab; empty for any other. */
  notesOf(tabId: number): Readonly<ClaimNotes> {
    return this.notes.get(tabId) ?? {};
  }

  /** Adds to the notes of a claimed tab; a tab that was released meanwhile stays so. */
  note(tabId: number, more: ClaimNotes): void {
    const notes = this.notes.get(tabId);
    if (!notes) return;
    Object.assign(notes, more);
    this.save();
  }

  /** The user hands the tab over: the host's next answers may name it. */
  offer(tabId: number): void {
    this.offered.add(tabId);
  }

  /** The hand-over is through or has failed. */
  settle(tabId: number): void {
    this.offered.delete(tabId);
  }

  /** Takes the host's complete list; gives the tabs that are no longer claimed. */
  accept(tabIds: readonly number[]): number[] {
    const wanted = new Set(tabIds);
    const removed = this.ids().filter((id) => !wanted.has(id));
    for (const id of removed) this.notes.delete(id);
    for (const id of wanted) {
      if (this.notes.has(id)) continue;
      if (this.offered.has(id)) this.notes.set(id, {});
      else report("The host named a claim that the user did not make", `tab ${id}`);
    }
    this.save();
    return removed;
  }

  /** Ends one claim at once, before the host knows. */
  drop(tabId: number): boolean {
    this.offered.delete(tabId);
    const had = this.notes.delete(tabId);
    if (had) this.save();
    return had;
  }

  /** Writes are sent in order, so that the last one stands. */
  private save(): void {
    this.onChange();
    asked("chrome.storage.session.set", chrome.storage.session.set({ [KEY]: Object.fromEntries(this.notes) })).catch(
      (error: unknown) => report("The mirror of the claims was not saved", error),
    );
  }
}
