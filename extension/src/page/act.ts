// Rule of this file: an action is one page call where synthetic events do it
// (target.act), which says so where they cannot, and two around real input: target.prepare leaves everything
// ready, target.verify reads back what became of it. A ref joins the two.

import { click, doubleClick, hover, scrollTo } from "./act-click";
import { check } from "./act-check";
import { drag } from "./act-drag";
import { fill } from "./act-fill";
import { press } from "./act-press";
import { chooseOption, select } from "./act-select";
import { upload } from "./act-upload";
import type { Action, Held } from "./action";
import { actionable } from "./actionable";
import { type Args, needText, number } from "./args";
import { aside, back } from "./aside";
import { viewOf } from "./dom";
import { PageError } from "./errors";
import { labelOf } from "./labels";
import { Leaving } from "./leaving";
import { locatorOf } from "./locate";
import { elementOfRef, refOf } from "./refs";
import { isSecret } from "./secrets";
import { type Context, task } from "./settle";
import { showTarget } from "./shown";
import { refuseDuplicate } from "./submits";

const ACTIONS: Record<string, Action> = {
  click, double_click: doubleClick, hover, scroll: scrollTo, fill, press, select, option: chooseOption, check, upload, drag,
};

/** Targets between prepare and verify; their calls may have died meanwhile. */
const held = new Map<string, Held>();
const MAX_HELD = 20;

const DEFAULT_MS = 5000;

function actionOf(args: Args): Action {
  const name = needText(args, "action");
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) throw new PageError("invalid_arguments", `no such action: ${name}`, { argument: "action" });
  return action;
}

async function take(action: Action, args: Args, ctx: Context): Promise<Held> {
  const end = Math.min(performance.now() + number(args, "timeout_ms", DEFAULT_MS, 0, 30_000), ctx.deadline);
  const target =
    args.locator === undefined && action.find
      ? action.find(args)
      : await actionable(locatorOf(args, "locator"), action.need, end, { ...ctx, deadline: end });
  showTarget(target.el, target.point);
  return { ...target, args, url: target.el.ownerDocument.URL, leaving: new Leaving(viewOf(target.el)) };
}

/** target.prepare */
export async function prepare(args: Args, ctx: Context): Promise<unknown> {
  const action = actionOf(args);
  const target = await take(action, args, ctx);
  const submit_key = refuseDuplicate(target);
  // What is our own steps aside for real input.
  await aside({ keys: true, ...(target.point && { left: target.point.x, top: target.point.y }) });
  const ready = await action.ready(target, ctx);
  const ref = refOf(target.el);
  hold(ref, target);
  return { ref, label: labelOf(target.el), tag_name: target.el.localName, ...(submit_key && { submit_key }), point: target.point, sensitive: isSecret(target.el), ...ready };
}

/** target.act */
export async function act(args: Args, ctx: Context): Promise<unknown> {
  const action = actionOf(args);
  const target = await take(action, args, ctx);
  const instead = action.instead?.(target);
  if (instead) return { instead: { ref: refOf(target.el), label: labelOf(target.el), tag_name: target.el.localName, ...instead } };
  const submit_key = refuseDuplicate(target);
  await action.perform(target, ctx);
  await task();
  return { ...(submit_key && { submit_key }), result: await report(action, target, ctx) };
}

/** target.verify */
export async function verify(args: Args, ctx: Context): Promise<unknown> {
  const ref = needText(locatorOf(args, "locator"), "ref");
  const target = held.get(ref);
  // Of another document: this says which, or that it is gone.
  if (!target) return { lost: labelOf(elementOfRef(ref)) };
  held.delete(ref);
  await task();
  target.guard?.disarm();
  const action = actionOf(args);
  // What is hovered stays so, and what is our own out of its way.
  if (action !== hover) back();
  return { result: await report(action, target, ctx) };
}

async function report(action: Action, target: Held, ctx: Context): Promise<unknown> {
  const { el } = target;
  const label = labelOf(el);
  const outcome = await action.read(target, ctx);
  const away = await target.leaving.left(ctx);
  const current = away ?? el.ownerDocument.URL;
  return {
    label,
    tag_name: el.localName,
    ...outcome,
    ...(target.scrolled && { scrolled: true }),
    ...(away !== undefined && { navigated: true }),
    ...(current !== target.url && { page_url_changed: { previous: target.url, current } }),
  };
}

function hold(ref: string, target: Held): void {
  held.get(ref)?.guard?.disarm();
  held.delete(ref);
  held.set(ref, target);
  for (const [oldest, stale] of held) {
    if (held.size <= MAX_HELD) break;
    stale.guard?.disarm();
    held.delete(oldest);
  }
}
