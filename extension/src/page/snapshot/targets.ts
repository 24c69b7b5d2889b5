// Rule of this file: an element is a target where a person could act on it: by its
// role, its focus, an attribute or its cursor. What only looks like
// one is a guess, and gives way to the target that it merely surrounds.

import { CursorRules, offersAction } from "./cursor-rules";
import { CONTROLS, HEADERS, ITEMS, SINGLE_ACTION } from "./roles";

/** What the elements around one mean for it. */
export interface Surroundings {
  /** The cursor of the parent. */
  cursor: string;
  /** In a control that has one action only. */
  single: boolean;
  /** In a grid, whose headers sort and whose cells are edited. */
  grid: boolean;
}

export type Target = "sure" | "guess" | undefined;

const NEVER = new Set(["html", "body", "label"]);

/** Decides for the elements of one read. */
export class Targets {
  private readonly rules = new CursorRules();

  of(el: Element, role: string, cursor: string, around: Surroundings): Target {
    if (CONTROLS.has(role)) return "sure";
    // Most elements have no attributes, and testing that is cheap.
    const bare = !el.hasAttributes();
    if (!bare && isFocusable(el)) return "sure";
    if (NEVER.has(el.localName)) return undefined;
    if (!bare && (el.hasAttribute("onclick") || el.getAttribute("draggable") === "true")) return "sure";
    if (role === "gridcell" || (HEADERS.has(role) && (around.grid || el.hasAttribute("aria-sort")))) return "guess";
    const roving = !bare && ITEMS.has(role) && isRoving(el);
    return roving || this.hasCursor(el, cursor, around) ? "guess" : undefined;
  }

  /** Like of, for what is hidden from a screen reader: a pointer that what is around it lacks shows an action of its own. */
  ofHidden(el: Element, role: string, cursor: string, around: Surroundings): Target {
    if (cursor === "pointer" && around.cursor !== "pointer" && !NEVER.has(el.localName)) return "sure";
    const target = around.single ? undefined : this.of(el, role, cursor, around);
    return target === "guess" && !offersAction(cursor) ? undefined : target;
  }

  private hasCursor(el: Element, cursor: string, around: Surroundings): boolean {
    if (around.single || !offersAction(cursor)) return false;
    return cursor !== around.cursor || this.rules.setsCursor(el);
  }
}

/** Returns what the element means for those in it. */
export function surroundingsIn(el: Element, role: string, cursor: string, around: Surroundings): Surroundings {
  const single = around.single || SINGLE_ACTION.has(role) || el.localName === "label";
  const grid = role === "grid" || role === "treegrid" || (around.grid && role !== "table");
  const same = cursor === around.cursor && single === around.single && grid === around.grid;
  return same ? around : { cursor, single, grid };
}

function isFocusable(el: Element): boolean {
  const index = el.getAttribute("tabindex");
  return index !== null && Number(index) >= 0;
}

// One of several between which the arrow keys move the focus. Alone, a tabindex of
// -1 is where a script puts the focus: a heading, a dialog.
function isRoving(el: Element): boolean {
  if (!el.hasAttribute("tabindex")) return false;
  return [el.previousElementSibling, el.nextElementSibling].some((other) => other?.hasAttribute("tabindex"));
}
