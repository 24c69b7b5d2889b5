// Rule of this file: what a style sheet writes is read as its alternative text
// says, else as it is drawn. A picture, and a letter of an icon font, say nothing
// without an alternative text.

import { attributeOf, viewOf } from "./dom";

/** The text of the pseudo-element, with spaces around that of a block. */
export function generatedText(el: Element, pseudo: "::before" | "::after", hiddenToo: boolean): string {
  const style = viewOf(el).getComputedStyle(el, pseudo);
  const { content } = style;
  if (content === "none" || content === "normal" || content === "" || style.display === "none") return "";
  if (style.visibility !== "visible" && !hiddenToo) return "";
  const text = contentText(el, content);
  return style.display === "inline" ? text : ` ${text} `;
}

/** The alternative text of a picture that a style sheet puts in the place of the element; undefined where it puts none. */
export function replacedText(el: Element, style: CSSStyleDeclaration): string | undefined {
  const { content } = style;
  return /^(url|image-set|[a-z-]*gradient)\(/.test(content) && content.includes(" / ") ? contentText(el, content) : undefined;
}

const STRING = String.raw`"(?:[^"\\]|\\[\s\S])*"`;
const TOKEN = new RegExp(String.raw`${STRING}|attr\([^)]*\)|[a-z-]+\((?:${STRING}|[^")])*\)|/|[a-z-]+`, "gi");
const PRIVATE_USE = /[\ue000-\uf8ff]/g;

function contentText(el: Element, content: string): string {
  const tokens: string[] = content.match(TOKEN) ?? [];
  const slash = tokens.indexOf("/");
  const text = tokens.slice(slash + 1).map((token) => tokenText(el, token)).join("");
  return slash < 0 ? text.replace(PRIVATE_USE, "") : text;
}

function tokenText(el: Element, token: string): string {
  if (token.startsWith('"')) return unescaped(token.slice(1, -1));
  if (token === "open-quote") return "“";
  if (token === "close-quote") return "”";
  const attribute = /^attr\(\s*([^\s,)]+)/i.exec(token)?.[1];
  return attribute ? (attributeOf(el, attribute) ?? "") : "";
}

function unescaped(text: string): string {
  return text.replace(/\\(?:([0-9a-f]{1,6}) ?|([\s\S]))/gi, (_, hex?: string, char?: string) => (hex ? String.fromCodePoint(Number.parseInt(hex, 16)) : (char ?? "")));
}
