// Rule of this file: there is at most one offscreen document, made when it is
// first needed and never closed, since one who needs it may stand beside another
// one. Chrome allows no second one, so whoever needs it comes through here, and
// two who come at once wait for the same one.

import type { OffscreenAnswer, OffscreenRequest, OffscreenResults } from "../offscreen/messages";
import { API_LIMIT_MS, asked, within } from "./bounded";
import { Fault, textOf } from "./fault";

const PAGE = "offscreen.html";

let making: Promise<void> | undefined;

/** Asks the offscreen document; what it cannot do is a Fault. */
export async function askOffscreen<R extends OffscreenRequest>(
  request: R,
  limit: number = API_LIMIT_MS,
): Promise<OffscreenResults[R["kind"]]> {
  await ensure();
  const answer: OffscreenAnswer<R["kind"]> | undefined = await within(
    limit,
    "the offscreen document",
    chrome.runtime.sendMessage(request),
  );
  if (!answer) throw Fault.new("internal_error", "the offscreen document does not listen", { dispatched: "no" });
  if (answer.ok) return answer;
  const { ok: _, code, message, ...more } = answer;
  throw Fault.new(code, message, { dispatched: "no", ...more });
}

/** Whether there is one already. */
export async function offscreenExists(): Promise<boolean> {
  const contexts = await asked("chrome.runtime.getContexts", chrome.runtime.getContexts({ contextTypes: ["OFFSCREEN_DOCUMENT"] }));
  return contexts.length > 0;
}

/** Whether a message came from it. */
export function isOffscreen(sender: chrome.runtime.MessageSender): boolean {
  return sender.id === chrome.runtime.id && !sender.tab && sender.url === chrome.runtime.getURL(PAGE);
}

function ensure(): Promise<void> {
  making ??= make().finally(() => (making = undefined));
  return making;
}

async function make(): Promise<void> {
  if (await offscreenExists()) return;
  try {
    await asked(
      "chrome.offscreen.createDocument",
      // All reasons at once: a document cannot get another one later, and to make
      // it anew would end the call or the clipboard's call that uses it.
      chrome.offscreen.createDocument({
        url: PAGE,
        reasons: ["CLIPBOARD", "USER_MEDIA", "WEB_RTC", "AUDIO_PLAYBACK"],
        justification: "Uses the clipboard, and holds the user's voice call with the agent, while no page of the browser has the focus.",
      }),
    );
  } catch (error) {
    throw Fault.new("capability_unavailable", `the offscreen document could not be made: ${textOf(error)}`, { dispatched: "no" });
  }
}
