// Rule of this file: it defines the steps of an action on a target. The page is
// prepared before real input and read after it; where the debugger may not be
// used, synthetic events replace the input.

import type { Args } from "../base/args";
import type { NavigationWatcher } from "../wait/navigation";
import type { Context } from "../wait/schedule";
import type { Need, Target } from "./actionable";
import type { PressGuard } from "./press-guard";
import type { Place } from "./redrawn";

/** The target of an action, held until its result is read. */
export interface HeldTarget extends Target {
  args: Args;
  /** The id of the real input to come; absent for synthetic events. */
  hold?: string;
  /** The URL of the target's document at the start. */
  url: string;
  guard?: PressGuard;
  /** Where it stood when its guard was armed. */
  place?: Place;
  navigation: NavigationWatcher;
  /** The events that a synthetic click sent to it. */
  events?: string[];
  /** State from before, which the action itself defines. */
  before?: unknown;
  /** Ends what listens for the outcome. Called when it is read, or never will be. */
  end?(): void;
}

/** The kind of real input that performs the action; page: only page code can, done: nothing is left to do. */
export type InputMethod = "pointer" | "text" | "keys" | "page" | "done";

export interface Prepared {
  way: InputMethod;
  /** What the host needs for it. */
  [more: string]: unknown;
}

export interface Action {
  need: Need;
  /** The target where no locator names it. */
  find?(args: Args): Target;
  /** Makes the page ready for real input. */
  prepare(held: HeldTarget, ctx: Context): Prepared | Promise<Prepared>;
  /** Returns the input needed where only real input can act on this target: then nothing is performed. */
  realInput?(held: HeldTarget): Prepared | undefined;
  /** Performs the action with synthetic events. */
  perform(held: HeldTarget, ctx: Context): void | Promise<void>;
  /** Returns the outcome; its members are part of the output. */
  readResult(held: HeldTarget, ctx: Context): Record<string, unknown> | Promise<Record<string, unknown>>;
}
