// Rule: a preview finds what a step would act on as the step itself would, touches nothing,
// and marks it for a moment. It says nothing of what stands in a field.

import { type Args, flag, number } from "../base/args";
import { PageError } from "../base/errors";
import { nameOf, roleOf, withAriaCaches } from "../dom/aria";
import { composedClosest, isButton, isInput, localNameOf } from "../dom/dom";
import { deepElementAt } from "../dom/hit-test";
import { isSecret } from "../dom/secrets";
import { shortName } from "../dom/short-name";
import { disabledControl, isRendered, isVisible } from "../dom/visibility";
import { locate, locateOne, locatorOf, noTarget } from "../locator/locate";
import { Marks } from "./marks";

/** Long enough to be looked at. */
const SHOWN_MS = 6000;

/** What takes a press that lands on something inside it. */
const CONTROLS = "a[href], button, input, select, textarea, summary, label, [role=button], [role=link], [role=menuitem], [role=option], [role=tab], [role=checkbox], [role=radio], [role=switch]";

const marks = new Marks("actions-json-preview", SHOWN_MS);

/** target.show */
export function showTarget(args: Args): unknown {
  const target = find(args);
  const mark = args.mark !== undefined && isRendered(target);
  const found = withAriaCaches(() => ({
    role: roleOf(target),
    name: shortName(nameOf(target)),
    tag_name: localNameOf(target),
    visible: isRendered(target),
    enabled: disabledControl(target) === null,
    sensitive: isSecret(target),
  }));
  const address = addressOf(target);
  if (mark) marks.add(target, String(number(args, "mark", 1, 1, 99)));
  return { ...found, ...(address !== undefined && { address }), marked: mark };
}

/** Removes the marks. */
export const removePreview = (): void => marks.remove();

/** Hides the marks while a picture is taken; reports whether there were any. */
export const hidePreview = (): boolean => marks.hide();

/** Shows them again. */
export const unhidePreview = (): void => marks.unhide();

function find(args: Args): Element {
  if (args.locator !== undefined) {
    const locator = locatorOf(args, "locator");
    if (flag(args, "single", false)) return locateOne(locator);
    const found = locate(locator);
    const target = found.find(isVisible) ?? found[0];
    if (!target) throw noTarget(locator);
    return target;
  }
  if (args.x === undefined || args.y === undefined) throw new PageError("missing_coordinates", "neither a locator nor a point is named", {});
  const point = { x: number(args, "x", 0, -1e6, 1e6), y: number(args, "y", 0, -1e6, 1e6) };
  const hit = deepElementAt(point);
  if (!hit) throw new PageError("point_out_of_viewport", "nothing is at the point", { point });
  return composedClosest(hit.element, CONTROLS) ?? hit.element;
}

/** Returns where a press leads, by attributes alone: a form's properties may be its fields. */
function addressOf(target: Element): string | undefined {
  const link = target.closest("a[href], area[href]");
  if (link) return absolute(link, link.getAttribute("href"));
  const submits = (isButton(target) && target.type === "submit") || (isInput(target) && (target.type === "submit" || target.type === "image"));
  const form = submits ? target.form : null;
  return form ? absolute(form, target.getAttribute("formaction") ?? form.getAttribute("action") ?? "") : undefined;
}

function absolute(el: Element, address: string | null): string | undefined {
  if (address === null || !URL.canParse(address, el.baseURI)) return undefined;
  const { href, protocol } = new URL(address, el.baseURI);
  return protocol === "http:" || protocol === "https:" ? href : `${protocol}…`;
}
