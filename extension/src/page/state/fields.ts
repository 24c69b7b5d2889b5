// Rule: all fields are checked before anything is read, so that an error in a field
// is reported even where no record reaches it.

import { type Args, flag, isObject, requiredText, object, text } from "../base/args";
import { type Evidence, PageError } from "../base/errors";
import { queryAll } from "../dom/selectors";
import { byXPath, closestMatch } from "../locator/locate";

/** An extractor or a field of one. */
export interface Field {
  /** The declared path, such as lists.cards. */
  path: string;
  selector?: string;
  xpath?: string;
  closest?: string;
  attribute?: string;
  property?: string;
  many: boolean;
  required: boolean;
  trim: boolean;
  default: unknown;
  /** Where a match is read as an object. */
  fields?: [name: string, field: Field][];
}

/** The extractors of the arguments; each path is its id. */
export function parseExtractors(args: Args): Field[] {
  if (!Array.isArray(args.extract)) throw new PageError("invalid_arguments", "extract must be a list", { argument: "extract" });
  return args.extract.map((extractor: unknown) => {
    if (!isObject(extractor)) throw new PageError("invalid_arguments", "each extractor must be an object", { argument: "extract" });
    const field = parseField(extractor, requiredText(extractor, "id"));
    // Records are a list unless the map says otherwise; texts always are.
    return { ...field, many: field.fields ? flag(extractor, "many", true) : true };
  });
}

function parseField(args: Args, path: string): Field {
  const field: Field = {
    path,
    selector: text(args, "selector"),
    xpath: text(args, "xpath"),
    closest: text(args, "closest"),
    attribute: text(args, "attribute"),
    property: text(args, "property"),
    many: flag(args, "many", false),
    required: flag(args, "required", false),
    trim: flag(args, "trim", false),
    default: args.default,
  };
  checkSelectors(field);
  const fields = object(args, "fields");
  if (!fields) return field;
  const inner = Object.entries(fields).map(([name, value]): [string, Field] => {
    if (!isObject(value)) throw new PageError("invalid_arguments", `the field ${path}.${name} must be an object`, { argument: "fields" });
    return [name, parseField(value, `${path}.${name}`)];
  });
  return { ...field, fields: inner };
}

/** Tries the field's selectors on a detached element. */
function checkSelectors({ path, selector, xpath, closest }: Field): void {
  const detached = document.createElement("i");
  try {
    if (selector !== undefined) queryAll(detached, selector);
    if (xpath !== undefined) byXPath(detached, xpath);
    if (closest !== undefined) closestMatch(detached, closest);
  } catch (thrown) {
    if (!(thrown instanceof PageError)) throw thrown;
    const evidence: Evidence = { ...thrown.evidence, field: path };
    throw new PageError(thrown.code, `field ${path}: ${thrown.message}`, evidence);
  }
}
