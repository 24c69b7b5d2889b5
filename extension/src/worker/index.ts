// Rule of this file: it only connects the parts. Every listener is registered
// before the first await, as a worker that wakes up gets its event only then,
// and every event waits for the mirror of the claims.

import { activate } from "./activate";
import { Claims } from "./claims";
import { DebuggerOwner } from "./debugger";
import { Documents } from "./documents";
import { report } from "./fault";
import { Handover } from "./handover";
import { handshake } from "./handshake";
import { Injector } from "./inject";
import { alarmBadge, badge } from "./marks";
import { Navigation } from "./navigate";
import { Pages } from "./page";
import { Link } from "./port";
import { serve, type Handlers, type Listeners } from "./router";
import { Signals } from "./signals";
import { TabReports } from "./tabs";
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
  },
  changed: ({ state }) =>
    run("The badge was not set", () => alarmBadge(state !== "connected" && state !== "connecting")),
});
const reports = new TabReports(claims, documents, link);
const owner = new DebuggerOwner(claims, documents, link);
const handover = new Handover(claims, documents, injector, owner, reports, link);
const pages = new Pages(claims, documents, injector);
const navigation = new Navigation(claims, documents, injector);
const signals = new Signals(claims, documents, link);
const desk = new UiDesk(claims, documents, handover, link);

const handlers: Handlers = {
  action_call: (call, signal) => pages.call(call, signal),
  debugger_command: (call) => owner.command(call),
  debugger_release: async ({ tab_id }) => {
    claims.demand(tab_id);
    await owner.detach(tab_id);
    return {};
  },
  tab_activate: (call) => activate(call, claims, documents),
  tab_navigate: (call, signal) => navigation.navigate(call, signal),
  ping: async () => ({
    extension_version: chrome.runtime.getManifest().version,
    uptime_ms: Date.now() - started,
  }),
};

const listeners: Listeners = {
  claims_changed: ({ tab_ids }) => handover.accept(tab_ids),
  action_error: (error) => report(`The host refused a message (${error.code})`, error.message),
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
  if (!signals.concerns(message, sender)) return desk.receive(message, sender, respond);
  run("An event of a page was not passed on", () => signals.pass(message, sender));
  return false;
});
// The content script's port and the alarm wake a worker that ended; starting is all they are for.
chrome.runtime.onConnect.addListener(() => begin());
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
