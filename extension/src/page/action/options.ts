// Rule of this file: options are named by what a person reads or by the value that
// is sent: exactly, else by a name that only one of them nearly has.

import type { Args } from "../base/args";
import { type Evidence, PageError } from "../base/errors";
import { truncate, normalize } from "../dom/read-text";

/** The options of an error are listed up to this many characters. */
const MAX_LISTED_CHARS = 4_000;
const MAX_LABEL = 80;

type By = "value" | "label" | "index";

export interface Requested {
  by: By;
  each: (string | number)[];
}

export interface Option {
  value: string;
  label: string;
  /** The place in the list, where it is known. */
  index?: number;
}

export function requestedOptions(args: Args): Requested {
  const given = (["value", "label", "index"] as const).filter((by) => args[by] !== undefined);
  const [by] = given;
  if (!by || given.length > 1) throw new PageError("invalid_input", "name the options by exactly one of value, label and index", { given });
  return { by, each: [args[by]].flat() as (string | number)[] };
}

/** Returns the one option that is meant; undefined where none is, or several are. */
export function findOption<T extends { option: Option }>(options: T[], by: By, want: string | number): T | undefined {
  const exact = options.find(({ option }) => (by === "index" ? option.index === want : by === "value" ? option.value === want : option.label === normalize(String(want))));
  if (exact || by !== "label") return exact;
  const wanted = folded(String(want));
  return only(options, (label) => label === wanted) ?? (wanted.length > 1 ? only(options, (label) => label.includes(wanted)) : undefined);
}

function only<T extends { option: Option }>(options: T[], test: (label: string) => boolean): T | undefined {
  const found = options.filter(({ option }) => test(folded(option.label)));
  return found.length === 1 ? found[0] : undefined;
}

// Without case, accents and signs.
const folded = (text: string): string => text.normalize("NFKD").replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();

/** Describes the options in an error. */
export function listed(options: Option[]): Evidence {
  const shown: Option[] = [];
  let chars = 0;
  for (const option of options) {
    const short = { ...option, value: truncate(option.value, MAX_LABEL), label: truncate(option.label, MAX_LABEL) };
    chars += JSON.stringify(short).length;
    if (chars > MAX_LISTED_CHARS) break;
    shown.push(short);
  }
  return { options: shown, option_count: options.length };
}
