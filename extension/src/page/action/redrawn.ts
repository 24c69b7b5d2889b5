// Rule of this file: a page may draw an element anew while it is acted on. What holds its state
// then is what took its place; an equal element that stood elsewhere did not.

import { PageError } from "../base/errors";
import { isConnected, isElement, ownChildrenOf, parentNodeOf } from "../dom/dom";
import { locateOne, locatorOf } from "../locator/locate";
import type { HeldTarget } from "./action";

/** A parent, and where it leads to the element. */
interface Step {
  parent: Node;
  index: number;
  /** How many elements stood in it. */
  count: number;
}

const elementsIn = (parent: Node): Element[] => ownChildrenOf(parent).filter(isElement);

/** Where an element stands in its tree. */
export class Place {
  private readonly steps: Step[] = [];

  constructor(private readonly el: Element) {
    let node: Node = el;
    for (let parent = parentNodeOf(node); parent; parent = parentNodeOf(node)) {
      const all = elementsIn(parent);
      this.steps.push({ parent, index: all.indexOf(node as Element), count: all.length });
      node = parent;
    }
  }

  /** Returns what stands there now if the page has drawn the same again there and changed nothing beside it; undefined otherwise. */
  now(): Element | undefined {
    const path: number[] = [];
    let old: Node = this.el;
    for (const { parent, index, count } of this.steps) {
      if (isConnected(parent)) {
        const all = elementsIn(parent);
        const again = all.length === count ? all[index] : undefined;
        if (!again || !Node.prototype.isEqualNode.call(again, old)) return undefined;
        return path.reduce<Element | undefined>((el, at) => el && elementsIn(el)[at], again);
      }
      path.unshift(index);
      old = parent;
    }
    return undefined;
  }
}

/** Returns the element, or what has its id now, or what inTarget finds in what the locator names now; null if there is none. */
export function redrawn(held: HeldTarget, el: Element, inTarget: (target: Element) => Element | null): Element | null {
  if (el.isConnected) return el;
  const same = el.id ? el.ownerDocument.getElementById(el.id) : null;
  const target = same ? undefined : relocated(held);
  return same ?? (target ? inTarget(target) : null);
}

/** Returns the held target, or what its locator names now; undefined if nothing. */
export function relocated(held: HeldTarget): Element | undefined {
  if (held.el.isConnected) return held.el;
  try {
    return locateOne(locatorOf(held.args, "locator"));
  } catch (thrown) {
    if (thrown instanceof PageError) return undefined;
    throw thrown;
  }
}
