// Rule of this file: one node, one line, two spaces a level, and the whole is
// YAML. What comes from the page is quoted wherever it could be read as more
// than text.

import { refAs } from "./refs";
import { SCOPES } from "./snapshot-roles";
import type { AriaNode } from "./snapshot-tree";

/** The lines and what was counted on the way. */
export interface Lines {
  lines: string[];
  refs: number;
  /** The frames whose lines another document gives, by the number of their line. */
  foreign: { line: number; frame: HTMLIFrameElement }[];
}

export function linesOf(root: AriaNode): Lines {
  const out: Lines = { lines: [], refs: 0, foreign: [] };
  for (const child of root.children) write(child, "", out);
  return out;
}

function write(child: AriaNode | string, indent: string, out: Lines): void {
  if (typeof child === "string") {
    out.lines.push(`${indent}- text: ${scalar(child)}`);
    return;
  }
  if (child.foreign) out.foreign.push({ line: out.lines.length, frame: child.foreign });
  const key = keyOf(child, out);
  const [only] = child.children;
  const content = child.children.length === 1 && typeof only === "string" ? only : undefined;
  const text = child.children.length === 0 ? child.value : content;
  out.lines.push(`${indent}- ${key}${text ? `: ${scalar(text)}` : ""}${text === undefined && child.children.length > 0 ? ":" : ""}`);
  if (content !== undefined) return;
  for (const next of child.children) write(next, `${indent}  `, out);
}

function keyOf(node: AriaNode, out: Lines): string {
  const parts = [node.role];
  if (node.name) parts.push(JSON.stringify(node.name));
  if (node.control || node.foreign || SCOPES.has(node.role)) {
    parts.push(`[ref=${refAs(node.el, node.role, node.name)}]`);
    out.refs++;
  }
  for (const state of node.states) parts.push(`[${state}]`);
  const key = parts.join(" ");
  return /: | #/.test(key) ? `'${key.replace(/'/g, "''")}'` : key;
}

// Plain where no reader of YAML could take it for anything but this text.
function scalar(text: string): string {
  const starts = /^([\p{L}(/$€£]|\d+ \p{L})/u.test(text);
  const special = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]|: |:$| #|^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return starts && !special ? text : JSON.stringify(text);
}
