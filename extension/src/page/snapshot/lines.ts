// Rule of this file: one node, one line, two spaces a level, and the whole is
// YAML. What comes from the page is quoted wherever it could be read as more
// than text.

import { refFor, showAs } from "../locator/refs";
import { hintsOf } from "./hint";
import { SCOPES } from "./roles";
import type { AriaNode } from "./tree";

/** The lines and their counts. */
export interface Lines {
  lines: string[];
  refs: number;
  /** The frames whose lines come from another document, by the number of their line. */
  foreign: { line: number; frame: HTMLIFrameElement }[];
}

export function linesOf(root: AriaNode): Lines {
  const out: Lines = { lines: [], refs: 0, foreign: [] };
  for (const child of root.children) writeNode(child, "", out);
  return out;
}

function writeNode(child: AriaNode | string, indent: string, out: Lines): void {
  if (typeof child === "string") {
    out.lines.push(`${indent}- text: ${scalar(child)}`);
    return;
  }
  if (child.foreign) out.foreign.push({ line: out.lines.length, frame: child.foreign });
  const key = keyOf(child, out);
  const [single] = child.children;
  const content = child.children.length === 1 && typeof single === "string" ? single : undefined;
  const text = child.children.length === 0 ? child.value : content;
  out.lines.push(`${indent}- ${key}${text ? `: ${scalar(text)}` : ""}${text === undefined && child.children.length > 0 ? ":" : ""}`);
  if (content !== undefined) return;
  for (const nested of child.children) writeNode(nested, `${indent}  `, out);
}

function keyOf(node: AriaNode, out: Lines): string {
  const pieces = [node.role];
  if (node.name) pieces.push(JSON.stringify(node.name));
  showAs(node.el, node.name);
  if (node.control || node.foreign || SCOPES.has(node.role)) {
    pieces.push(`[ref=${refFor(node.el, node.role, node.name)}]`);
    out.refs++;
  }
  const nameless = node.control && !node.foreign && !node.name && node.value === undefined && node.children.length === 0;
  for (const state of nameless ? [...node.states, ...hintsOf(node.el)] : node.states) pieces.push(`[${state}]`);
  const key = pieces.join(" ");
  return /: | #/.test(key) ? `'${key.replace(/'/g, "''")}'` : key;
}

// Unquoted only where every YAML parser reads exactly this text.
function scalar(text: string): string {
  const starts = /^([\p{L}(/$€£]|\d+ \p{L})/u.test(text);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  const special = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]|: |:$| #|^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return starts && !special ? text : JSON.stringify(text);
}
