// Rule: text is edited by the browser's own commands, so that undo works and
// the page gets real input events. They send no beforeinput, on which editors
// rely; it is sent here, and what the page prevents is not done.

export type Mode = "append" | "replace";

/** What an insertion did, as part of the output. */
export interface Inserted {
  input_method: "native-setter" | "synthetic-paste" | "exec-command" | "text-content";
  selected_text_length: number;
  selection_sync: boolean;
  verified: boolean;
}

export type Edit = "done" | "prevented" | "failed";

type Command = "insertText" | "insertHTML" | "insertLineBreak" | "insertParagraph" | "delete" | "forwardDelete";

const INPUT_TYPES: Record<Command, string> = {
  insertText: "insertText",
  insertHTML: "insertFromPaste",
  insertLineBreak: "insertLineBreak",
  insertParagraph: "insertParagraph",
  delete: "deleteContentBackward",
  forwardDelete: "deleteContentForward",
};

/** Runs an editing command on the focused element. */
export function edit(el: Element, command: Command, data?: string): Edit {
  const init: InputEventInit = { bubbles: true, composed: true, cancelable: true, inputType: INPUT_TYPES[command], data: data ?? null };
  if (!el.dispatchEvent(new InputEvent("beforeinput", init))) return "prevented";
  return el.ownerDocument.execCommand(command, false, data) ? "done" : "failed";
}
