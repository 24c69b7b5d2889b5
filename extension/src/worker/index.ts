// Rule of this file: it only connects the modules. Every listener is registered
// before the first await, as a worker that wakes up gets its event only then,
// and every event waits for the mirror of the claims.

import { Repl } from "./automation/repl";
import { UserScripts } from "./automation/user-scripts";
import { handshake } from "./connection/handshake";
import { Link } from "./connection/link";
import { serve, type Handlers, type Listeners } from "./connection/router";
import { DebuggerOwner } from "./debugger/debugger";
import { Dialogs } from "./debugger/dialogs";
import { Frames } from "./frames/frames";
import { Holds } from "./input/hold";
import { InputTracker } from "./input/inputs";
import { Performer } from "./input/perform";
import { RealInput } from "./input/real-input";
import { Clipboard } from "./offscreen/clipboard";
import { Media } from "./offscreen/media";
import { Pdfs } from "./offscreen/pdfs";
import { Announcer } from "./page/announcements";
import { Covers } from "./page/covers";
import { Injector } from "./page/inject";
import { Pages } from "./page/pages";
import { DocumentPorts } from "./page/ports";
import { Signals } from "./page/signals";
import { once } from "./shared/async";
import { Dropped } from "./shared/dropped";
import { Spent } from "./shared/spent";
import { report } from "./shared/fault";
import { Claims } from "./tabs/claims";
import { Documents } from "./tabs/documents";
import { Handover } from "./tabs/handover";
import { alarmBadge, badge, waitingBadge } from "./tabs/marks";
import { Navigation } from "./tabs/navigate";
import { activate, TabLifecycle } from "./tabs/tab-lifecycle";
import { TabReports } from "./tabs/tabs";
import { AgentBridge } from "./ui/agent";
import { UiBackend } from "./ui/backend";
import { Overlays } from "./ui/overlays";
import { PanelBridge } from "./ui/panel";
import { Recordings } from "./ui/recordings";
import { UserStop } from "./ui/user-stop";
import { Work } from "./ui/work";

const ALARM = "reconnect";
/** The first protocol whose host takes what was dropped. */
const DROPPED_PROTOCOL = 10;
/** The first protocol whose hosts know where the time went. */
const SPENT_PROTOCOL = 18;
const started = Date.now();

const dropped = new Dropped();
const spent = new Spent();
const claims = new Claims();
const documents = new Documents(claims);
const injector = new Injector(claims, documents);
const link = new Link({
  makeHandshake: () => handshake(claims, documents),
  serve: (connection) => serve(connection, handlers, listeners, spent),
  onConnected: ({ claims: ids }) => {
    reports.forget();
    handover.onConnected(ids).catch((error: unknown) => report("The host was not notified of the end of a claim", error));
    claims.ids().forEach((id) => announce(id));
    dialogs.announce();
  },
  onStateChanged: ({ state }) => {
    if (state !== "connected") covers.endAll();
    runDetached("The badge was not set", () => alarmBadge(state !== "connected" && state !== "connecting"));
    runDetached("The agent was not shown", () => agentBridge.refresh());
    runDetached("The chats were not shown", () => panelBridge.refresh());
  },
});
const reports = new TabReports(claims, documents, link);
const dialogs = new Dialogs(claims, link);
const inputs = new InputTracker();
const owner = new DebuggerOwner(claims, documents, dialogs, link, inputs, spent);
const handover = new Handover(claims, documents, injector, owner, reports, link);
const frames = new Frames(claims, dropped);
const documentPorts = new DocumentPorts((message, sender) => receiveInput(message, sender) || dropped.addMessage(message, sender), spent);
const pages = new Pages(claims, documents, injector, owner, frames, inputs, documentPorts);
const holds = new Holds(claims, owner, frames, documents);
const realInput = new RealInput(claims, documents, owner, holds);
const performer = new Performer(pages, realInput);
const navigation = new Navigation(claims, documents, injector, owner);
const tabLifecycle = new TabLifecycle(claims, documents, owner, handover);
const covers = new Covers(claims);
const clipboard = new Clipboard(claims, documents);
const signals = new Signals(claims, documents, link);
const announcer = new Announcer(claims, documents, link);
const overlays = new Overlays(claims, documents, link, dropped, inputs);
const media = new Media(link);
const pdfs = new Pdfs(claims);
const repl = new Repl(link);
const userScripts = new UserScripts(claims, documents, link);
const uiBackend = new UiBackend(claims, documents, handover, pages, link);
const agentBridge = new AgentBridge(claims, overlays, link, inputs, dropped);

const panelBridge = new PanelBridge(claims, link, agentBridge.asked, dropped);
const work = new Work(claims);
const userStop = new UserStop(claims, inputs, link, (tabId) => work.runsCode(tabId));

const recordings = new Recordings(claims, frames, inputs, link);

const handlers: Handlers = {
  action_call: (call, signal) => pages.call(call, signal),
  tab_frames: ({ tab_id }) => frames.list(tab_id),
  debugger_command: (call) => owner.relay(call),
  input_send: (call, signal) => realInput.send(call, signal),
  action_perform: (call, signal) => performer.perform(call, signal),
  input_end: (call) => realInput.end(call),
  debugger_release: async ({ tab_id }) => {
    claims.demand(tab_id);
    await owner.detach(tab_id);
    return {};
  },
  tab_activate: (call) => activate(call, claims, documents),
  tab_navigate: (call, signal) => navigation.navigate(call, signal),
  tab_open: (call) => tabLifecycle.open(call),
  tab_claim_opened: (call) => tabLifecycle.claimOpened(call),
  tab_close: (call, signal) => tabLifecycle.close(call, signal),
  tab_cover: (call) => covers.set(call),
  clipboard_read: (call) => clipboard.read(call),
  clipboard_write: (call) => clipboard.write(call),
  media_offer: (_, signal) => media.offer(signal),
  media_answer: (answer) => media.answer(answer),
  media_mute: (wish) => media.mute(wish),
  media_close: () => media.close(),
  repl_run: (call, signal) => repl.run(call, signal),
  user_script_run: (call) => userScripts.run(call),
  question_pages: () => agentBridge.questionPages(),
  ping: async () => ({
    extension_version: chrome.runtime.getManifest().version,
    uptime_ms: Date.now() - started,
    ...(link.protocol >= DROPPED_PROTOCOL && { dropped: dropped.view() }),
    ...(link.protocol >= SPENT_PROTOCOL && { spent: spent.view() }),
  }),
};

const listeners: Listeners = {
  claims_changed: ({ tab_ids }) => handover.accept(tab_ids),
  work_changed: (changed) => {
    work.accept(changed);
    recordings.accept(changed.recordings ?? []);
  },
  agent_changed: ({ change }) => agentBridge.broadcast(change),
  action_error: (error) => report(`The host refused a message (${error.code})`, error.message),
};

agentBridge.waiting.onChanged = (count) => {
  runDetached("The badge was not set", () => waitingBadge(count, claims));
};
agentBridge.onChange = (change) => panelBridge.accept(change);
agentBridge.notices.listen();
chrome.permissions.onAdded.addListener(() => agentBridge.notices.listen());

handover.onClaimed = (tabId) => runDetached("The chat was not shown", () => panelBridge.refresh(tabId));
handover.onReleased = (tabId) => {
  frames.keys.forget(tabId);
  covers.end(tabId);
  userScripts.released(tabId);
  runDetached(`The frames of tab ${tabId} stay`, () => overlays.released(tabId));
  runDetached("The chat was not shown", () => panelBridge.refresh(tabId));
};
injector.onReady = (tabId, runtime) => {
  reports.ready(tabId, runtime.id);
  work.show(tabId);
  recordings.show(tabId);
  userStop.watchFrames(tabId);
};

documents.watch((tabId, event) => {
  if (event.kind !== "replaced" || !claims.has(tabId)) return;
  if (event.previous) reports.removed(tabId, event.previous.id);
  announce(tabId);
  runDetached("The badge was not set", () => badge(tabId, true));
});

/** Reports the tab's document to the host and injects the content script into it. */
function announce(tabId: number): void {
  runDetached("The tab's state was not reported", () => reports.changed(tabId));
  const runtime = documents.current(tabId);
  if (!runtime) return;
  if (runtime.script !== undefined) runtime.script.then(() => reports.ready(tabId, runtime.id), () => handover.prepare(tabId));
  else handover.prepare(tabId);
}

/** Runs work that no caller waits for; its failure is reported. */
function runDetached(what: string, work: () => void | Promise<unknown>): void {
  Promise.resolve()
    .then(work)
    .catch((error: unknown) => report(what, error));
}

/** Registers a handler that sees its events in order, after the claims are restored. */
function on<A extends unknown[]>(
  event: { addListener(listener: (...args: A) => void): void },
  handle: (...args: A) => void | Promise<unknown>,
): void {
  event.addListener((...args) => runDetached("An event was not handled", () => claims.restored().then(() => handle(...args))));
}

on(chrome.webNavigation.onBeforeNavigate, (details) => documents.onBeforeNavigate(details));
on(chrome.webNavigation.onCommitted, (details) => {
  documents.onCommitted(details);
  holds.onDocument(details.tabId, details.documentId);
  recordings.onCommitted(details);
  if (details.frameId !== 0) userStop.watchFrames(details.tabId, details.documentId);
});
on(chrome.webNavigation.onDOMContentLoaded, (details) => {
  documents.onParsed(details);
  if (details.frameId === 0 && claims.has(details.tabId)) handover.prepare(details.tabId);
});
for (const moved of [chrome.webNavigation.onHistoryStateUpdated, chrome.webNavigation.onReferenceFragmentUpdated]) {
  on(moved, (details) => {
    documents.onMoved(details);
    recordings.onMoved(details);
  });
}
on(chrome.webNavigation.onErrorOccurred, (details) => documents.onFailed(details));
on(chrome.webNavigation.onCreatedNavigationTarget, ({ sourceTabId, tabId, url }) => {
  if (!claims.has(sourceTabId)) return;
  tabLifecycle.onOpened(sourceTabId, tabId);
  recordings.onOpened(sourceTabId);
  link.notify("tab_opened", { opener_tab_id: sourceTabId, tab_id: tabId, url });
});

on(chrome.tabs.onUpdated, async (tabId, change) => {
  if (!claims.has(tabId)) return;
  const { groupId } = change;
  if (groupId !== undefined) runDetached("The tab's group was not checked", () => handover.onRegrouped(tabId, groupId));
  // No commit announces a prerendered document; its address does.
  if (change.url !== undefined) await documents.refresh(tabId);
  await (change.url === undefined && change.status === undefined ? reports.retitled(tabId) : reports.changed(tabId));
});
on(chrome.tabs.onActivated, ({ windowId }) => reports.activated(windowId));
on(chrome.tabs.onAttached, (tabId) => reports.changed(tabId));
on(chrome.tabs.onRemoved, (tabId) => handover.release(tabId, "closed"));

on(chrome.debugger.onEvent, (source, method, params) => owner.onEvent(source, method, params));
on(chrome.commands.onCommand, (name) => userStop.command(name));
on(chrome.debugger.onDetach, (source, reason) => owner.onDetached(source, reason));

/** Takes what documents say of real input, over their ports or by messages; returns false for anything else. */
function receiveInput(message: unknown, sender: chrome.runtime.MessageSender): boolean {
  if (!realInput.handles(message, sender)) return false;
  realInput.receive(message);
  return true;
}

chrome.runtime.onMessage.addListener((message: unknown, sender, respond) => {
  if (userScripts.refuses(message, respond)) return false;
  if (media.handles(message, sender)) return media.receive(message, respond);
  if (frames.handles(message, sender)) return frames.receive(message, sender, respond);
  if (pdfs.handles(message, sender)) {
    pdfs.read(message, sender).then(respond, () => respond(null));
    return true;
  }
  if (userStop.handles(message, sender)) {
    runDetached("The user's stop did not reach the host", () => userStop.receive(message, sender));
    return false;
  }
  if (recordings.handles(message, sender)) {
    recordings.receive(message, sender).then(respond, () => respond(false));
    return true;
  }
  if (pages.handles(message, sender)) {
    pages.receive(message);
    return false;
  }
  if (receiveInput(message, sender)) return false;
  if (announcer.handles(message, sender)) {
    announcer.forward(message, sender).then(respond, () => respond(false));
    return true;
  }
  if (!signals.handles(message, sender)) {
    const handled = overlays.receive(message, sender, respond) ?? uiBackend.receive(message, sender, respond);
    if (!handled) dropped.addMessage(message, sender);
    return handled;
  }
  runDetached("An event of a page was not passed on", () => signals.forward(message, sender));
  return false;
});
// A port, be it only a content script's, and the alarm wake a worker that ended.
chrome.runtime.onConnect.addListener((port) => {
  if (!documentPorts.accept(port) && !repl.acceptPort(port) && !agentBridge.acceptPort(port) && !panelBridge.acceptPort(port)) {
    dropped.add("ports", port.sender);
    port.disconnect();
  }
  begin();
});
chrome.alarms.onAlarm.addListener(() => begin());
chrome.runtime.onInstalled.addListener(() => begin());
chrome.runtime.onStartup.addListener(() => begin());

/** Ends what an earlier run of this worker left, before the host can begin anything in this one. */
const cleanUp = once(async () => {
  await owner.cleanUp().catch((error: unknown) => report("The debugger was not cleaned up", error));
  await holds.cleanUp();
  covers.endAll();
});

/** Connects to the host; does nothing while a connection exists. */
function begin(): void {
  runDetached("The worker could not start", async () => {
    await claims.restored();
    await cleanUp();
    link.start();
  });
}

runDetached("The alarm was not set", () => chrome.alarms.create(ALARM, { periodInMinutes: 0.5 }));
begin();
