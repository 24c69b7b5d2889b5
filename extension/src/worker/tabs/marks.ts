// Rule of this file: a claimed tab is visibly one: it is in the tab
// group "actions.json" of its window and carries a badge. Marks never decide
// anything, and a tab that cannot be grouped is claimed all the same.

import { withApiTimeout, pause } from "../shared/async";
import { Fault, report } from "../shared/fault";
import type { Claims } from "./claims";
import { browserTab, noSuchTab } from "./tabs";

const GROUP_TITLE = "actions.json";
const GROUP_COLOR = "blue";
const BADGE_COLOR = "#2451d1";
const ALARM_COLOR = "#b3261e";
/** Dragging a whole group takes its tabs out and in again; this outlasts it. */
const SETTLE_DELAY_MS = 400;

/** The host is missing, which the badge says on all tabs that are not claimed. */
let alarm = false;
/** So much waits for the user's answer, which the badge says on all tabs. */
let waiting = 0;

/** Puts the tab in the group of its window and gives it the badge. */
export async function mark(tabId: number, claims: Claims): Promise<void> {
  await badge(tabId, true);
  try {
    const tab = await browserTab(tabId);
    const query = { windowId: tab.windowId, title: GROUP_TITLE };
    const [existing] = await withApiTimeout("chrome.tabGroups.query", chrome.tabGroups.query(query));
    const groupId = existing?.id ?? (await newGroup(tabId, tab.windowId));
    // Stored first: the browser's event must not look like a drag by the user.
    claims.update(tabId, { group_id: groupId });
    if (existing) await withApiTimeout("chrome.tabs.group", chrome.tabs.group({ groupId, tabIds: [tabId] }));
  } catch (error) {
    claims.update(tabId, { group_id: undefined });
    report(`Tab ${tabId} could not be put in the group`, error);
  }
}

async function newGroup(tabId: number, windowId: number): Promise<number> {
  const made = chrome.tabs.group({ tabIds: [tabId], createProperties: { windowId } });
  const groupId = await withApiTimeout("chrome.tabs.group", made);
  await withApiTimeout("chrome.tabGroups.update", chrome.tabGroups.update(groupId, { title: GROUP_TITLE, color: GROUP_COLOR }));
  return groupId;
}

/** Removes the marks. The group is the one from before the claim ended. */
export async function unmark(tabId: number, groupId: number | undefined): Promise<void> {
  try {
    await badge(tabId, false);
    if (groupId === undefined) return;
    const tab = await browserTab(tabId);
    if (tab.groupId === groupId) await withApiTimeout("chrome.tabs.ungroup", chrome.tabs.ungroup([tabId]));
  } catch (error) {
    if (!isTabGone(error)) throw error;
  }
}

/** The browser forgets a tab's badge at every navigation: it is set again then. */
export async function badge(tabId: number, on: boolean): Promise<void> {
  const color = chrome.action.setBadgeBackgroundColor({ tabId, color: waiting > 0 ? ALARM_COLOR : BADGE_COLOR });
  const text = chrome.action.setBadgeText({ tabId, text: on ? waitingText() || "on" : "" });
  try {
    await withApiTimeout("the tab's badge", Promise.all([color, text]));
  } catch (error) {
    if (!isTabGone(error)) throw error;
  }
}

/** Shows on all other tabs that the host is missing, or removes that. */
export async function alarmBadge(on: boolean): Promise<void> {
  alarm = on;
  await commonBadge();
}

/** Shows on all tabs how much waits for the user's answer, or removes that. */
export async function waitingBadge(count: number, claims: Claims): Promise<void> {
  waiting = count;
  const title = chrome.action.setTitle({ title: chrome.i18n.getMessage(count > 0 ? "waiting_title" : "name", [String(count)]) });
  await Promise.all([withApiTimeout("the button's title", title), commonBadge(), ...claims.ids().map((id) => badge(id, true))]);
}

/** There is room for four characters. */
const waitingText = (): string => (waiting === 0 ? "" : waiting > 99 ? "99+" : String(waiting));

/** Sets the badge of the tabs that have none of their own. */
async function commonBadge(): Promise<void> {
  const color = chrome.action.setBadgeBackgroundColor({ color: alarm || waiting > 0 ? ALARM_COLOR : BADGE_COLOR });
  const text = chrome.action.setBadgeText({ text: alarm ? "!" : waitingText() });
  await withApiTimeout("the badge", Promise.all([color, text]));
}

/** Reports whether the user has taken the tab out of its group, after a delay in which a dragged group settles. */
export async function leftGroup(tabId: number, claims: Claims): Promise<boolean> {
  const expected = claims.stateOf(tabId).group_id;
  if (expected === undefined) return false;
  await pause(SETTLE_DELAY_MS);
  try {
    const tab = await browserTab(tabId);
    return claims.has(tabId) && tab.groupId !== claims.stateOf(tabId).group_id;
  } catch (error) {
    if (isTabGone(error)) return false; // its closing has another event
    throw error;
  }
}

/** Reports whether the tab is closed, so that it has no marks any more. */
function isTabGone(error: unknown): boolean {
  return noSuchTab(error) || (error instanceof Fault && error.data.code === "runtime_not_found");
}
