// Rule of this file: it only connects the parts. Every listener is registered
// before the first await, as a worker that wakes up gets its event only then,
// and every event waits for the mirror of the claims.

import { activate } from "./activate";
import { AgentDesk } from "./agent";
import { Announcer } from "./announcements";
import { Claims } from "./claims";
import { DebuggerOwner } from "./debugger";
import { Dialogs } from "./dialogs";
import { Documents } from "./documents";
import { report } from "./fault";
import { Frames } from "./frames";
import { Handover } from "./handover";
import { handshake } from "./handshake";
import { Injector } from "./inject";
import { Inputs } from "./inputs";
import { alarmBadge, badge } from "./marks";
import { Media } from "./media";
import { Navigation } from "./navigate";
import { Overlays } from "./overlays";
import { Pages } from "./page";
import { askOffscreen } from "./offscreen";
import { Link } from "./port";
import { serve, type Handlers, type Listeners } from "./router";
import { Signals } from "./signals";
import { TabLife } from "./tab-life";
import { TabReports } from "./tabs";
import { Traffic } from "./traffic";
import { UiDesk } from "./ui";

const ALARM = "reconnect";
const started = Date.now();

const claims = new Claims();
const documents = new Documents(claims);
const injector = new Injector(claims, documents);
const link = new Link({
  hello: () => handshake(claims, documents),
  serve: (connection) => serve(connection, handlers, listeners),
  welcome: ({ claims: ids }) => {
    reports.forget();
    handover.accept(ids);
    claims.ids().forEach((id) => announce(id));
    dialogs.announce();
  },
  changed: ({ state }) => {
    run("The badge was not set", () => alarmBadge(state !== "connected" && state !== "connecting"));
    run("The agent was not shown", () => agent.refresh());
  },
});
const reports = new TabReports(claims, documents, link);
const dialogs = new Dialogs(claims, link);
const inputs = new Inputs();
const owner = new DebuggerOwner(claims, documents, dialogs, link, inputs);
const handover = new Handover(claims, documents, injector, owner, reports, link);
const frames = new Frames(claims);
const pages = new Pages(claims, documents, injector, owner, frames, inputs);
const navigation = new Navigation(claims, documents, injector, owner);
const life = new TabLife(claims, documents, owner, handover);
const traffic = new Traffic(claims);
const signals = new Signals(claims, documents, link);
const announcer = new Announcer(claims, documents, link);
const overlays = new Overlays(claims, documents, link);
const media = new Media(link);
const desk = new UiDesk(claims, documents, handover, pages, link);
const agent = new AgentDesk(claims, overlays, link, inputs);

const handlers: Handlers = {
  action_call: (call, signal) => pages.call(call, signal),
  tab_frames: ({ tab_id }) => frames.list(tab_id),
  debugger_command: (call) => owner.command(call),
  debugger_release: async ({ tab_id }) => {
    claims.demand(tab_id);
    await owner.detach(tab_id);
    return {};
  },
  tab_activate: (call) => activate(call, claims, documents),
  tab_navigate: (call, signal) => navigation.navigate(call, signal),
  tab_open: (call) => life.open(call),
  tab_close: (call) => life.close(call),
  tab_traffic: async ({ tab_id }) => traffic.of(tab_id),
  clipboard_read: async ({ tab_id }) => {
    claims.demand(tab_id);
    const { text, html } = await askOffscreen({ to: "offscreen", kind: "clipboard_read" });
    return { text, html };
  },
  clipboard_write: async ({ tab_id, text, html }) => {
    claims.demand(tab_id);
    await askOffscreen({ to: "offscreen", kind: "clipboard_write", text, ...(html !== undefined && { html }) });
    return {};
  },
  media_offer: (_, signal) => media.offer(signal),
  media_answer: (answer) => media.answer(answer),
  media_mute: (wish) => media.mute(wish),
  media_close: () => media.close(),
  ping: async () => ({
    extension_version: chrome.runtime.getManifest().version,
    uptime_ms: Date.now() - started,
  }),
};

const listeners: Listeners = {
  claims_changed: ({ tab_ids }) => handover.accept(tab_ids),
  agent_changed: ({ change }) => agent.changed(change),
  action_error: (error) => report(`The host refused a message (${error.code})`, error.message),
};

claims.onChange = () => traffic.follow();
handover.onReleased = (tabId) => {
  frames.keys.forget(tabId);
  run(`The frames of tab ${tabId} stay`, () => overlays.released(tabId));
};
injector.onReady = (tabId, runtime) => reports.ready(tabId, runtime.id);

documents.watch((tabId, event) => {
  if (event.kind !== "replaced" || !claims.has(tabId)) return;
  if (event.previous) reports.removed(tabId, event.previous.id);
  announce(tabId);
  run("The badge was not set", () => badge(tabId, true));
});

/** Tells the host of the tab's document and brings the content script into it. */
function announce(tabId: number): void {
  run("The tab's state was not reported", () => reports.changed(tabId));
  const runtime = documents.current(tabId);
  if (!runtime) return;
  if (runtime.script) runtime.script.then(() => reports.ready(tabId, runtime.id), () => handover.prepare(tabId));
  else handover.prepare(tabId);
}

/** Runs what nobody waits for; its failure is reported. */
function run(what: string, work: () => void | Promise<unknown>): void {
  Promise.resolve()
    .then(work)
    .catch((error: unknown) => report(what, error));
}

/** Registers a handler that sees its events in order, after the claims are restored. */
function on<A extends unknown[]>(
  event: { addListener(listener: (...args: A) => void): void },
  handle: (...args: A) => void | Promise<unknown>,
): void {
  event.addListener((...args) => run("An event was not handled", () => claims.restored().then(() => handle(...args))));
}

on(chrome.webNavigation.onBeforeNavigate, (details) => documents.begun(details));
on(chrome.webNavigation.onCommitted, (details) => documents.committed(details));
on(chrome.webNavigation.onDOMContentLoaded, (details) => {
  documents.parsed(details);
  if (details.frameId === 0 && claims.has(details.tabId)) handover.prepare(details.tabId);
});
on(chrome.webNavigation.onHistoryStateUpdated, (details) => documents.moved(details));
on(chrome.webNavigation.onReferenceFragmentUpdated, (details) => documents.moved(details));
on(chrome.webNavigation.onErrorOccurred, (details) => documents.failed(details));
on(chrome.webNavigation.onCreatedNavigationTarget, ({ sourceTabId, tabId, url }) => {
  if (claims.has(sourceTabId)) link.notify("tab_opened", { opener_tab_id: sourceTabId, tab_id: tabId, url });
});

on(chrome.tabs.onUpdated, async (tabId, change) => {
  if (!claims.has(tabId)) return;
  const { groupId } = change;
  if (groupId !== undefined) run("The tab's group was not checked", () => handover.regrouped(tabId, groupId));
  // No commit announces a prerendered document; its address does.
  if (change.url !== undefined) await documents.refresh(tabId);
  await reports.changed(tabId);
});
on(chrome.tabs.onActivated, ({ windowId }) => reports.activated(windowId));
on(chrome.tabs.onAttached, (tabId) => reports.changed(tabId));
on(chrome.tabs.onRemoved, (tabId) => handover.release(tabId, "closed"));

on(chrome.debugger.onEvent, (source, method, params) => owner.event(source, method, params));
on(chrome.debugger.onDetach, (source, reason) => owner.detached(source, reason));

chrome.runtime.onMessage.addListener((message: unknown, sender, respond) => {
  if (media.concerns(message, sender)) return media.receive(message, respond);
  if (frames.concerns(message, sender)) return frames.receive(message, sender, respond);
  if (announcer.concerns(message, sender)) {
    announcer.pass(message, sender).then(respond, () => respond(false));
    return true;
  }
  if (!signals.concerns(message, sender)) {
    return overlays.receive(message, sender, respond) ?? desk.receive(message, sender, respond);
  }
  run("An event of a page was not passed on", () => signals.pass(message, sender));
  return false;
});
// A port, be it only a content script's, and the alarm wake a worker that ended.
chrome.runtime.onConnect.addListener((port) => {
  agent.take(port);
  begin();
});
chrome.alarms.onAlarm.addListener(() => begin());
chrome.runtime.onInstalled.addListener(() => begin());
chrome.runtime.onStartup.addListener(() => begin());

/** Connects, whoever asks first; asking again does nothing while a connection stands. */
function begin(): void {
  run("The worker could not start", async () => {
    await claims.restored();
    await owner.cleanUp().catch((error: unknown) => report("The debugger was not cleaned up", error));
    link.start();
  });
}

run("The alarm was not set", () => chrome.alarms.create(ALARM, { periodInMinutes: 0.5 }));
begin();
