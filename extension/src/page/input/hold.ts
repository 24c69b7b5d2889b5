// Rule of this file: while trusted input is being sent, this script is responsible
// for the documents that it can enter: it marks the frames that may take the input,
// checks just before each step whether the target is where it was, and reports to
// the worker what the target got at once, as the document may be gone after that.

import { push } from "../base/lifeline";
import type { SeenMessage } from "../base/worker-messages";
import { ancestorsOf, embedsDocument } from "../dom/dom";
import { frameOf, frameOfKey } from "../dom/viewport";
import { documentOf } from "../frames/path";
import { framesIn } from "../frames/queries";
import { holdFocus } from "./focus-hold";
import { dropStaleMarks, inspectFrames, markFrame, removeAllMarks, removeMarks, shadowedFrames } from "./marks";

export interface Hold {
  id: string;
  /** The name of the attribute that marks frames. */
  mark: string;
}

/** What is wrong with a target just before the input. */
export interface TargetMiss {
  code: "target_moved" | "focus_moved";
  message: string;
  evidence: Record<string, unknown>;
}

/** One target of real input. */
export interface InputTarget {
  /** The innermost element that the input is for; for keys, the element focused at first. */
  el: Element;
  check(): Promise<TargetMiss | null> | TargetMiss | null;
  /** Resolves when the element has drawn itself anew for the pointer that came to it. */
  settle?(): Promise<void>;
  /** Called when the input will not come. */
  end?(): void;
}

const MAX_HOLDS = 20;
const RESTYLE_PROPERTY = "--actions-host-touch";

const inputTargets = new Map<string, InputTarget[]>();
/** What undoes the holds. */
const activeHolds = new Map<string, (() => void)[]>();
/** The holds for the pointer, which goes wherever a mark lets it; keys go only where the focus is checked. */
const pointerHolds = new Set<string>();

/** Registers a target of the hold, until its input is read back or twenty newer holds exist. */
export function registerInputTarget(id: string, target: InputTarget): void {
  inputTargets.set(id, [...(inputTargets.get(id) ?? []), target]);
  for (const oldest of inputTargets.keys()) if (inputTargets.size > MAX_HOLDS) releaseInput(oldest);
}

export function releaseInput(id: string): void {
  inputTargets.delete(id);
  liftInput(id);
}

/** Timers that the page set in the last key's handlers have run by then, however busy it is: they are due earlier. */
const CHECK_DELAY_MS = 5;

/**
 * Checks the targets of the hold and returns the first miss, after the page has handled the key or
 * the move before it. A document without one, around a target, checks its marks.
 */
export async function checkInput(id: string, after?: "key" | "move"): Promise<TargetMiss | null> {
  if (after === "key") await new Promise((resolve) => setTimeout(resolve, CHECK_DELAY_MS));
  const targets = inputTargets.get(id);
  dropStaleMarks();
  const { marked, copied } = !targets || pointerHolds.has(id) ? inspectFrames() : { marked: false, copied: false };
  if (copied) return { code: "target_moved", message: "the page puts the mark of this input on frames of its own", evidence: {} };
  if (!targets) return marked ? null : { code: "target_moved", message: "no input is expected for the target", evidence: {} };
  for (const target of targets) {
    if (after === "move") await target.settle?.();
    const miss = await target.check();
    if (!miss) continue;
    targets.forEach((each) => each.end?.());
    return miss;
  }
  return null;
}

/**
 * Marks the frames that lead to the targets, and for keys all that this script
 * can enter. Returns whether there are frames in shadow trees.
 */
export function holdInput({ id, mark }: Hold, device: "pointer" | "keys", frames: boolean): boolean {
  liftInput(id);
  const undo = [() => removeMarks(mark)];
  activeHolds.set(id, undo);
  if (device === "pointer") pointerHolds.add(id);
  for (const { el } of inputTargets.get(id) ?? []) {
    for (const at of ancestorsOf(el)) if (embedsDocument(at)) markFrame(mark, at, "p");
    for (let frame = frameOf(el.ownerDocument); frame; frame = frameOf(frame.ownerDocument)) markFrame(mark, frame, "p");
  }
  if (device === "keys") {
    for (const frame of framesIn(document)) if (documentOf(frame) && !frame.hasAttribute(mark)) markFrame(mark, frame, "f");
    undo.push(holdFocus(id));
  }
  return frames && shadowedFrames().length > 0;
}

/** Makes the browser match style rules again for the frames in shadow trees. */
export function restyleFrames(id: string): void {
  activeHolds.set(id, [...(activeHolds.get(id) ?? []), ...shadowedFrames().map((frame) => forceRestyle(frame as HTMLElement))]);
}

// Setting and removing a style without effect each make the browser match the rules
// of the element again.
function forceRestyle(el: HTMLElement): () => void {
  const styled = el.hasAttribute("style");
  el.style.setProperty(RESTYLE_PROPERTY, "1");
  return () => {
    el.style.removeProperty(RESTYLE_PROPERTY);
    if (!styled && el.style.length === 0) el.removeAttribute("style");
  };
}

export function liftInput(id: string): void {
  activeHolds.get(id)?.forEach((each) => each());
  activeHolds.delete(id);
  pointerHolds.delete(id);
}

/** Ends all that is held and expected: the worker that would end it has died. */
export function liftAll(): void {
  for (const targets of inputTargets.values()) targets.forEach((each) => each.end?.());
  for (const id of new Set([...inputTargets.keys(), ...activeHolds.keys()])) releaseInput(id);
  removeAllMarks();
}

/**
 * Marks one frame that leads to a target in a document below, or takes the marks off. Returns
 * whether there are frames in shadow trees.
 */
export function markWay(key: string, mark: string, on: boolean): boolean {
  if (!on) removeMarks(mark);
  else for (let frame = frameOfKey(key); frame; frame = frameOf(frame.ownerDocument)) markFrame(mark, frame, "p");
  return on && shadowedFrames().length > 0;
}

/** Reports to the worker what the target has got so far. */
export function reportInputSeen(id: string, events: readonly string[], count = 0): void {
  push({ kind: "input_seen", hold: id, events, count } satisfies SeenMessage);
}
