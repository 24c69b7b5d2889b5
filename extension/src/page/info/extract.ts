// Rule: rows come from elements that repeat. Rows left out are counted, so that the
// visible part of a list is never taken for the whole.

import { type Args, flag, isObject, requiredText, number, object, text, texts } from "../base/args";
import { PageError } from "../base/errors";
import { textOf } from "../dom/read-text";
import { safeAttribute } from "../dom/secrets";
import { queryAll } from "../dom/selectors";
import { isRendered, isVisible } from "../dom/visibility";
import { resolveScope, scopeText } from "../locator/scope";
import { checkPayload } from "./payload";

interface Field {
  name: string;
  selector: string;
  attributes: string[];
}

type Row = Record<string, string | null>;

function parseFields(args: Args): Field[] {
  const fields = Array.isArray(args.fields) ? args.fields : [];
  if (fields.length === 0) throw new PageError("invalid_arguments", "fields must name at least one field", { argument: "fields" });
  return fields.map((field: unknown) => {
    if (!isObject(field)) throw new PageError("invalid_arguments", "each field must be an object", { argument: "fields" });
    const one = text(field, "attribute");
    const names = [...(one === undefined ? [] : [one]), ...(texts(field, "attributes") ?? [])];
    return { name: requiredText(field, "name"), selector: text(field, "selector") ?? ":scope", attributes: names.length > 0 ? names : ["text"] };
  });
}

/** browser.extract_elements */
export function extract(args: Args): unknown {
  const itemSelector = requiredText(args, "item_selector");
  const fields = parseFields(args);
  const onlyVisible = flag(args, "visible_only", true);
  const scope = resolveScope(object(args, "scope"), itemSelector);
  const found = queryAll(scope.root, itemSelector);
  const shown = found.filter(isVisible);
  const rows = new Map<string, Row>();
  for (const item of onlyVisible ? shown : found) {
    const row = Object.fromEntries(fields.map((field) => [field.name, read(item, field, onlyVisible)]));
    if (Object.values(row).some((value) => value !== null)) rows.set(JSON.stringify(row), row);
  }
  const all = [...rows.values()];
  const items = all.slice(0, number(args, "max_matches", 200, 1, 2000));
  checkPayload(items, number(args, "max_payload_bytes", 64_000, 1000, 256_000), { item_selector: itemSelector });
  return {
    scope: { text: scopeText(scope.root), selector_count: scope.matched },
    items,
    item_count: items.length,
    total_count: found.length,
    hidden_count: found.length - shown.length,
    truncated: all.length > items.length,
    extracted_at: new Date().toISOString(),
    url: location.href,
  };
}

// The first non-empty value over the matching elements and the attributes.
function read(item: Element, field: Field, onlyVisible: boolean): string | null {
  const within = field.selector === ":scope" ? [item] : queryAll(item, field.selector);
  for (const el of within) {
    // Part of a visible item may be off screen; what is not rendered at all has no value.
    if (onlyVisible && el !== item && !isRendered(el)) continue;
    for (const name of field.attributes) {
      const value = attribute(el, name);
      if (value) return value;
    }
  }
  return null;
}

function attribute(el: Element, name: string): string | null {
  if (name === "text") return textOf(el);
  // The properties have the address resolved against the document.
  if (name === "href" || name === "src" || name === "currentSrc") {
    const value = (el as unknown as Record<string, unknown>)[name];
    if (typeof value === "string") return value;
  }
  return safeAttribute(el, name);
}
