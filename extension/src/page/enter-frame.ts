// Rule of this file: a frame that the page code cannot enter is no failure yet:
// the worker can send the same call into the frame's own document. The signal
// says where to go on. Where nobody answers it, it is the error it is made of.

import { type Evidence, PageError } from "./errors";

/** One step of a frame path; all that is given must hold. */
export interface FrameStep {
  selector?: string;
  host?: string;
  name?: string;
}

/** What led to the frame: its document takes up the call from there. */
export type Way =
  /** The steps of a frame path, as far as they are used up. */
  | { by: "path"; steps: FrameStep[] }
  /** A point of the top viewport. */
  | { by: "point" }
  /** The focus. */
  | { by: "focus" }
  /** The letters of a ref, which name the content script that gave it. */
  | { by: "ref"; token: string; ref: string };

/** Thrown where the call goes on in a document that this content script cannot enter. */
export class EnterFrame extends PageError {
  private constructor(
    error: PageError,
    readonly way: Way,
    /** The frames that may be meant, in their order; none where a ref names the document. */
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
