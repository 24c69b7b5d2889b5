// Rule of this file: what a screen reader would say after a key, as far as the
// page tells it: the words an editor leaves for screen readers, else what the
// focused element is called or holds, else the last live region that says
// anything. A secret is never read out.

import { deepActive, isInput, isSelect, isTextArea } from "./dom";
import { cut, normalize, textOf } from "./read-text";
import { isSecret } from "./secrets";

const MAX = 2000;

/** Where editors drawn on a canvas put the words for a screen reader. */
const SPEAKABLE = "#docs-aria-speakable";

const LIVE = "[aria-live]:not([aria-live=off]), [role=alert], [role=status], [role=log]";

/** keyboard.spoken_text: the page's part of keyboard.press_gated */
export function spokenText(): { text: string; source: "speakable" | "focus" | "live" | "none" } {
  const editor = document.querySelector(SPEAKABLE);
  const speakable = editor ? textOf(editor) : "";
  if (speakable) return { text: cut(speakable, MAX), source: "speakable" };
  const active = deepActive();
  const focused = active ? wordsOf(active) : "";
  if (focused) return { text: cut(focused, MAX), source: "focus" };
  const said = [...document.querySelectorAll(LIVE)].map(textOf).filter(Boolean).at(-1) ?? "";
  return { text: cut(said, MAX), source: said ? "live" : "none" };
}

function wordsOf(el: Element): string {
  const label = normalize(el.getAttribute("aria-label") ?? "");
  if (label) return label;
  if (isSelect(el)) return normalize(el.selectedOptions[0]?.textContent ?? "");
  if (isInput(el) || isTextArea(el)) return isSecret(el) ? "" : normalize(el.value);
  return textOf(el);
}
