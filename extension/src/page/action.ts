// Rule of this file: it says what an action on a target is made of. Before real
// input the page is made ready, after it the page is read; where the debugger
// may not be used, synthetic events stand in between.

import type { Need, Target } from "./actionable";
import type { Args } from "./args";
import type { Guard } from "./guard";
import type { Leaving } from "./leaving";
import type { Context } from "./settle";

/** A target that an action has taken up, until it is read back. */
export interface Held extends Target {
  args: Args;
  /** Of the target's document when it was taken up. */
  url: string;
  guard?: Guard;
  leaving: Leaving;
  /** Events that a synthetic click gave it. */
  events?: string[];
  /** What the action itself remembers from before. */
  before?: unknown;
}

/** How real input does the action; page: only page code can, done: nothing is left to do. */
export type Way = "pointer" | "text" | "keys" | "page" | "done";

export interface Ready {
  way: Way;
  /** What the host needs for it. */
  [more: string]: unknown;
}

export interface Action {
  need: Need;
  /** The target where no locator names it. */
  find?(args: Args): Target;
  /** Makes the page ready for real input. */
  ready(held: Held, ctx: Context): Ready | Promise<Ready>;
  /** What only real input can do to this target: then nothing is performed, and the host is told. */
  instead?(held: Held): Ready | undefined;
  /** Does it with synthetic events. */
  perform(held: Held, ctx: Context): void | Promise<void>;
  /** What became of it; the members are part of the output. */
  read(held: Held, ctx: Context): Record<string, unknown> | Promise<Record<string, unknown>>;
}
