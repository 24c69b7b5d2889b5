// Rule: what a state projection declares is read as it is in the document, shown
// or not. Nothing is guessed and nothing is left out silently: missing required
// fields and truncation are in the diagnostics, and an invalid selector is an error
// that names its field.

import { type Args, number } from "../base/args";
import { PageError } from "../base/errors";
import { withAriaCaches } from "../dom/aria";
import { childElementsOf, isInput } from "../dom/dom";
import { toRect } from "../dom/geometry";
import { textOf, visibleTextOf } from "../dom/read-text";
import { isSecret, safeAttribute, secretFieldsIn } from "../dom/secrets";
import { queryAll, splitSelectorList } from "../dom/selectors";
import { hasShadowRoots, shadowRootOf } from "../dom/shadow";
import { byXPath, closestMatch, intersection } from "../locator/locate";
import { type Field, parseExtractors } from "./fields";

const MAX_MISSING = 100; // paths listed; missing_required_count has their number

const encoder = new TextEncoder();
/** Most texts: the encoder is slow for each call. */
const ASCII = /^[\x20-\x7e]*$/;

/** state.extract */
export function extractState(args: Args): unknown {
  const extractors = parseExtractors(args);
  const reader = new Reader(number(args, "max_bytes", 1_000_000, 1000, 16_000_000));
  const records = withAriaCaches(() => Object.fromEntries(extractors.map((field) => [field.path, reader.read(document, field, field.path)])));
  return { records, url: location.href, title: document.title, diagnostics: reader.diagnostics() };
}

class Reader {
  private readonly missing: string[] = [];
  private missingCount = 0;
  private readonly counts = new Map<string, number>();
  private truncated = false;

  /** @param remainingBytes bytes of JSON that may still be read. */
  constructor(private remainingBytes: number) {}

  diagnostics() {
    return {
      missing_required_fields: this.missing,
      missing_required_count: this.missingCount,
      selector_counts: Object.fromEntries(this.counts),
      complete: this.missingCount === 0 && !this.truncated,
      truncated: this.truncated,
    };
  }

  /** Returns the field's value below the root; place is its path with the indexes of the records. */
  read(root: Document | Element, field: Field, place: string): unknown {
    const found = this.find(root, field);
    let value: unknown = null;
    if (field.many) {
      const all: unknown[] = [];
      for (const el of found) {
        if (this.remainingBytes <= 0) {
          this.truncated = true;
          break;
        }
        all.push(this.readOne(el, field, `${place}.${all.length}`));
      }
      value = all;
    } else if (found[0]) {
      value = this.readOne(found[0], field, place);
    }
    const absent = value === null || (Array.isArray(value) && value.length === 0);
    if (field.required && (absent || value === "")) this.addMissing(place);
    return absent ? (this.fit(field.default ?? null) ?? value) : value;
  }

  // A truncated value is not the page's fault.
  private addMissing(place: string): void {
    if (this.truncated) return;
    if (this.missing.length < MAX_MISSING) this.missing.push(place);
    this.missingCount++;
  }

  private find(root: Document | Element, field: Field): Element[] {
    let found = matchesOf(root, field);
    if (found) this.counts.set(field.path, (this.counts.get(field.path) ?? 0) + found.length);
    found ??= [root.nodeType === Node.DOCUMENT_NODE ? (root as Document).documentElement : (root as Element)];
    const closest = field.closest;
    if (closest === undefined) return found;
    return [...new Set(found.map((el) => closestMatch(el, closest)).filter((el) => el !== null))];
  }

  private readOne(el: Element, field: Field, place: string): unknown {
    if (!field.fields) return this.fit(scalar(el, field));
    const entries = field.fields.map(([name, inner]) => {
      this.remainingBytes -= name.length + 4;
      return [name, this.read(el, inner, `${place}.${name}`)] as const;
    });
    this.remainingBytes -= 2;
    return Object.fromEntries(entries);
  }

  /** Returns the value, truncated to the remaining bytes. */
  private fit(value: unknown): unknown {
    if (value === null) return null;
    let size = sizeOf(value);
    if (size > this.remainingBytes) this.truncated = true;
    while (size > this.remainingBytes && typeof value === "string" && value !== "") {
      value = value.slice(0, Math.floor(value.length / 2));
      size = sizeOf(value);
    }
    if (size > this.remainingBytes) value = null;
    this.remainingBytes -= size;
    return value;
  }
}

/** Bytes of JSON, with a comma. */
function sizeOf(value: unknown): number {
  const json = JSON.stringify(value);
  return (ASCII.test(json) ? json.length : encoder.encode(json).length) + 1;
}

/** All matches below the root, undefined where the field has no locator. */
function matchesOf(root: Document | Element, field: Field): Element[] | undefined {
  let found: Element[] | undefined;
  if (field.xpath !== undefined) found = byXPath(root, field.xpath);
  const selector = field.selector;
  if (selector === undefined) return found;
  found = intersection(found, queryAll(root, selector).filter((el) => el !== root));
  // One value takes the first fallback that matches; a list is read as a person
  // reads it, whatever part of the selector found the element.
  const mixed = field.many && found.length > 1 && (splitSelectorList(selector).length > 1 || hasShadowRoots(root));
  return mixed ? inOrder(root, new Set(found)) : found;
}

/** The elements in the order of the tree, the content of a shadow root before its host's children. */
function inOrder(root: Document | Element, wanted: Set<Element>): Element[] {
  const ordered: Element[] = [];
  const visit = (parent: Node): void => {
    for (const el of childElementsOf(parent)) {
      if (wanted.has(el)) ordered.push(el);
      const shadow = shadowRootOf(el);
      if (shadow) visit(shadow);
      visit(el);
    }
  };
  const shadow = root.nodeType === Node.ELEMENT_NODE ? shadowRootOf(root as Element) : null;
  if (shadow) visit(shadow);
  visit(root);
  return ordered;
}

function scalar(el: Element, field: Field): unknown {
  const value = field.attribute === undefined ? property(el, field.property) : safeAttribute(el, field.attribute);
  return typeof value === "string" && field.trim ? value.trim() : value;
}

function property(el: Element, name: string | undefined): unknown {
  const html = el as HTMLInputElement;
  switch (name) {
    case undefined:
      return textAsRead(html);
    case "innerText":
      return hidesText(el) ? null : holdsSecrets(el) ? visibleTextOf(el) : (html.innerText ?? null);
    case "textContent":
      return hidesText(el) ? null : holdsSecrets(el) ? textOf(el) : el.textContent;
    case "ariaLabel":
      return el.ariaLabel;
    case "boundingClientRect":
      return toRect(el.getBoundingClientRect());
    case "checked":
      return typeof html.checked === "boolean" ? html.checked : null;
    case "value":
      return isSecret(el) || !["string", "number"].includes(typeof html.value) ? null : html.value;
    default:
      throw new PageError("invalid_arguments", `the property ${name} cannot be read`, { argument: "property" });
  }
}

/** The value of an input is no text of it. */
const hidesText = (el: Element): boolean => !isInput(el) && isSecret(el);

/** Of such an element the browser's own text would tell them. */
const holdsSecrets = (el: Element): boolean => secretFieldsIn(el).some((field) => !isInput(field));

// innerText ignores shadow roots: where it is empty, the text is read as drawn.
function textAsRead(el: HTMLElement): string | null {
  if (hidesText(el)) return "";
  if (holdsSecrets(el)) return visibleTextOf(el);
  const text = el.innerText ?? el.textContent;
  return !text?.trim() && hasShadowRoots(el) ? textOf(el) : text;
}
