// Rule: what is to be read is checked before anything is read, so that a fault
// in a field is told also where no record reaches it.

import { type Args, flag, isObject, needText, object, text } from "./args";
import { type Evidence, PageError } from "./errors";
import { byXPath, climb } from "./locate";
import { queryAll } from "./selectors";

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
    const field = parseField(extractor, needText(extractor, "id"));
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

/** Tries the field's selectors on an element that stands nowhere. */
function checkSelectors({ path, selector, xpath, closest }: Field): void {
  const nowhere = document.createElement("i");
  try {
    if (selector !== undefined) queryAll(nowhere, selector);
    if (xpath !== undefined) byXPath(nowhere, xpath);
    if (closest !== undefined) climb(nowhere, closest);
  } catch (thrown) {
    if (!(thrown instanceof PageError)) throw thrown;
    const evidence: Evidence = { ...thrown.evidence, field: path };
    throw new PageError(thrown.code, `field ${path}: ${thrown.message}`, evidence);
  }
}
