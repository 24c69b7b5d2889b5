// Rule: one table names every primitive that runs in the page. The type of the
// table is generated from the dictionary: a record without a handler, or a
// handler without a record, does not compile.

import type { PagePrimitive } from "../protocol";
import { spokenText } from "./a11y/announcement";
import { observeRegions } from "./a11y/announcer";
import { act, grasped, prepare, verify } from "./action/act";
import { destination, dropped } from "./action/drop";
import { receiveChunk } from "./action/upload";
import type { Args } from "./base/args";
import { PageError, asPageError } from "./base/errors";
import { extract } from "./info/extract";
import { fetchPage } from "./info/fetch";
import { verifyForm } from "./info/form";
import * as observe from "./info/observe";
import * as page from "./info/page";
import { probePageTools } from "./info/page-tools";
import * as picked from "./info/picked";
import { readPdf } from "./info/pdf";
import { readArticle } from "./info/read";
import { listSections } from "./info/sections";
import { observeSignals } from "./info/signals";
import { table } from "./info/table";
import { pageTranscript } from "./info/page-transcript";
import { focusElement } from "./input/focus-element";
import { pressKey } from "./input/keyboard";
import * as pointer from "./input/pointer";
import { prepareKeys, verifyKeys } from "./input/prepared-keys";
import { scroll } from "./input/scroll";
import { selectByMouse } from "./input/select-text";
import { type } from "./input/typing";
import * as locator from "./locator/info";
import { describeTargets } from "./locator/met";
import { withNearest } from "./locator/nearest";
import { waitUntilShown } from "./locator/shown";
import { waitFor } from "./locator/wait-for";
import { installAttachments } from "./overlay/attachments";
import * as pane from "./overlay/pane";
import * as picker from "./overlay/picker";
import { showTarget } from "./overlay/preview";
import { dismiss, render } from "./overlay/report";
import { yieldToInput, endYield } from "./overlay/yield";
import { nearest, snapshotDocument } from "./snapshot/snapshot";
import { copyPage } from "./state/copy";
import { extractState } from "./state/extract";
import { unsaved } from "./state/unsaved";
import { copySelection, paste } from "./text/clipboard";
import { insert } from "./text/insert";
import { settlePage } from "./wait/idle";
import type { Context } from "./wait/schedule";

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
  "form.verify": verifyForm,
  "keyboard.press": pressKey,
  "keyboard.spoken_text": spokenText,
  "keys.prepare": prepareKeys,
  "keys.verify": verifyKeys,
  "locator.box": locator.box,
  "locator.element_info": locator.elementInfo,
  "locator.text_content": locator.textContent,
  "locator.value": locator.value,
  "locator.wait_for": waitFor,
  "overlay.aside": yieldToInput,
  "overlay.back": endYield,
  "overlay.dismiss": dismiss,
  "overlay.menu.collapse": pane.collapse,
  "overlay.menu.expand": pane.expand,
  "overlay.menu.hide": pane.hide,
  "overlay.menu.move": pane.move,
  "overlay.menu.show": pane.show,
  "overlay.render": render,
  "page.fetch": fetchPage,
  "page.find": page.find,
  "page.info": page.info,
  "page.read": readArticle,
  "page.table": table,
  "page.unsaved": unsaved,
  "page.settle": settlePage,
  "page.shown": waitUntilShown,
  "pdf.read": readPdf,
  "picker.close": picker.close,
  "picker.describe": picked.describe,
  "picker.element": picked.elementAtPoint,
  "picker.finds": picked.finds,
  "picker.next": picker.next,
  "picker.open": picker.open,
  "pointer.click": pointer.click,
  "pointer.double_click": pointer.doubleClick,
  "pointer.move": pointer.move,
  "ref.nearest": nearest,
  "signal.observe": observeSignals,
  "snapshot.document": snapshotDocument,
  "state.extract": extractState,
  "target.act": act,
  "target.describe": describeTargets,
  "target.destination": destination,
  "target.dropped": dropped,
  "target.grasped": grasped,
  "target.prepare": prepare,
  "target.show": showTarget,
  "target.verify": verify,
  "text.insert": insert,
  "text.select": selectByMouse,
  "text.type": type,
  "upload.part": receiveChunk,
  "viewport.scroll": scroll,
  "webmcp.probe": probePageTools,
  "page.transcript": pageTranscript,
  "page.copy": copyPage,
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
