// Rule: a label names an element for a person and a log: short, no text of the
// page but ids, test ids and class names.

import { cut } from "./read-text";

/** tag#id[data-testid="…"].class1.class2.class3 */
export function labelOf(el: Element): string {
  const id = el.id ? `#${el.id}` : "";
  const testID = el.getAttribute("data-testid");
  const classes = [...el.classList].slice(0, 3).map((name) => `.${name}`);
  return cut(`${el.localName}${id}${testID ? `[data-testid="${testID}"]` : ""}${classes.join("")}`, 160);
}
