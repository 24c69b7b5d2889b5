// Rule of this file: one document a call, with the frames that can be entered
// from it. Cutting into pages, comparing, and putting in what other documents
// give is the host's part.

import { type Args, flag, needText, object } from "./args";
import { readingNames } from "./aria";
import { framesLoaded } from "./frame-loading";
import { enterFrames, frameOfArgs } from "./frame-path";
import { keyOfFrame } from "./frames";
import { locateForReading } from "./locate";
import { type Offer, offer } from "./refs";
import type { Context } from "./settle";
import { linesOf } from "./snapshot-lines";
import { onlyControls, overlaysFirst, shape } from "./snapshot-shape";
import { TreeReader } from "./snapshot-tree";

/** A page that takes longer is told as far as it was read. */
const MAX_MS = 8000;

/** snapshot.document */
export async function snapshotDocument(args: Args, ctx: Context): Promise<unknown> {
  const locator = object(args, "locator");
  await framesLoaded(document, ctx);
  const wanted = locator ? locateForReading(locator).el : enterFrames(frameOfArgs(args)).documentElement;
  // A part of the time is left to send what was read.
  const now = performance.now();
  const deadline = Math.min(now + MAX_MS, now + (ctx.deadline - now) * 0.8);
  return readingNames((enter) => {
    const reader = new TreeReader(enter, deadline);
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
export function nearest(args: Args): { nearest: Offer[] } {
  return { nearest: offer(needText(args, "role"), needText(args, "name")) };
}
