// Rule: a label names an element for a person and a log: short, no text of the
// page but ids, test ids and class names.

import { attributeOf, localNameOf } from "./dom";
import { truncate } from "./read-text";

/** tag#id[data-testid="…"].class1.class2.class3 */
export function labelOf(el: Element): string {
  const own = attributeOf(el, "id");
  const id = own ? `#${own}` : "";
  const testID = attributeOf(el, "data-testid");
  const names = (attributeOf(el, "class") ?? "").split(/\s+/).filter(Boolean);
  const classes = [...new Set(names)].slice(0, 3).map((name) => `.${name}`);
  return truncate(`${localNameOf(el)}${id}${testID ? `[data-testid="${testID}"]` : ""}${classes.join("")}`, 160);
}
