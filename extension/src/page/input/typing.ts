// Rule: typing is pressing one key after the other in the focused field; a line
// break is the Enter key and a tab the Tab key, with all that those do there.

import { type Args, requiredText, number, text } from "../base/args";
import { PageError } from "../base/errors";
import { deepActive, isInput, isTextArea, localNameOf } from "../dom/dom";
import { isTextField } from "../dom/editable";
import { isSecret } from "../dom/secrets";
import { noteMet } from "../locator/met";
import { watchAdded } from "../text/added";
import { focusedEditable } from "../text/insert";
import { SpreadText } from "../text/spread";
import { type Context, throwIfCancelled, nextTask } from "../wait/schedule";
import { press } from "./keyboard";
import { makeChord } from "./keys";

const NAMED: Record<string, string> = { "\n": "Enter", "\t": "Tab" };

/** text.type, the synthetic one */
export async function type(args: Args, ctx: Context): Promise<unknown> {
  const content = requiredText(args, "text").replaceAll("\r\n", "\n");
  const el = focusedEditable(deepActive(), text(args, "mode") === "replace" ? "replace" : "append");
  const selection = el.ownerDocument.getSelection();
  noteMet(ctx, el);
  if (text(args, "mode") === "replace" && (isInput(el) || isTextArea(el))) el.select();
  const back = Math.trunc(number(args, "select_back_chars", 0, 0, 2000));
  for (let i = 0; i < back; i++) selection?.modify("extend", "backward", "character");
  const length = [...content].length;
  const sensitive = isSecret(el);
  const spread = isTextField(el) ? new SpreadText(el) : undefined;
  const added = watchAdded(el, content);
  let typed = 0;
  for (const character of content) {
    throwIfCancelled(ctx);
    if (performance.now() > ctx.deadline) {
      throw new PageError("handler_timeout", `the time was used up after ${typed} of ${length} characters`, { typed }, typed > 0 ? "yes" : "no");
    }
    if (typed > 0) await nextTask();
    press(makeChord(NAMED[character] ?? character, /^[A-Z]$/.test(character) ? ["shift"] : []), typed);
    typed++;
  }
  if (isInput(el) || isTextArea(el)) el.dispatchEvent(new Event("change", { bubbles: true }));
  await nextTask();
  const arrival = spread?.arrival(content);
  const verified = added() || (arrival ? arrival.verified : content.trim() === "" ? null : false);
  return { typed: true, length, selected_back: back, fidelity: "synthetic", verified, tag_name: localNameOf(el), sensitive };
}
