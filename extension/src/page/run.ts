// Rule: one table names every primitive that runs in the page. The type of the
// table is generated from the dictionary: a record without a handler, or a
// handler without a record, does not compile.

import type { PagePrimitive } from "../protocol";
import { act, prepare, verify } from "./act";
import { takePart } from "./act-upload";
import { observeRegions } from "./announcer";
import type { Args } from "./args";
import { aside, back } from "./aside";
import { installAttachments } from "./attachments";
import { copySelection, paste } from "./clipboard";
import { PageError, asPageError } from "./errors";
import { extract } from "./extract";
import { fetchPage } from "./fetch";
import { find } from "./find";
import { focusElement } from "./focusing";
import { keySubmit, pressKey } from "./keyboard";
import * as locator from "./locator";
import * as observe from "./observe";
import * as page from "./page";
import * as pane from "./pane";
import { probePageTools } from "./page-tools";
import { withNearest } from "./nearest";
import { box } from "./picture";
import * as pointer from "./pointer";
import { dismiss, render } from "./report";
import { scroll } from "./scroll";
import { settlePage } from "./quiet";
import { listSections } from "./sections";
import { selectText } from "./selecting";
import type { Context } from "./settle";
import { spokenText } from "./spoken";
import { observeSignals } from "./signals";
import { nearest, snapshotDocument } from "./snapshot";
import { extractState } from "./state-extract";
import { insert } from "./text";
import { type } from "./typing";
import { unsaved } from "./unsaved";
import { waitFor } from "./wait-for";

export { PageError };
export type { Context };

type Handler = (args: Args, ctx: Context) => unknown;

const HANDLERS: Record<PagePrimitive, Handler> = {
  "a11y.observe": observeRegions,
  "attachment.install": installAttachments,
  "browser.extract_elements": extract,
  "clipboard.paste": paste,
  "clipboard.selection": copySelection,
  "dom.focus": focusElement,
  "dom.list_sections": listSections,
  "dom.observe.attributes": observe.attributes,
  "dom.observe.visible": observe.visible,
  "dom.snapshot_text": observe.snapshotText,
  "keyboard.press": pressKey,
  "key.submit": keySubmit,
  "keyboard.spoken_text": spokenText,
  "locator.box": box,
  "locator.element_info": locator.elementInfo,
  "locator.text_content": locator.textContent,
  "locator.value": locator.value,
  "locator.wait_for": waitFor,
  "overlay.aside": aside,
  "overlay.back": back,
  "overlay.dismiss": dismiss,
  "overlay.menu.collapse": pane.collapse,
  "overlay.menu.expand": pane.expand,
  "overlay.menu.hide": pane.hide,
  "overlay.menu.move": pane.move,
  "overlay.menu.show": pane.show,
  "overlay.render": render,
  "page.fetch": fetchPage,
  "page.find": find,
  "page.info": page.info,
  "page.unsaved": unsaved,
  "page.settle": settlePage,
  "pointer.click": pointer.click,
  "pointer.double_click": pointer.doubleClick,
  "pointer.move": pointer.move,
  "ref.nearest": nearest,
  "signal.observe": observeSignals,
  "snapshot.document": snapshotDocument,
  "state.extract": extractState,
  "target.act": act,
  "target.prepare": prepare,
  "target.verify": verify,
  "text.insert": insert,
  "text.select": selectText,
  "text.type": type,
  "upload.part": takePart,
  "viewport.scroll": scroll,
  "webmcp.probe": probePageTools,
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
    throw withNearest(asPageError(thrown), ctx);
  }
}
