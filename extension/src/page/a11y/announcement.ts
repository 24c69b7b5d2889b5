// Rule of this file: the announcement of a screen reader after a key, as far as the
// page provides it: the text that an editor leaves for screen readers, else the
// label or value of the focused element, else the last live region with text. A
// secret is never included.

import { deepActive, isInput, isSelect, isTextArea } from "../dom/dom";
import { truncate, normalize, textOf } from "../dom/read-text";
import { isSecret } from "../dom/secrets";

const MAX_TEXT = 2000;

/** Where editors drawn on a canvas put the text for a screen reader. */
const SPEAKABLE = "#docs-aria-speakable";

const LIVE_REGIONS = "[aria-live]:not([aria-live=off]), [role=alert], [role=status], [role=log]";

/** keyboard.spoken_text: the page's part of keyboard.press_gated */
export function spokenText(): { text: string; source: "speakable" | "focus" | "live" | "none" } {
  const editor = document.querySelector(SPEAKABLE);
  const speakable = editor ? textOf(editor) : "";
  if (speakable) return { text: truncate(speakable, MAX_TEXT), source: "speakable" };
  const active = deepActive();
  const focused = active ? focusedText(active) : "";
  if (focused) return { text: truncate(focused, MAX_TEXT), source: "focus" };
  const liveText = [...document.querySelectorAll(LIVE_REGIONS)].map(textOf).filter(Boolean).at(-1) ?? "";
  return { text: truncate(liveText, MAX_TEXT), source: liveText ? "live" : "none" };
}

function focusedText(el: Element): string {
  const label = normalize(el.getAttribute("aria-label") ?? "");
  if (label) return label;
  if (isSecret(el)) return "";
  if (isSelect(el)) return normalize(el.selectedOptions[0]?.textContent ?? "");
  if (isInput(el) || isTextArea(el)) return normalize(el.value);
  return textOf(el);
}
