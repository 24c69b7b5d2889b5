// Rule of this file: the mirror of the host's claims. It is restored before
// any event is handled, and every command for a tab that is not in it is
// refused here, whatever the host requests. It grows only by a tab that the user
// has just handed over; everything else can only make it smaller.

import type { SavedHold } from "../input/hold";
import { demandUnended, once, withApiTimeout } from "../shared/async";
import { Fault, report } from "../shared/fault";

/** The state of a claimed tab that outlives a restart of the worker. */
export interface ClaimState {
  /** The tab group that the tab was put in; absent where grouping failed. */
  group_id?: number;
  /** The debugger is attached to the tab by this extension. */
  debugger_attached?: boolean;
  /** The user ended the debugger from the browser's bar: do not attach again. */
  debugger_refused?: boolean;
  /** The page shows a dialog: the parameters of the browser's event. */
  dialog?: Record<string, unknown> | undefined;
  /** While it is recorded: what was typed, by the token that stands for it. */
  typed?: Record<string, string> | undefined;
  /** While it is recorded: what was chosen in selects, by token. */
  chosen?: Record<string, string> | undefined;
  /** While it is recorded: hashes of what fields for secrets held, by salt. */
  secrets?: Record<string, { length: number; hash: string }> | undefined;
  /** Frames are held while real input lasts. */
  hold?: SavedHold | undefined;
  /** The style under which the tab's frames are not drawn. */
  cover?: string | undefined;
}

const KEY = "claims";

/** The claimed tabs of this browser session. */
export class Claims {
  private readonly states = new Map<number, ClaimState>();
  private readonly offered = new Set<number>();

  /** Reads the mirror once. A failed attempt is not remembered: the next event tries again. */
  readonly restored = once(() => this.load());

  private async load(): Promise<void> {
    const stored = await withApiTimeout("chrome.storage.session.get", chrome.storage.session.get(KEY));
    const entries = (stored[KEY] ?? {}) as Record<string, ClaimState>;
    for (const [id, state] of Object.entries(entries)) this.states.set(Number(id), state);
  }

  has(tabId: number): boolean {
    return this.states.has(tabId);
  }

  ids(): number[] {
    return [...this.states.keys()];
  }

  /** Throws tab_not_claimed unless the tab is in the mirror. */
  demand(tabId: number): void {
    if (!this.has(tabId)) {
      throw Fault.new("tab_not_claimed", `tab ${tabId} is not under control`, { dispatched: "no" });
    }
  }

  /** Like demand, once what a call needs is there, which may take a while: throws too if its caller has cancelled. */
  demandStill(tabId: number, signal: AbortSignal): void {
    demandUnended(signal);
    this.demand(tabId);
  }

  /** Returns the state of a claimed tab; empty for any other. */
  stateOf(tabId: number): Readonly<ClaimState> {
    return this.states.get(tabId) ?? {};
  }

  /** Changes the state of a claimed tab; a tab that was released meanwhile stays released. */
  update(tabId: number, changes: ClaimState): void {
    const state = this.states.get(tabId);
    if (!state) return;
    Object.assign(state, changes);
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

  /** Takes the host's complete list; returns the tabs that are no longer claimed, and those in the list that are not the user's. */
  accept(tabIds: readonly number[]): { removed: number[]; refused: number[] } {
    const wanted = new Set(tabIds);
    const refused: number[] = [];
    const removed = this.ids().filter((id) => !wanted.has(id));
    for (const id of removed) this.states.delete(id);
    for (const id of wanted) {
      if (this.states.has(id)) continue;
      if (this.offered.has(id)) this.states.set(id, {});
      else {
        refused.push(id);
        report("The host named a claim that the user did not make", `tab ${id}`);
      }
    }
    this.save();
    return { removed, refused };
  }

  /** Ends one claim at once, before the host knows. */
  drop(tabId: number): boolean {
    this.offered.delete(tabId);
    const had = this.states.delete(tabId);
    if (had) this.save();
    return had;
  }

  /** Writes the mirror. Writes are sent in order, so that the last one wins. */
  private save(): void {
    withApiTimeout("chrome.storage.session.set", chrome.storage.session.set({ [KEY]: Object.fromEntries(this.states) })).catch(
      (error: unknown) => report("The mirror of the claims was not saved", error),
    );
  }
}
