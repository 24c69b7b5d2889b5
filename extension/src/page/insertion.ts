// Rule: what every way to insert text is asked, and says that it did.

export type Mode = "append" | "replace";

/** What an insertion did, beside what was asked. */
export interface Inserted {
  input_method: "native-setter" | "synthetic-paste" | "exec-command" | "text-content";
  selected_text_length: number;
  selection_sync: boolean;
  verified: boolean;
}
