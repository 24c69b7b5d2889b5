// Rule of this file: a frame that the page code cannot enter is not a failure yet:
// the worker can send the same call into the frame's own document. EnterFrame
// says where to continue. Where it is not handled, it is an ordinary PageError.

import { type Evidence, PageError } from "../base/errors";

/** One step of a frame path; all given members must match. */
export interface FrameStep {
  selector?: string;
  host?: string;
  name?: string;
}

/** What led to the frame: its document continues the call from there. */
export type FrameEntry =
  /** The steps of a frame path used so far. */
  | { by: "path"; steps: FrameStep[] }
  /** A point of the top viewport. */
  | { by: "point" }
  /** The focus. */
  | { by: "focus" }
  /** The letters of a ref, which name the content script that made it. */
  | { by: "ref"; token: string; ref: string };

/** Thrown where the call continues in a document that this content script cannot enter. */
export class EnterFrame extends PageError {
  private constructor(
    error: PageError,
    readonly way: FrameEntry,
    /** The candidate frames, in their order; none where a ref names the document. */
    readonly frames: HTMLIFrameElement[],
    /** The host that the frame's document must have. */
    readonly host?: string,
  ) {
    super(error.code, error.message, error.evidence);
  }

  static byPath(steps: FrameStep[], frames: HTMLIFrameElement[], host: string | undefined, evidence: Evidence): EnterFrame {
    const error = new PageError("frame_cross_origin", "the frame belongs to another origin", evidence);
    return new EnterFrame(error, { by: "path", steps }, frames, host);
  }

  static byPoint(frame: HTMLIFrameElement, evidence: Evidence): EnterFrame {
    const error = new PageError("frame_cross_origin", "the point lies in a frame that cannot be entered", evidence);
    return new EnterFrame(error, { by: "point" }, [frame]);
  }

  static byFocus(frame: HTMLIFrameElement): EnterFrame {
    const error = new PageError("frame_cross_origin", "the focus is in a frame that cannot be entered");
    return new EnterFrame(error, { by: "focus" }, [frame]);
  }

  static byToken(token: string, ref: string): EnterFrame {
    const error = new PageError("stale_ref", `the ref ${ref} is stale: another document gave it`, { ref, reason: "documentChanged", nearest: [] });
    return new EnterFrame(error, { by: "ref", token, ref }, []);
  }
}
