// Rule of this file: the text of an article is read by a script of its own, which the
// worker injects before the call: it would double the page script.

import type { Args } from "../base/args";
import { PageError } from "../base/errors";
import { isExtensionElement } from "../dom/extension-elements";
import { READER } from "../dom/reader-symbol";

/** page.read */
export function readArticle(args: Args): unknown {
  const read = (globalThis as Record<symbol, unknown>)[READER];
  if (typeof read !== "function") throw new PageError("runtime_not_ready", "the script that reads articles is not in the page");
  return read(args, isExtensionElement);
}
