// Rule: the copy of a page is for a file that others may read. It has what the page shows and
// what its styles say, and nothing that a person has put in or that runs: values of fields,
// scripts and handlers stay behind, and what was typed is taken out wherever the page repeats
// it. The host takes out what can be known by its form.

import { PageError } from "../base/errors";
import { attributeOf, isElement, isFrame, isInput, isSelect, isTextArea, localNameOf } from "../dom/dom";
import { isExtensionElement } from "../dom/extension-elements";
import { FIELDS, isField } from "../dom/field-names";
import { isSecret, isSecretField, secretIn } from "../dom/secrets";
import { rootsIn, shadowRootOf } from "../dom/shadow";

const MAX_LENGTH = 8_000_000;
const MAX_DEPTH = 1000;
const MAX_FRAMES = 5;

/** What the copy goes without, and how often each was met. */
type Taken = Record<"scripts" | "handlers" | "values" | "secrets" | "hidden_values" | "typed_texts" | "frames" | "styles", number>;

/** What runs, asks for more or says nothing without scripts. */
const DROPPED = new Set("script noscript object embed applet portal fencedframe".split(" "));
/** The values of these are the author's: labels of buttons and names of choices. */
const AUTHORED = new Set("button submit reset image checkbox radio".split(" "));
const LEFT_OUT = /^(on.*|nonce|integrity|srcset|imagesrcset|ping|srcdoc|checked|selected|data-value|data-reactroot|jsaction)$/i;
const ADDRESSES = new Set("href src action formaction poster cite background xlink:href".split(" "));
const RUNS = /^\s*(javascript|vbscript|data|blob|file):/i;
const KEPT_META = /^(viewport|description|keywords|author|generator|robots|color-scheme|theme-color|application-name|og:.*|twitter:.*)$/i;
const ESCAPE = /%[0-9a-f]{2}|\+/i;
const ADDED = "data-actions-host-style";

/** The longest typed text that is looked for; shorter ones than these may be anything of the page's. */
const MAX_TYPED = 500;
const MIN_TYPED = 2;
const MIN_NUMBER = 4;
const MIN_HIDDEN = 12;

/** page.copy */
export function copyPage(): { html: string; url: string; title: string; taken: Taken } {
  const taken: Taken = { scripts: 0, handlers: 0, values: 0, secrets: 0, hidden_values: 0, typed_texts: 0, frames: 0, styles: 0 };
  const copy = new Copy(taken, typedIn(document));
  const html = copy.document(document, 0);
  if (html.length > MAX_LENGTH) throw new PageError("payload_too_large", `the page has ${html.length} characters; ${MAX_LENGTH} can be saved`);
  const { origin, pathname, search } = location;
  return { html, url: origin + (copy.kept(pathname) || "/") + copy.kept(search), title: copy.erased(document.title), taken };
}

class Copy {
  private readonly into = document.implementation.createHTMLDocument("");
  private length = 0;

  constructor(
    private readonly taken: Taken,
    private readonly typed: RegExp | null,
  ) {}

  /** The HTML of the document, with that of its frames. */
  document(doc: Document, level: number): string {
    const root = doc.documentElement;
    if (!root) return "";
    const copy = this.element(root, 0, level);
    const head = copy?.querySelector("head");
    if (head) this.styles(doc.adoptedStyleSheets, head);
    return `<!doctype html>\n${copy?.outerHTML ?? ""}\n`;
  }

  /** The text without what was typed, also where it is written as in an address. */
  erased(text: string): string {
    const plain = this.replaced(text);
    if (!ESCAPE.test(plain)) return plain;
    const read = decoded(plain);
    const without = this.replaced(read);
    return without === read ? plain : without;
  }

  private replaced(text: string): string {
    if (!this.typed) return text;
    return text.replace(this.typed, () => {
      this.taken.typed_texts++;
      return "[redacted]";
    });
  }

  /** A part of an address; nothing where it holds typed text. */
  kept(address: string): string {
    return this.erased(address) === address ? address : "";
  }

  private element(el: Element, depth: number, level: number): Element | null {
    const name = localNameOf(el);
    if (isExtensionElement(el)) return null;
    if (DROPPED.has(name)) {
      this.taken.scripts++;
      return null;
    }
    if (depth > MAX_DEPTH || this.length > MAX_LENGTH) throw new PageError("payload_too_large", "the page is too large or nested too deeply to be saved");
    if (name === "link") return this.link(el as HTMLLinkElement);
    if (name === "meta" && !isKept(el)) return null;
    const copy = this.into.importNode(el, false);
    this.length += 100;
    this.attributes(el, copy);
    if (isFrame(el)) this.frame(el, copy, level);
    else if (name === "style") copy.textContent = this.rules((el as HTMLStyleElement).sheet) ?? "";
    else if (!this.field(el)) this.children(el, copy, depth, level);
    return copy;
  }

  private children(el: Element, copy: Element, depth: number, level: number): void {
    const root = shadowRootOf(el);
    if (root && !isExtensionElement(el)) {
      const template = this.into.createElement("template");
      template.setAttribute("shadowrootmode", "open");
      this.nodes(root, template.content, depth + 1, level);
      this.styles(root.adoptedStyleSheets, template.content);
      copy.append(template);
    }
    const isTemplate = localNameOf(el) === "template";
    this.nodes(isTemplate ? (el as HTMLTemplateElement).content : el, isTemplate ? (copy as HTMLTemplateElement).content : copy, depth + 1, level);
  }

  private nodes(from: Node, to: Node, depth: number, level: number): void {
    for (let node = from.firstChild; node; node = node.nextSibling) {
      if (isElement(node)) {
        const copy = this.element(node, depth, level);
        if (copy) to.appendChild(copy);
      } else if (node.nodeType === 3) {
        const text = this.erased(node.nodeValue ?? "");
        this.length += text.length;
        to.appendChild(this.into.createTextNode(text));
      }
    }
  }

  private attributes(el: Element, copy: Element): void {
    const secret = isField(el) && isSecret(el);
    for (const name of Element.prototype.getAttributeNames.call(el)) {
      const value = attributeOf(el, name) ?? "";
      const lower = name.toLowerCase();
      if (/^on/.test(lower)) this.taken.handlers++;
      const gone =
        LEFT_OUT.test(lower) ||
        (lower === "value" && !this.keepsValue(el)) ||
        (secret && /^(data-|aria-value)/.test(lower)) ||
        (ADDRESSES.has(lower) && RUNS.test(value)) ||
        (lower === "style" && RUNS.test(value.replace(/^.*url\(\s*["']?/is, "")));
      if (gone) copy.removeAttribute(name);
      else if (!isName(lower)) copy.setAttribute(name, this.erased(value));
    }
  }

  private keepsValue(el: Element): boolean {
    return isInput(el) ? AUTHORED.has(el.type) : !isSecret(el);
  }

  /** Reports whether the element holds what was put in, and counts it: its content stays behind. */
  private field(el: Element): boolean {
    const editable = attributeOf(el, "contenteditable");
    const input = isInput(el) && !AUTHORED.has(el.type);
    const entered = input || isTextArea(el) || (editable !== null && editable.toLowerCase() !== "false");
    const secret = isSecretField(el);
    if (isSelect(el) || (!entered && !secret)) return false;
    if (secretIn(el) !== "") this.taken[input && el.type === "hidden" ? "hidden_values" : secret ? "secrets" : "values"]++;
    return true;
  }

  private frame(el: HTMLIFrameElement, copy: Element, level: number): void {
    copy.removeAttribute("src");
    const inner = documentOf(el);
    if (!inner || level >= MAX_FRAMES) {
      this.taken.frames++;
      return;
    }
    copy.setAttribute("srcdoc", this.document(inner, level + 1));
  }

  /** A style sheet becomes a style element: the saved page asks for nothing. */
  private link(el: HTMLLinkElement): Element | null {
    if (!/(^|\s)stylesheet(\s|$)/i.test(el.rel)) return null;
    const rules = this.rules(el.sheet);
    if (rules === null) {
      this.taken.styles++;
      return null;
    }
    const style = this.into.createElement("style");
    style.textContent = rules;
    if (el.media) style.media = el.media;
    return style;
  }

  private styles(sheets: readonly CSSStyleSheet[], to: ParentNode): void {
    for (const sheet of sheets) {
      const style = this.into.createElement("style");
      style.setAttribute(ADDED, "");
      style.textContent = this.rules(sheet) ?? "";
      to.append(style);
    }
  }

  /** The rules as they are now, null where the sheet is of another origin or was not loaded. */
  private rules(sheet: CSSStyleSheet | null): string | null {
    if (!sheet) return null;
    try {
      const text = [...sheet.cssRules].map((rule) => rule.cssText).join("\n");
      this.length += text.length;
      return text.replace(/url\((?:"[^"]*"|'[^']*'|[^)]*)\)/gi, "none").replaceAll("</", "<\\/");
    } catch {
      return null;
    }
  }
}

/** Attributes that name elements for styles and maps: they are the author's. */
const isName = (attribute: string): boolean => /^(class|id|name|for|type|role|rel|method|dir|lang|data-test.*|aria-(labelledby|describedby|controls|owns|hidden|expanded|selected|checked|live))$/.test(attribute);

function isKept(meta: Element): boolean {
  if (attributeOf(meta, "charset") !== null) return true;
  const name = attributeOf(meta, "name") ?? attributeOf(meta, "property");
  return name !== null && KEPT_META.test(name.trim());
}

function documentOf(frame: HTMLIFrameElement): Document | null {
  try {
    return frame.contentDocument;
  } catch {
    return null; // of another origin
  }
}

function decoded(text: string): string {
  return text.replaceAll("+", " ").replace(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return escaped; // not of UTF-8
    }
  });
}

/** What finds the texts that stand in the fields of the document and of its frames. */
function typedIn(doc: Document): RegExp | null {
  const texts = new Set<string>();
  const add = (text: string): void => {
    const plain = text.trim();
    const least = /^[\p{N}\p{P}\s]*$/u.test(plain) ? MIN_NUMBER : MIN_TYPED;
    if (plain.length >= least && plain.length <= MAX_TYPED) texts.add(plain);
  };
  const visit = (one: Document, level: number): void => {
    for (const root of rootsIn(one)) {
      for (const el of root.querySelectorAll(FIELDS)) {
        if (isSelect(el) || (localNameOf(el) === "output" && !isSecret(el)) || (isInput(el) && (AUTHORED.has(el.type) || el.type === "range"))) continue;
        const text = secretIn(el);
        if (isInput(el) && el.type === "hidden" && text.length < MIN_HIDDEN) continue;
        add(text);
        for (const line of text.split("\n")) add(line);
      }
      for (const frame of root.querySelectorAll("iframe, frame")) {
        const inner = documentOf(frame as HTMLIFrameElement);
        if (inner && level < MAX_FRAMES) visit(inner, level + 1);
      }
    }
  };
  visit(doc, 0);
  if (texts.size === 0) return null;
  const longestFirst = [...texts].sort((a, b) => b.length - a.length).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+"));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${longestFirst.join("|")})(?![\\p{L}\\p{N}])`, "giu");
}
