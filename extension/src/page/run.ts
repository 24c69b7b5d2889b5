// Rule: one table names every primitive that runs in the page. The type of the
// table is generated from the dictionary: a record without a handler, or a
// handler without a record, does not compile.

import type { PagePrimitive } from "../protocol";
import type { Args } from "./args";
import { installAttachments } from "./attachments";
import { PageError, asPageError } from "./errors";
import { extract } from "./extract";
import { pressKey } from "./keyboard";
import * as locator from "./locator";
import * as observe from "./observe";
import * as overlay from "./overlay";
import * as page from "./page";
import * as pointer from "./pointer";
import { scroll } from "./scroll";
import type { Context } from "./settle";
import { observeSignals } from "./signals";
import { extractState } from "./state-extract";
import { insert } from "./text";
import { type } from "./typing";
import { waitFor } from "./wait-for";

export { PageError };
export type { Context };

type Handler = (args: Args, ctx: Context) => unknown;

const HANDLERS: Record<PagePrimitive, Handler> = {
  "attachment.install": installAttachments,
  "browser.extract_elements": extract,
  "dom.observe.attributes": observe.attributes,
  "dom.observe.visible": observe.visible,
  "dom.snapshot_text": observe.snapshotText,
  "keyboard.press": pressKey,
  "locator.element_info": locator.elementInfo,
  "locator.text_content": locator.textContent,
  "locator.value": locator.value,
  "locator.wait_for": waitFor,
  "overlay.menu.hide": overlay.hide,
  "overlay.menu.show": overlay.show,
  "page.info": page.info,
  "pointer.click": pointer.click,
  "pointer.move": pointer.move,
  "signal.observe": observeSignals,
  "state.extract": extractState,
  "text.insert": insert,
  "text.type": type,
  "viewport.scroll": scroll,
};

export function isPagePrimitive(name: string): name is PagePrimitive {
  return Object.hasOwn(HANDLERS, name);
}

/** Runs one primitive; every failure is a PageError. */
export async function run(name: PagePrimitive, args: Args, ctx: Context): Promise<unknown> {
  if (!isPagePrimitive(name)) throw new PageError("unknown_primitive", `no page primitive is called ${String(name)}`);
  if (ctx.signal.aborted) throw new PageError("cancelled", "the call was cancelled");
  try {
    return await HANDLERS[name](args, ctx);
  } catch (thrown) {
    throw asPageError(thrown);
  }
}
