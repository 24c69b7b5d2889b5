// Rule of this file: one document per call, with the frames that can be entered
// from it. Paging, comparing, and inserting the lines of other documents are done
// by the host.

import { type Args, flag, requiredText, object } from "../base/args";
import { withAriaCaches } from "../dom/aria";
import { keyOfFrame } from "../dom/viewport";
import { framesLoaded } from "../frames/loading";
import { enterFrames, frameOfArgs } from "../frames/path";
import { locateForReading } from "../locator/locate";
import { type Suggestion, suggest } from "../locator/refs";
import type { Context } from "../wait/schedule";
import { linesOf } from "./lines";
import { onlyControls, overlaysFirst, shape } from "./shape";
import { TreeReader } from "./tree";

/** A page that takes longer is reported as far as it was read. */
const READ_TIMEOUT_MS = 8000;

/** snapshot.document */
export async function snapshotDocument(args: Args, ctx: Context): Promise<unknown> {
  const locator = object(args, "locator");
  await framesLoaded(document, ctx);
  const wanted = locator ? locateForReading(locator).el : enterFrames(frameOfArgs(args)).documentElement;
  // Some of the time is reserved for sending what was read.
  const now = performance.now();
  const deadline = Math.min(now + READ_TIMEOUT_MS, now + (ctx.deadline - now) * 0.8);
  return withAriaCaches(() => {
    const reader = new TreeReader(deadline);
    const root = reader.read(wanted);
    const modal = overlaysFirst(root);
    shape(root);
    if (flag(args, "interactive", false)) root.children = onlyControls(root.children);
    const { lines, refs, foreign } = linesOf(root);
    return {
      lines,
      ref_count: refs,
      modal,
      secrets_redacted: reader.secrets,
      incomplete: reader.incomplete,
      frames: foreign.map(({ line, frame }) => ({ line, key: keyOfFrame(frame) })),
      url: wanted.ownerDocument.URL,
      title: wanted.ownerDocument.title,
    };
  });
}

/** ref.nearest */
export function nearest(args: Args): { nearest: Suggestion[] } {
  return { nearest: suggest(requiredText(args, "role"), requiredText(args, "name")) };
}
