// Rule of this file: which page of this extension sent a message is judged by what the
// browser reports of the sender, never by the message.

import { PANEL_PAGE } from "../../ui/shared/panel-messages";
import { SAVE_PAGE } from "../../ui/shared/save-messages";
import { withApiTimeout } from "../shared/async";

type Sender = chrome.runtime.MessageSender;

/** The pages that a content script puts into web pages as frames. */
const FRAMES = ["pane.html", "report.html", "picker.html"];

/** What a web page may embed, and open in a tab, itself (web_accessible_resources). */
export const OPEN_TO_WEB: readonly string[] = [...FRAMES, "report-sandbox.html"];

/** Reports whether a page that only the user opens sent the message; a content script, and a page that web pages can open, never count. */
export function fromOwnPage(sender: Sender): boolean {
  const own = chrome.runtime.getURL("");
  return (
    sender.id === chrome.runtime.id &&
    sender.url?.startsWith(own) === true &&
    !OPEN_TO_WEB.includes(pageOf(sender)) &&
    (sender.tab === undefined || sender.tab.url?.startsWith(own) === true)
  );
}

/** Reports whether the side panel sent the message. */
export function fromSidePanel(sender: Sender): boolean {
  return fromOwnPage(sender) && pageOf(sender) === PANEL_PAGE;
}

/** The pages that only the user opens and that show what waits for an answer. */
const ANSWER_PAGES: readonly string[] = ["popup.html", PANEL_PAGE, SAVE_PAGE];

/** Returns how many pages are open that only the user opens and that show what waits for an answer. One that no window shows, as automation may open it, is none of them. */
export async function countAnswerPages(): Promise<number> {
  // The address of a side panel names its tab.
  const open = await withApiTimeout("chrome.runtime.getContexts", chrome.runtime.getContexts({}));
  return open.filter(({ documentUrl }) => ANSWER_PAGES.includes(pageOf({ url: documentUrl }))).length;
}

/** Reports whether one of the frames sent the message; a web page may have embedded it itself. */
export function isOwnFrame(sender: Sender): boolean {
  return sender.frameId !== 0 && FRAMES.includes(pageOf(sender));
}

/** Returns the name of this extension's page; empty for any other sender. */
function pageOf({ url }: { url?: string | undefined }): string {
  const own = chrome.runtime.getURL("");
  return url?.startsWith(own) ? (url.slice(own.length).split(/[?#]/, 1)[0] ?? "") : "";
}
