// Rule of this file: a frame path leads to one document or fails. A step that
// is empty or names nothing never means the page itself, and a host is compared
// with the host of the frame's document, never with its whole address.

import { hostMatches } from "../../hosts";
import { type Args, isObject, text } from "../base/args";
import { PageError } from "../base/errors";
import { isFrame } from "../dom/dom";
import { queryAll } from "../dom/selectors";
import { EnterFrame, type FrameStep, type FrameEntry } from "./enter-frame";

/** The frame argument as steps, from the outermost frame on; undefined without one. */
export function frameOfArgs(args: Args): FrameStep[] | undefined {
  const { frame } = args;
  if (frame === undefined) return undefined;
  const steps = (Array.isArray(frame) ? frame : [frame]).map(stepOf);
  if (steps.length === 0) throw invalidFrame(frame);
  return steps;
}

function stepOf(value: unknown): FrameStep {
  if (typeof value === "string") return stepOf({ selector: value });
  if (!isObject(value)) throw invalidFrame(value);
  const step: FrameStep = { selector: text(value, "selector"), host: text(value, "host"), name: text(value, "name") };
  const given = Object.values(step).filter((way) => way !== undefined);
  if (given.length === 0 || given.some((way) => way.trim() === "")) throw invalidFrame(value);
  return step;
}

function invalidFrame(frame: unknown): PageError {
  return new PageError("invalid_arguments", "frame must name a frame by selector, host or name", { argument: "frame", frame });
}

/** The document of a frame that this origin may enter, null of any other. */
export function documentOf(frame: HTMLIFrameElement): Document | null {
  return frame.contentDocument;
}

let entry: FrameEntry | undefined;

/** Sets what led the call into this script's own document; undefined where it starts there. */
export function setEntry(next: FrameEntry | undefined): void {
  entry = next;
}

/** The steps from the tab's own document to this script's: those that the call used, else the hosts on the way. */
export function pathToHere(): FrameStep[] {
  if (entry?.by === "path") return [...entry.steps];
  if (window.top === window) return [];
  const above = [...(location.ancestorOrigins ?? [])].slice(0, -1).reverse();
  return [...above.map((origin) => new URL(origin).hostname), location.hostname].map((host) => ({ host }));
}

// The remaining steps for this document. A frame argument that did not lead here
// is meant for another document, whatever it would match in this one.
function stepsFromHere(steps: FrameStep[] | undefined): FrameStep[] | null {
  if (!entry) return steps ?? [];
  if (entry.by !== "path") return null;
  const used = entry.steps.length;
  return JSON.stringify(steps?.slice(0, used)) === JSON.stringify(entry.steps) ? (steps ?? []).slice(used) : null;
}

/** Returns the document that the steps lead to; throws EnterFrame where it is another origin's. */
export function enterFrames(steps: FrameStep[] | undefined): Document {
  const remaining = stepsFromHere(steps);
  if (!remaining) throw new PageError("frame_cross_origin", "the call names things in documents of several origins", { frame: steps ?? null });
  const used = (steps ?? []).length - remaining.length;
  let doc = document;
  for (const [depth, step] of remaining.entries()) {
    const found = framesOf(doc, step);
    const inside = found.find((frame) => matchesHost(frame, step));
    const inner = inside && documentOf(inside);
    if (inner) {
      doc = inner;
      continue;
    }
    const evidence = { frame: steps, selector: step.selector, depth: used + depth };
    const others = found.filter((frame) => !documentOf(frame));
    if (others.length === 0) throw new PageError("frame_not_found", `no frame matches ${JSON.stringify(step)}`, evidence);
    throw EnterFrame.byPath((steps ?? []).slice(0, used + depth + 1), others, step.host, evidence);
  }
  return doc;
}

/** The documents along the steps, the top one first, as far as this origin may enter. */
export function documentsOn(steps: FrameStep[] | undefined): Document[] {
  const docs = [document];
  for (const step of stepsFromHere(steps) ?? []) {
    const inside = framesOf(docs.at(-1) ?? document, step).find((frame) => matchesHost(frame, step));
    const inner = inside && documentOf(inside);
    if (!inner) break;
    docs.push(inner);
  }
  return docs;
}

// The candidate frames of the step: the first match, or all where a host decides,
// as the host of a frame of another origin is not known here.
function framesOf(doc: Document, step: FrameStep): HTMLIFrameElement[] {
  const found = queryAll(doc, step.selector ?? ":is(iframe, frame)")
    .filter(isFrame)
    .filter((frame) => step.name === undefined || frame.getAttribute("name") === step.name);
  return step.host === undefined ? found.slice(0, 1) : found;
}

function matchesHost(frame: HTMLIFrameElement, step: FrameStep): boolean {
  const doc = documentOf(frame);
  return doc !== null && (step.host === undefined || hostMatches(doc.location?.hostname ?? "", step.host));
}
