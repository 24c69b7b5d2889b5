// Rule: a key is named as in the UI Events standard; codes are those of a US
// keyboard. An unknown name is refused, because a page would ignore it.

import { PageError } from "../base/errors";
import type { Modifier } from "./mouse";

export interface Chord {
  key: string;
  code: string;
  keyCode: number;
  modifiers: Modifier[];
  /** The character it produces; empty for others and while a command key is held. */
  text: string;
}

const NAMED: Record<string, number> = {
  Backspace: 8, Tab: 9, Enter: 13, Pause: 19, CapsLock: 20, Escape: 27, PageUp: 33, PageDown: 34, End: 35, Home: 36,
  ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, PrintScreen: 44, Insert: 45, Delete: 46, ContextMenu: 93,
  Shift: 16, Control: 17, Alt: 18, Meta: 91, NumLock: 144, ScrollLock: 145,
};

const ALIASES: Record<string, string> = {
  esc: "Escape", return: "Enter", space: " ", spacebar: " ", del: "Delete", ins: "Insert", left: "ArrowLeft", right: "ArrowRight",
  up: "ArrowUp", down: "ArrowDown", ctrl: "Control", cmd: "Meta", command: "Meta", option: "Alt", plus: "+",
};

const MODIFIERS: Record<string, Modifier> = {
  alt: "alt", option: "alt", control: "control", ctrl: "control", meta: "meta", cmd: "meta", command: "meta", shift: "shift",
};

// Punctuation: its key's code and legacy number, not the character's own number
// (39 would be an arrow, 46 Delete).
const PUNCTUATION: readonly (readonly [chars: string, code: string, keyCode: number])[] = [
  [";:", "Semicolon", 186], ["=+", "Equal", 187], [",<", "Comma", 188], ["-_", "Minus", 189], [".>", "Period", 190], ["/?", "Slash", 191],
  ["`~", "Backquote", 192], ["[{", "BracketLeft", 219], ["\\|", "Backslash", 220], ["]}", "BracketRight", 221], ["'\"", "Quote", 222],
];

const SHIFTED_DIGITS = ")!@#$%^&*(";

/** Parses a key or chord; the modifiers are added to those of the chord. */
export function parseChord(key: string, names: readonly string[]): Chord {
  const pressed = splitChord(key);
  const last = pressed.pop() ?? "";
  const modifiers = [...pressed, ...names].map((name) => {
    const modifier = MODIFIERS[name.toLowerCase()];
    if (!modifier) throw new PageError("invalid_key", `no such modifier: ${name || "(empty)"}`, { key, modifier: name });
    return modifier;
  });
  return makeChord(keyName(last, key), [...new Set(modifiers)]);
}

// "+" separates a chord and is a key itself: at the end it is the key.
function splitChord(key: string): string[] {
  if (key === "+" || !key.includes("+")) return [key];
  return key.endsWith("++") ? [...key.slice(0, -2).split("+"), "+"] : key.split("+");
}

function keyName(name: string, whole: string): string {
  if ([...name].length === 1) return name;
  const lower = name.toLowerCase();
  const known = ALIASES[lower] ?? Object.keys(NAMED).find((each) => each.toLowerCase() === lower) ?? (/^f([1-9]|1\d|2[0-4])$/.test(lower) ? name.toUpperCase() : undefined);
  if (!known) throw new PageError("invalid_key", `no such key: ${name || "(empty)"}`, { key: whole });
  return known;
}

export function makeChord(name: string, modifiers: Modifier[]): Chord {
  const command = modifiers.some((m) => m !== "shift");
  const letter = /^[a-z]$/i.test(name);
  // With Shift the letter is upper case; with Control alone it is lower case.
  const key = letter ? (modifiers.includes("shift") ? name.toUpperCase() : command ? name.toLowerCase() : name) : name;
  const character = [...key].length === 1;
  return { key, ...codeOf(key), modifiers, text: character && !command ? key : "" };
}

function codeOf(key: string): { code: string; keyCode: number } {
  if (key === " ") return { code: "Space", keyCode: 32 };
  const named = NAMED[key];
  if (named !== undefined) return { code: ["Shift", "Control", "Alt", "Meta"].includes(key) ? `${key}Left` : key, keyCode: named };
  const f = /^F(\d+)$/.exec(key);
  if (f) return { code: key, keyCode: 111 + Number(f[1]) };
  if (/^[a-z]$/i.test(key)) return { code: `Key${key.toUpperCase()}`, keyCode: key.toUpperCase().charCodeAt(0) };
  const digit = /^\d$/.test(key) ? Number(key) : SHIFTED_DIGITS.indexOf(key);
  if (digit >= 0) return { code: `Digit${digit}`, keyCode: 48 + digit };
  const mark = PUNCTUATION.find(([chars]) => chars.includes(key));
  // A character without a key of its own comes from an input method: no code.
  return mark ? { code: mark[1], keyCode: mark[2] } : { code: "", keyCode: 0 };
}
