// Rule of this file: chrome.scripting is called here,
// with a timeout. User style sheets outrank all that a page can write.

import { EMBEDDING } from "../../embedding";
import { withApiTimeout } from "../shared/async";

export type Target = chrome.scripting.InjectionTarget;

/** Selects the elements that show other documents. */
export const FRAMES = `:is(${EMBEDDING})`;

/** Selects the fields that can show a text. A page may turn any of them into a field for another text. */
export const FIELDS = ":is(textarea, select, output, [contenteditable]:not([contenteditable=false i]), [role=textbox i], input:not(:is([type=checkbox i], [type=radio i], [type=range i], [type=color i], [type=file i], [type=image i])))";

export async function insertSheet(target: Target, css: string): Promise<void> {
  await withApiTimeout("chrome.scripting.insertCSS", chrome.scripting.insertCSS({ target, css, origin: "USER" }));
}

/** Removes a sheet, which is identified by its text. */
export async function removeSheet(target: Target, css: string): Promise<void> {
  await withApiTimeout("chrome.scripting.removeCSS", chrome.scripting.removeCSS({ target, css, origin: "USER" }));
}

/** Runs a self-contained function in documents; returns its result in the first one. */
export async function run<A extends unknown[]>(target: Target, func: (...args: A) => unknown, args: A): Promise<unknown> {
  const [first] = await withApiTimeout("chrome.scripting.executeScript", chrome.scripting.executeScript({ target, func, args, injectImmediately: true }));
  return first?.result;
}
