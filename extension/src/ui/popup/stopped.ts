// Rule of this file: it shows that the user has stopped the agents, and where. Only the
// user's Go on lets them work again.

import type { HeldStop } from "../shared/host-client";
import { timeText } from "../shared/host-text";
import { element, t } from "../shared/text";

const FACES = ["popup", "page", "keyboard", "terminal", "browser"];

/** Shows the stops that hold; the last one is told in words. */
export function showStops(stops: HeldStop[]): void {
  const last = stops.at(-1);
  element("stopped").hidden = last === undefined;
  const text = last === undefined ? "" : stopText(last, stops.length);
  if (element("stopped-why").textContent !== text) element("stopped-why").textContent = text;
}

function stopText({ face, at }: HeldStop, count: number): string {
  const what = t(`stopped_${FACES.includes(face) ? face : "popup"}`, [timeText(at)]);
  return count > 1 ? t("stopped_more", [what, String(count)]) : what;
}
