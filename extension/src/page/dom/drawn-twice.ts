// Rule of this file: some sites declare one control twice, one element in the other: a
// box around a native checkbox, a line around the link of a menu's item. A press on the
// inner one is a press on both.

import { nameOf, roleOf } from "./aria";
import { ancestorsOf } from "./dom";

/** What holds items of its own, which may be called like it. */
const GROUPS = "ul, ol, fieldset, [role=group i], [role=list i], [role=listbox i], [role=menu i], [role=menubar i], [role=radiogroup i], [role=tree i]";

/** Reports whether the inner element is the control of the outer one, of the same role and name. */
export function isDrawnTwice(outer: Element, inner: Element): boolean {
  if (outer === inner) return false;
  for (const at of ancestorsOf(inner)) {
    if (at === outer) return roleOf(outer) === roleOf(inner) && nameOf(outer) !== "" && nameOf(outer) === nameOf(inner);
    if (Element.prototype.matches.call(at, GROUPS)) return false;
  }
  return false;
}
