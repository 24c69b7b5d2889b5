// Rule of this file: right before the input the target is checked once more, by the
// same hit test as at first: an element over it, or another with the focus, would
// take the input.

import { composedContains, deepActive } from "../dom/dom";
import type { Point } from "../dom/geometry";
import { occluderAt } from "../dom/hit-test";
import { labelOf } from "../dom/labels";
import { ownPlace } from "../dom/viewport";
import { occluderInAncestors } from "../frames/ancestors";
import type { TargetMiss, InputTarget } from "../input/hold";
import { checkFocus } from "../input/prepared-keys";
import type { HeldTarget, InputMethod } from "./action";

/** Returns the checks of a target that an action has prepared. */
export function inputTargetFor(held: HeldTarget, way: InputMethod, hold: string): InputTarget {
  const check = (): ReturnType<InputTarget["check"]> => (way === "pointer" ? checkPointer(held.hitTarget, held.point) : checkKeys(held, hold));
  return { el: held.hitTarget, end: () => held.guard?.disarm(), check, settle: async () => held.guard?.settle() };
}

/** Returns a miss where the pointer would no longer hit the element. */
export async function checkPointer(hitTarget: Element, point: Point | null): Promise<TargetMiss | null> {
  if (!point) return null;
  const targetMoved = (by: string): TargetMiss => ({ code: "target_moved", message: `${labelOf(hitTarget)} is no longer under the pointer`, evidence: { hit: by } });
  if (!hitTarget.isConnected) return targetMoved("nothing");
  const occluder = occluderAt(hitTarget, point);
  if (occluder !== null) return targetMoved(occluder === "nothing" ? occluder : labelOf(occluder));
  const ancestorOccluder = ownPlace() ? await occluderInAncestors(point) : null;
  return ancestorOccluder ? targetMoved(ancestorOccluder.target_label) : null;
}

function checkKeys(held: HeldTarget, hold: string): TargetMiss | null {
  const miss = checkFocus(hold);
  if (miss) return miss;
  const active = deepActive();
  const target = focusOf(held);
  if (active && (composedContains(target, active) || composedContains(active, target))) return null;
  return { code: "focus_moved", message: `the focus has left ${labelOf(held.el)}`, evidence: { focused: active ? labelOf(active) : "nothing" } };
}

// The field of a label or wrapper.
function focusOf(held: HeldTarget): Element {
  const { field } = (held.before ?? {}) as { field?: Element };
  return field ?? held.el;
}
