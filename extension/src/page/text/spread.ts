// Rule of this file: a code is often entered in several fields of one character each. What
// is put into one of them goes on into those that follow it, and has arrived if together
// they hold it.

import { type TextField, isTextField } from "../dom/editable";
import { isSecret } from "../dom/secrets";
import { queryAll } from "../dom/selectors";

const MAX_FIELDS = 20;

/** What a text that was put into several fields has become. */
export interface Arrival {
  sensitive: boolean;
  /** True where the fields hold the text now; null where they held it before as well. */
  verified: true | null;
}

/** Watches a field and those that may take the rest of its text. */
export class SpreadText {
  private readonly before: Map<TextField, string>;

  constructor(private readonly field: TextField) {
    const all = queryAll(field.ownerDocument, "input, textarea").filter(isTextField);
    const group = all.filter((other) => other.form === field.form);
    this.before = new Map(group.slice(group.indexOf(field), group.indexOf(field) + MAX_FIELDS).map((other) => [other, other.value]));
  }

  /** Returns how the text arrived in the field and the next ones; undefined if it is not there. */
  arrival(text: string): Arrival | undefined {
    const wanted = withoutGaps(text);
    let joined = "";
    const taken: TextField[] = [];
    for (const field of this.before.keys()) {
      if (joined.length >= wanted.length || field.value === "") break;
      joined += withoutGaps(field.value);
      taken.push(field);
    }
    if (taken.length < 2 || taken[0] !== this.field || joined !== wanted) return undefined;
    const changed = taken.some((field) => field.value !== this.before.get(field));
    return { sensitive: taken.some(isSecret), verified: changed || null };
  }
}

// The fields stand for what separates the parts.
const withoutGaps = (text: string): string => text.replace(/[\s-]/g, "");
