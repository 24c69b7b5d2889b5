// Rule: one function per group of keys, each returning what it did. Text is edited
// by the browser's own editing commands, so that the page gets real input events
// and undo works.

import { ancestorsOf, isButton, isHTML, isInput, isSelect, isTextArea, styleOf, viewOf } from "../dom/dom";
import { editingHost, isTextField } from "../dom/editable";
import { focusOn, moveFocus } from "../dom/focus";
import { submitImplicitly } from "../dom/forms";
import { type Edit, edit as runCommand } from "../text/editing";
import type { Chord } from "./keys";

export type Effect =
  | "none" | "prevented" | "inserted_text" | "deleted_text" | "moved_caret" | "selected_text" | "moved_focus" | "clicked"
  | "toggled" | "changed_choice" | "submitted_form" | "closed_dialog" | "opened_details" | "scrolled";

const isEditable = (el: Element): boolean => isTextField(el) || editingHost(el) !== null;

/** What the key does when it goes down. */
export function defaultAction(el: Element, chord: Chord): Effect {
  const command = chord.modifiers.some((m) => m !== "shift");
  if (chord.key === "Tab") return !command && moveFocus(chord.modifiers.includes("shift")) ? "moved_focus" : "none";
  if (chord.key === "Escape") return cancel(el);
  if (chord.key === "Enter") return command ? "none" : enter(el, chord);
  if (chord.key === "a" && command && !chord.modifiers.includes("alt")) return selectAll(el);
  if (isEditable(el)) return edit(el, chord);
  if (chord.key.startsWith("Arrow")) {
    const chosen = choose(el, chord.key);
    if (chosen !== "none") return chosen;
  }
  if (chord.key === " " && activatesOnSpace(el)) return "none";
  return command ? "none" : scrollBy(el, chord);
}

/** What the key does when it comes up: Space presses buttons then. */
export function afterKeyUp(el: Element, chord: Chord): Effect {
  if (chord.key !== " " || chord.text === "" || !activatesOnSpace(el)) return "none";
  (el as HTMLElement).click();
  if (el.localName === "summary") return "opened_details";
  return isInput(el) && (el.type === "checkbox" || el.type === "radio") ? "toggled" : "clicked";
}

const PRESSABLE = new Set(["button", "submit", "reset", "image", "file", "color"]);

function activatesOnSpace(el: Element): boolean {
  return isButton(el) || el.localName === "summary" || (isInput(el) && (PRESSABLE.has(el.type) || el.type === "checkbox" || el.type === "radio"));
}

function enter(el: Element, chord: Chord): Effect {
  if (isTextArea(el) && isTextField(el)) return effectOf(runCommand(el, "insertText", "\n"), "inserted_text");
  if (isInput(el) && !PRESSABLE.has(el.type)) return submitImplicitly(el) ? "submitted_form" : "none";
  if (isSelect(el)) return submitImplicitly(el) ? "submitted_form" : "none";
  const link = (el.localName === "a" || el.localName === "area") && el.hasAttribute("href");
  if (link || activatesOnSpace(el)) {
    (el as HTMLElement).click();
    return el.localName === "summary" ? "opened_details" : "clicked";
  }
  if (!editingHost(el)) return "none";
  return effectOf(runCommand(el, chord.modifiers.includes("shift") ? "insertLineBreak" : "insertParagraph"), "inserted_text");
}

function cancel(el: Element): Effect {
  // The innermost open dialog around the focus, else the last one opened.
  const around = [...ancestorsOf(el)].find((at) => at.matches("dialog:modal, :popover-open"));
  const top = around ?? [...el.ownerDocument.querySelectorAll("dialog:modal, [popover=auto]:popover-open, [popover='']:popover-open")].at(-1);
  if (!isHTML(top)) return "none";
  if (top.localName !== "dialog") {
    top.hidePopover();
    return "closed_dialog";
  }
  if (!top.dispatchEvent(new Event("cancel", { cancelable: true }))) return "prevented";
  (top as HTMLDialogElement).close();
  return "closed_dialog";
}

function selectAll(el: Element): Effect {
  if (isInput(el) || isTextArea(el)) el.select();
  else el.ownerDocument.getSelection()?.selectAllChildren(editingHost(el) ?? el.ownerDocument.body);
  return "selected_text";
}

function edit(el: Element, chord: Chord): Effect {
  if (chord.text) return effectOf(runCommand(el, "insertText", chord.text), "inserted_text");
  const byWord = chord.modifiers.some((m) => m === "control" || m === "alt");
  if (chord.key === "Backspace" || chord.key === "Delete") return erase(el, chord.key === "Delete", byWord);
  if ((chord.key === "ArrowUp" || chord.key === "ArrowDown") && isInput(el) && el.type === "number") return step(el, chord.key === "ArrowUp");
  return moveCaret(el, chord, byWord);
}

function erase(el: Element, forward: boolean, byWord: boolean): Effect {
  const selection = el.ownerDocument.getSelection();
  if (byWord && selection?.isCollapsed) selection.modify("extend", forward ? "forward" : "backward", "word");
  return effectOf(runCommand(el, forward ? "forwardDelete" : "delete"), "deleted_text");
}

function moveCaret(el: Element, chord: Chord, byWord: boolean): Effect {
  const ends = byWord ? "documentboundary" : "lineboundary";
  const movements: Record<string, [direction: string, granularity: string]> = {
    ArrowLeft: ["left", byWord ? "word" : "character"],
    ArrowRight: ["right", byWord ? "word" : "character"],
    ArrowUp: ["backward", "line"],
    ArrowDown: ["forward", "line"],
    Home: ["backward", ends],
    End: ["forward", ends],
  };
  const movement = movements[chord.key];
  const selection = el.ownerDocument.getSelection();
  if (!movement || !selection) return "none";
  const extend = chord.modifiers.includes("shift");
  selection.modify(extend ? "extend" : "move", ...movement);
  return extend ? "selected_text" : "moved_caret";
}

const effectOf = (edit: Edit, effect: Effect): Effect => (edit === "done" ? effect : edit === "prevented" ? "prevented" : "none");

function changed(el: Element): void {
  el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  el.dispatchEvent(new Event("change", { bubbles: true }));
}

function step(el: HTMLInputElement, up: boolean): Effect {
  const before = el.value;
  if (up) el.stepUp();
  else el.stepDown();
  if (el.value === before) return "none";
  changed(el);
  return "changed_choice";
}

// Arrows choose in a select, a group of radio buttons and a slider.
function choose(el: Element, key: string): Effect {
  const forward = key === "ArrowDown" || key === "ArrowRight";
  if (isInput(el) && el.type === "range") return step(el, key === "ArrowUp" || key === "ArrowRight");
  if (isSelect(el) && !el.multiple) {
    const options = [...el.options];
    const rest = forward ? options.slice(el.selectedIndex + 1) : options.slice(0, Math.max(0, el.selectedIndex)).reverse();
    const next = rest.find((option) => !option.matches(":disabled") && !option.hidden);
    if (!next) return "none";
    el.selectedIndex = next.index;
    changed(el);
    return "changed_choice";
  }
  if (!isInput(el) || el.type !== "radio" || !el.name) return "none";
  // A group ends at its form and at its shadow root.
  const inTree = (el.getRootNode() as ParentNode).querySelectorAll<HTMLInputElement>("input[type=radio]");
  const group = [...inTree].filter((r) => r.name === el.name && r.form === el.form && !r.matches(":disabled"));
  const next = group.at((group.indexOf(el) + (forward ? 1 : -1)) % group.length);
  if (!next || next === el) return "none";
  focusOn(next);
  next.click();
  return "changed_choice";
}

function scrollBy(el: Element, chord: Chord): Effect {
  const view = viewOf(el);
  const page = view.innerHeight * 0.875;
  const whole = el.ownerDocument.documentElement.scrollHeight;
  const back = chord.modifiers.includes("shift");
  const distances: Record<string, number> = { ArrowDown: 40, ArrowUp: -40, PageDown: page, PageUp: -page, End: whole, Home: -whole, " ": back ? -page : page };
  const top = distances[chord.key];
  if (top === undefined) return "none";
  const by = [...ancestorsOf(el)].find((at) => /auto|scroll/.test(styleOf(at).overflowY) && at.scrollHeight > at.clientHeight && at !== el.ownerDocument.body);
  const position = (): number => (by ? by.scrollTop : view.scrollY);
  const before = position();
  (by ?? view).scrollBy({ top, behavior: "instant" });
  return position() === before ? "none" : "scrolled";
}
