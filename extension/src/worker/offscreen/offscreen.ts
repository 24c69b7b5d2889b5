// Rule of this file: there is at most one offscreen document, made when it is
// first needed and never closed, since it may have several users at once
// and Chrome allows no second one. All use goes through here, and
// concurrent first calls wait for the same one.

import type { OffscreenAnswer, OffscreenRequest, OffscreenResults } from "../../offscreen/messages";
import { API_TIMEOUT_MS, demandUnended, withApiTimeout, withTimeout } from "../shared/async";
import { Fault, textOf } from "../shared/fault";

const PAGE = "offscreen.html";

let making: Promise<void> | undefined;

/** Sends a request to the offscreen document; a refusal is thrown as a Fault. What was cancelled while the document was made is not sent. */
export async function askOffscreen<R extends OffscreenRequest>(
  request: R,
  limit: number = API_TIMEOUT_MS,
  signal?: AbortSignal,
): Promise<OffscreenResults[R["kind"]]> {
  await ensure();
  if (signal) demandUnended(signal);
  const answer: OffscreenAnswer<R["kind"]> | undefined = await withTimeout(
    limit,
    "the offscreen document",
    chrome.runtime.sendMessage(request),
  );
  if (!answer) throw Fault.new("internal_error", "the offscreen document does not listen", { dispatched: "no" });
  if (answer.ok) return answer;
  const { ok: _, code, message, ...more } = answer;
  throw Fault.new(code, message, { dispatched: "no", ...more });
}

/** Missing from the DOM library, which has the types of pages only. */
declare const clients: { matchAll(options: { includeUncontrolled: boolean }): Promise<{ url: string }[]> };

/** Reports whether there is one, once one that is being made is there. */
export async function offscreenExists(): Promise<boolean> {
  await making?.catch(() => {});
  return exists();
}

/**
 * Reports whether there is one already. chrome.runtime.getContexts would report it too, but it crashes the whole browser where a
 * popup is just being made (runtime_api.cc, "Unexpected view type", Chromium 156).
 */
async function exists(): Promise<boolean> {
  const pages = await withApiTimeout("clients.matchAll", clients.matchAll({ includeUncontrolled: true }));
  return pages.some(({ url }) => url === chrome.runtime.getURL(PAGE));
}

/** Reports whether a message came from it. */
export function isOffscreen(sender: chrome.runtime.MessageSender): boolean {
  return sender.id === chrome.runtime.id && !sender.tab && sender.url === chrome.runtime.getURL(PAGE);
}

function ensure(): Promise<void> {
  making ??= make().finally(() => (making = undefined));
  return making;
}

async function make(): Promise<void> {
  if (await exists()) return;
  try {
    await withApiTimeout(
      "chrome.offscreen.createDocument",
      // All reasons at once: a document cannot get another one later, and to create
      // it anew would end the call or the clipboard's call that uses it.
      chrome.offscreen.createDocument({
        url: PAGE,
        reasons: ["CLIPBOARD", "USER_MEDIA", "WEB_RTC", "AUDIO_PLAYBACK", "WORKERS", "IFRAME_SCRIPTING"],
        justification: "Uses the clipboard, holds the user's voice call with the agent, and runs the code of agents in a sandbox, while no page of the browser has the focus.",
      }),
    );
  } catch (error) {
    throw Fault.new("capability_unavailable", `the offscreen document could not be made: ${textOf(error)}`, { dispatched: "no" });
  }
}
