// Rule of this file: an action is one page call where synthetic events suffice
// (target.act, which returns `instead` where they do not), and two around real
// input: target.prepare makes everything ready, target.verify reads the outcome.
// A ref connects the two.

import { type Args, requiredText, number, text } from "../base/args";
import { PageError } from "../base/errors";
import { localNameOf, viewOf } from "../dom/dom";
import { deepElementAt } from "../dom/hit-test";
import { labelOf } from "../dom/labels";
import { isSecret } from "../dom/secrets";
import { rejectDuplicate } from "../input/duplicate-submit";
import { releaseInput, registerInputTarget } from "../input/hold";
import { locatorOf } from "../locator/locate";
import { noteMet } from "../locator/met";
import { elementOfRef, refOf } from "../locator/refs";
import { highlightTarget } from "../overlay/highlight";
import { yieldToInput, endYield } from "../overlay/yield";
import { NavigationWatcher } from "../wait/navigation";
import { type Context, nextTask } from "../wait/schedule";
import type { Action, HeldTarget } from "./action";
import { actionable } from "./actionable";
import { check } from "./check";
import { listClosed } from "./chosen";
import { chooseOption } from "./custom-list";
import { click, doubleClick, hover, scrollTo } from "./click";
import { drag, isNativeDrag } from "./drag";
import { fill } from "./fill";
import { press } from "./press";
import { select } from "./select";
import { inputTargetFor } from "./target-check";
import { upload } from "./upload";

const ACTIONS: Record<string, Action> = {
  click, double_click: doubleClick, hover, scroll: scrollTo, fill, press, select, option: chooseOption, list_closed: listClosed, check, upload, drag,
};

/** Targets between prepare and verify; their calls may have ended without verify. */
const heldTargets = new Map<string, HeldTarget>();
const MAX_HELD = 20;

const DEFAULT_TIMEOUT_MS = 5000;

function actionOf(args: Args): Action {
  const name = requiredText(args, "action");
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) throw new PageError("invalid_arguments", `no such action: ${name}`, { argument: "action" });
  return action;
}

async function resolveTarget(action: Action, args: Args, ctx: Context): Promise<HeldTarget> {
  const end = Math.min(performance.now() + number(args, "timeout_ms", DEFAULT_TIMEOUT_MS, 0, 30_000), ctx.deadline);
  const target =
    args.locator === undefined && action.find
      ? action.find(args)
      : await actionable(locatorOf(args, "locator"), action.need, end, { ...ctx, deadline: end });
  noteMet(ctx, target.el);
  highlightTarget(target.el, target.point);
  const hold = text(args, "hold");
  return { ...target, args, ...(hold !== undefined && { hold }), url: target.el.ownerDocument.URL, navigation: new NavigationWatcher(viewOf(target.el)) };
}

/** target.prepare */
export async function prepare(args: Args, ctx: Context): Promise<unknown> {
  const action = actionOf(args);
  // The guard of a call that ended without verify must not block the next press.
  heldTargets.forEach(giveUp);
  const target = await resolveTarget(action, args, ctx);
  const submit_key = rejectDuplicate(target);
  // The extension's overlays yield to real input.
  await yieldToInput({ keys: true, ...(target.point && { left: target.point.x, top: target.point.y }) });
  const prepared = await action.prepare(target, ctx);
  const ref = refOf(target.el);
  hold(ref, target);
  if (target.hold !== undefined) registerInputTarget(target.hold, inputTargetFor(target, prepared.way, target.hold));
  return { ref, label: labelOf(target.el), tag_name: localNameOf(target.el), ...(submit_key && { submit_key }), point: target.point, settles: mayRedraw(target), sensitive: isSecret(target.el), scrolled: target.scrolled, ...prepared };
}

// A press on a part of a control is lost where the control, as the pointer comes to it, puts
// another part in its place.
function mayRedraw({ hitTarget, point }: HeldTarget): boolean {
  return point !== null && !hitTarget.matches(":hover") && deepElementAt(point)?.element !== hitTarget;
}

/** target.act */
export async function act(args: Args, ctx: Context): Promise<unknown> {
  const action = actionOf(args);
  const target = await resolveTarget(action, args, ctx);
  const instead = action.realInput?.(target);
  if (instead) return { instead: { ref: refOf(target.el), label: labelOf(target.el), tag_name: localNameOf(target.el), ...instead } };
  const submit_key = rejectDuplicate(target);
  const outputOf = (result: object): object => ({ ...(submit_key && { submit_key }), result });
  target.navigation.onLeave = (to) => void reportLeaving(action, target, ctx, (outcome) => outputOf(resultFor(target, outcome, to)));
  await action.perform(target, ctx);
  await nextTask();
  return outputOf(await resultOf(action, target, ctx));
}

/** target.grasped */
export async function grasped(args: Args): Promise<unknown> {
  const target = heldTargets.get(requiredText(args, "ref"));
  await nextTask();
  return { native: target !== undefined && isNativeDrag(target) };
}

/** target.verify */
export async function verify(args: Args, ctx: Context): Promise<unknown> {
  const ref = requiredText(locatorOf(args, "locator"), "ref");
  const target = heldTargets.get(ref);
  // A ref of another document: elementOfRef throws for which one, or that it is gone.
  if (!target) return { lost: labelOf(elementOfRef(ref)) };
  heldTargets.delete(ref);
  if (target.hold !== undefined) releaseInput(target.hold);
  await nextTask();
  target.guard?.disarm();
  const action = actionOf(args);
  // After a hover the pointer stays there, and the overlays stay out of its way.
  if (action !== hover) endYield();
  return { result: await resultOf(action, target, ctx) };
}

/** Reports what the answer is if the document goes away now; nothing where the action was not seen to work. */
async function reportLeaving(action: Action, target: HeldTarget, ctx: Context, outputOf: (outcome: object) => object): Promise<void> {
  try {
    ctx.leaving?.(outputOf(await action.readResult(target, ctx)));
  } catch {
    // The action goes on, and its own answer tells.
  }
}

async function resultOf(action: Action, target: HeldTarget, ctx: Context): Promise<object> {
  const outcome = await action.readResult(target, ctx);
  return resultFor(target, outcome, await target.navigation.destination(ctx));
}

function resultFor({ el, scrolled, url }: HeldTarget, outcome: object, navigatedTo: string | undefined): object {
  const current = navigatedTo ?? el.ownerDocument.URL;
  return {
    label: labelOf(el),
    tag_name: localNameOf(el),
    ...outcome,
    ...(scrolled && { scrolled: true }),
    ...(navigatedTo !== undefined && { navigated: true }),
    ...(current !== url && { page_url_changed: { previous: url, current } }),
  };
}

function hold(ref: string, target: HeldTarget): void {
  giveUp(heldTargets.get(ref));
  heldTargets.delete(ref);
  heldTargets.set(ref, target);
  for (const [oldest, other] of heldTargets) {
    if (heldTargets.size <= MAX_HELD) break;
    giveUp(other);
    heldTargets.delete(oldest);
  }
}

function giveUp(target: HeldTarget | undefined): void {
  target?.guard?.disarm();
  target?.end?.();
}
