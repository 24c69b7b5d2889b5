// Rule of this file: what embeds another document is listed once, for the page's code and for
// the style sheets of the worker.

/** Selects the elements that embed another document. */
export const EMBEDDING = "iframe, frame, object, embed, fencedframe";
