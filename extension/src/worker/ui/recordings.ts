// Rule of this file: a recording is the host's, and what the user did comes from the content
// scripts of a tab that is recorded alone. What was typed or chosen stays here, in the memory of the
// browser, and a token stands for it; what was typed is left out of names and addresses. The host
// gets a text when the user keeps it as it is. Input that an agent sends is not the user's.

import type { RecordingMessage, RecordPressedMessage } from "../../page/overlay/recording";
import { MAX_TEXT, type RecordedMessage, type SecretMessage, type TypedMessage } from "../../page/record/messages";
import { hash } from "../../hash";
import type { MetFrame, MetTarget, Recorded, Recording, RecordState } from "../../protocol";
import type { Link } from "../connection/link";
import { definitions } from "../connection/validators";
import type { Frames } from "../frames/frames";
import type { InputTracker } from "../input/inputs";
import { inject } from "../page/inject";
import { pause } from "../shared/async";
import { Fault, report } from "../shared/fault";
import type { Claims } from "../tabs/claims";

type Sender = chrome.runtime.MessageSender;
type Message = RecordedMessage | TypedMessage | SecretMessage | RecordPressedMessage;
/** The members that an event has of itself. */
type Event = Omit<Recorded, "tab_id" | "url" | "id">;

const SCRIPT = "recorder.js";
/** A text that is shorter occurs by chance. */
const MIN_TYPED = 3;
const RETRY_DELAY_MS = 50;
/** From it on a host knows which keys were held at a click. */
const MODIFIERS_PROTOCOL = 19;
const BUTTONS = new Set(["pause", "resume", "undo", "check", "keep", "vary", "done"]);
const TOKEN = /^typed-[0-9a-f]{12}$/;

/** A navigation as the browser reports it. */
interface Commit {
  tabId: number;
  frameId: number;
  documentId?: string;
  url: string;
  transitionType?: string;
  transitionQualifiers?: string[];
}

/** The recordings of claimed tabs. */
export class Recordings {
  private running = new Map<number, Recording>();
  /** The host has sent its view: after a start of the worker it comes later than the first events may. */
  private isViewed = false;
  private readonly paths = new Map<string, Promise<MetFrame[] | undefined>>();
  private readonly queues = new Map<number, Promise<boolean>>();
  /** The tokens whose texts the user keeps: one that is typed on is kept as it is then. */
  private readonly kept = new Set<string>();
  /** Why the last Done made no action of a tab's recording, with what that was then. */
  private readonly failures = new Map<number, { message: string; of: string }>();
  /** The tokens whose texts are too long to be known whole. */
  private readonly cut = new Set<string>();

  constructor(
    private readonly claims: Claims,
    private readonly frames: Frames,
    private readonly inputs: InputTracker,
    private readonly link: Link,
  ) {}

  /** Takes the host's view. */
  accept(recordings: readonly Recording[]): void {
    const before = this.running;
    // What an earlier run of this worker left goes, too.
    const ended = this.isViewed ? [...before.keys()] : this.claims.ids();
    this.isViewed = true;
    this.running = new Map(recordings.filter(({ tab_id }) => this.claims.has(tab_id)).map((each) => [each.tab_id, each]));
    for (const tabId of ended) {
      if (this.running.has(tabId)) continue;
      this.claims.update(tabId, { typed: undefined, chosen: undefined, secrets: undefined });
      this.send(tabId);
    }
    for (const [tabId, { of }] of this.failures) if (JSON.stringify(this.running.get(tabId)) !== of) this.failures.delete(tabId);
    if (this.running.size === 0) for (const each of [this.paths, this.kept, this.cut]) each.clear();
    for (const tabId of this.running.keys()) {
      if (before.has(tabId)) this.show(tabId);
      else void this.begin({ tabId, allFrames: true });
    }
  }

  /** Shows the tab's recording in it, or that there is none: a document that comes back from the cache may have missed its end. */
  show(tabId: number): void {
    if (this.isViewed) this.send(tabId);
  }

  /** A document has come into a frame of the tab, or into the tab itself. */
  onCommitted(details: Commit): void {
    const { tabId, frameId, documentId, url, transitionType = "", transitionQualifiers = [] } = details;
    if (!this.running.has(tabId) || documentId === undefined) return;
    void this.begin({ tabId, documentIds: [documentId] }, frameId === 0 ? undefined : documentId);
    if (frameId !== 0) return;
    const byUser = ["typed", "auto_bookmark", "generated", "keyword"].includes(transitionType) || transitionQualifiers.some((each) => each === "from_address_bar" || each === "forward_back");
    void this.add(tabId, { event: byUser ? "navigate" : "page" }, url);
  }

  /** The address has changed within the document. */
  onMoved({ tabId, frameId, url }: Commit): void {
    if (this.running.has(tabId) && frameId === 0) void this.add(tabId, { event: "page" }, url);
  }

  /** The page of the tab opened another one. */
  onOpened(tabId: number): void {
    if (this.running.has(tabId)) void this.add(tabId, { event: "tab_opened" }, "");
  }

  /** Reports whether the message is of the content script of a claimed tab. */
  handles(message: unknown, sender: Sender): message is Message {
    const { kind, x, y, do: what, token, text, salt, length, hash: digits } = (message ?? {}) as Record<string, unknown>;
    if (sender.id !== chrome.runtime.id || sender.tab?.id === undefined || !sender.documentId) return false;
    switch (kind) {
      case "recorded": {
        const { kind: _, ...rest } = message as RecordedMessage;
        return definitions["Recorded"]?.({ ...rest, tab_id: sender.tab.id, url: "" }) === true && isByHand(rest.event);
      }
      case "recorded_text":
        return isToken(token) && typeof text === "string" && text.length <= MAX_TEXT;
      case "recorded_secret":
        return isToken(salt) && Number.isInteger(length) && typeof digits === "string" && digits.length <= 16;
      case "record_pressed":
        if (sender.frameId !== 0 || typeof x !== "number" || typeof y !== "number" || typeof what !== "string") return false;
        return what === "keep" || what === "vary" ? isToken(token) : BUTTONS.has(what);
      default:
        return false;
    }
  }

  /** Takes the message; returns whether the page may forget it. */
  async receive(message: Message, sender: Sender): Promise<boolean> {
    const tabId = sender.tab?.id;
    await this.claims.restored();
    if (tabId === undefined || !this.claims.has(tabId) || this.hasEnded(tabId)) return true;
    switch (message.kind) {
      case "recorded_text":
        await this.learn(tabId, message);
        return true;
      case "recorded_secret":
        this.claims.update(tabId, { secrets: { ...this.claims.stateOf(tabId).secrets, [message.salt]: { length: message.length, hash: message.hash } } });
        return true;
      case "record_pressed":
        await this.queues.get(tabId)?.catch(() => {}); // what was done before the press is in the recording
        if (!this.inputs.pressedAt(tabId, message)) await this.control(tabId, message);
        return true;
      case "recorded": {
        if (this.inputs.mayBeEcho(tabId)) return true; // an agent's hand
        const { kind: _, id, ...event } = message;
        return this.add(tabId, event, sender.tab?.url ?? "", { id, ...(sender.frameId !== 0 && { inFrame: sender.documentId }) });
      }
    }
  }

  /** Sends the host events in the order in which they came; returns whether it has this one. */
  private add(tabId: number, event: Event, url: string, more: { id?: string; inFrame?: string | undefined } = {}): Promise<boolean> {
    const id = more.id ?? crypto.randomUUID();
    return this.inTurn(tabId, async () => {
      const path = more.inFrame === undefined ? undefined : await this.pathTo(tabId, more.inFrame);
      const placed = path ? { ...event, ...(event.target && { target: { ...event.target, frame: path } }), ...(event.destination && { destination: { ...event.destination, frame: path } }) } : event;
      return this.deliver({ ...this.masked(tabId, placed, url), tab_id: tabId, id });
    });
  }

  /** Sends the event until the host answers, so that none comes before it; false where the recording or the claim has ended before. */
  private async deliver(recorded: Recorded): Promise<boolean> {
    const { modifiers: _, ...known } = recorded;
    for (;;) {
      try {
        await this.link.request("recorded", this.link.protocol < MODIFIERS_PROTOCOL ? known : recorded);
        return true;
      } catch (error) {
        if (Fault.of(error).data.code !== "transport_failed") {
          report("The host refused what was recorded", error); // and would again
          return true;
        }
      }
      if (!this.claims.has(recorded.tab_id) || this.hasEnded(recorded.tab_id)) return false;
      await pause(RETRY_DELAY_MS);
    }
  }

  private hasEnded(tabId: number): boolean {
    return this.isViewed && !this.running.has(tabId);
  }

  private async begin(target: chrome.scripting.InjectionTarget, inFrame?: string): Promise<void> {
    await inject(target, SCRIPT).catch(() => {}); // a frame that takes no script is not recorded
    this.show(target.tabId);
    if (inFrame !== undefined) void this.pathTo(target.tabId, inFrame);
  }

  /** What names the frames on the way to the document, which may be gone when its events come. */
  private pathTo(tabId: number, documentId: string): Promise<MetFrame[] | undefined> {
    const known = this.paths.get(documentId);
    if (known !== undefined) return known;
    const found = this.frames.pathTo(tabId, documentId).catch(() => {
      this.paths.delete(documentId); // the next event tries again
      return undefined;
    });
    this.paths.set(documentId, found);
    return found;
  }

  private send(tabId: number): void {
    const recording = this.running.get(tabId);
    const failure = this.failures.get(tabId)?.message;
    const message: RecordingMessage = { kind: "recording", ...(recording && { recording }), ...(failure !== undefined && { failure }) };
    chrome.tabs.sendMessage(tabId, message).catch(() => {}); // a document without a script gets it with that
  }

  private async control(tabId: number, { do: what, token = "" }: RecordPressedMessage): Promise<void> {
    if (what === "undo" || what === "vary") this.kept.delete(token);
    if (what !== "keep") {
      const state = await this.link.request("ui_record", { tab_id: tabId, do: what, ...(what === "vary" && { token }) });
      this.showFailure(tabId, state);
      return;
    }
    this.kept.add(token);
    this.show(tabId); // what is in the field now comes for it
    const { typed, chosen } = this.claims.stateOf(tabId);
    const text = typed?.[token] ?? chosen?.[token];
    if (text !== undefined) await this.keep(tabId, token, text);
  }

  /** Shows why a recording goes on that was to end. */
  private showFailure(tabId: number, { recording, result }: RecordState): void {
    const { message } = (result?.["error"] ?? {}) as { message?: string };
    if (recording && message !== undefined) this.failures.set(tabId, { message, of: JSON.stringify(this.running.get(tabId)) });
    else this.failures.delete(tabId);
    this.show(tabId);
  }

  /** Has the host keep the text as it is; not one that is not known whole. */
  private async keep(tabId: number, token: string, text: string): Promise<void> {
    if (this.cut.has(token)) {
      await this.link.request("ui_record", { tab_id: tabId, do: "vary", token });
      return;
    }
    try {
      await this.link.request("ui_record", { tab_id: tabId, do: "keep", token, text });
    } catch (error) {
      if (Fault.of(error).data.code !== "state_mismatch") throw error;
      this.kept.delete(token); // its step is undone
    }
  }

  private async learn(tabId: number, { token, text, chosen, cut }: TypedMessage): Promise<void> {
    const store = chosen ? "chosen" : "typed";
    const known = this.claims.stateOf(tabId)[store];
    if (cut) this.cut.add(token);
    else this.cut.delete(token);
    if (known?.[token] === text) return;
    this.claims.update(tabId, { [store]: { ...known, [token]: text } });
    const running = this.running.get(tabId);
    // A worker that has just begun knows of the last one by the host.
    if (!this.kept.has(token) && !(running?.kept && running.token === token)) return;
    await this.inTurn(tabId, () => this.keep(tabId, token, text).then(() => true));
  }

  /** Does the work after what came before it from the tab. */
  private inTurn(tabId: number, work: () => Promise<boolean>): Promise<boolean> {
    const done = (this.queues.get(tabId) ?? Promise.resolve(true)).catch(() => false).then(work);
    this.queues.set(tabId, done);
    return done;
  }

  private masked(tabId: number, event: Event, url: string): Event & { url: string } {
    const typed = Object.entries(this.claims.stateOf(tabId).typed ?? {})
      .map(([token, text]) => [token, text.trim()] as const)
      .filter(([, text]) => text.length >= MIN_TYPED);
    const { target, destination, ...rest } = event;
    // What has to be there afterwards may greet by the first of two names.
    const words = event.event === "assert" ? wordsOf(typed) : [];
    const secrets = Object.entries(this.claims.stateOf(tabId).secrets ?? {});
    return {
      ...rest,
      ...(target && { target: withoutSecrets(maskedTarget(withoutWords(target, words, typed), typed), secrets) }),
      ...(destination && { destination: withoutSecrets(maskedTarget(destination, typed), secrets) }),
      url: hasSecret(decoded(url), secrets) ? new URL(url).origin : maskedAddress(url, typed, event.event === "navigate"),
    };
  }
}

type Typed = readonly (readonly [token: string, text: string])[];

const isToken = (token: unknown): token is string => typeof token === "string" && TOKEN.test(token);
const isByHand = (event: Recorded["event"]): boolean => !["navigate", "page", "tab_opened"].includes(event);

/** Puts tokens in place of what was typed; undefined where something of it is left, in other letters. */
export function masked(text: string | undefined, typed: Typed): string | undefined {
  if (text === undefined) return undefined;
  let out = text;
  for (const [token, value] of [...typed].sort((a, b) => b[1].length - a[1].length)) out = out.replaceAll(value, token);
  const left = out.toLowerCase();
  return typed.some(([, value]) => left.includes(value.toLowerCase())) ? undefined : out;
}

/** The words of texts that are more than one. */
const wordsOf = (typed: Typed): string[] => typed.flatMap(([, text]) => (/\s/.test(text) ? text.split(/\s+/) : [])).filter((word) => word.length >= MIN_TYPED);

/** Puts … in place of words that were typed, where the whole text of them does not stand. */
function withoutWords(target: MetTarget, words: readonly string[], typed: Typed): MetTarget {
  const out: MetTarget = { ...target };
  const has = (text: string): boolean => words.some((each) => text.toLowerCase().includes(each.toLowerCase()));
  for (const name of ["name", "label", "text"] as const) {
    const text = masked(target[name], typed);
    if (text !== undefined) out[name] = text.split(/(\s+)/).map((word) => (has(word) ? "…" : word)).join("");
  }
  for (const name of ["test_id", "selector"] as const) if (has(out[name] ?? "")) delete out[name];
  if (has(Object.values(out.row ?? {}).join(" "))) delete out.row;
  return out;
}

/** The members of a target in which words of the page stand. */
const TEXTS = ["name", "label", "text", "test_id", "selector"] as const;

type Secrets = readonly (readonly [salt: string, of: { length: number; hash: string }])[];

/** Reports whether a secret stands in the text. */
function hasSecret(text: string, secrets: Secrets): boolean {
  return secrets.some(([salt, of]) => {
    for (let at = 0; at + of.length <= text.length; at++) if (hash(salt + text.slice(at, at + of.length)) === of.hash) return true;
    return false;
  });
}

/** Leaves out what of a target repeats a secret. */
function withoutSecrets(target: MetTarget, secrets: Secrets): MetTarget {
  const out: MetTarget = { ...target };
  for (const name of TEXTS) if (hasSecret(out[name] ?? "", secrets)) delete out[name];
  if (hasSecret(Object.values(out.row ?? {}).join("\n"), secrets)) delete out.row;
  return out;
}

function maskedTarget(target: MetTarget, typed: Typed): MetTarget {
  const out: MetTarget = { ...target };
  for (const name of TEXTS) {
    const text = masked(target[name], typed);
    if (text === undefined) delete out[name];
    else out[name] = text;
  }
  if (target.row) {
    const [selector, text, inner] = [target.row.selector, target.row.text, target.row.inner].map((each) => masked(each, typed));
    if (selector !== undefined && text !== undefined && inner !== undefined) out.row = { selector, text, inner };
    else delete out.row;
  }
  return out;
}

/** The address without what was typed, and, unless the user wrote it, without its parameters. */
function maskedAddress(url: string, typed: Typed, whole: boolean): string {
  if (!URL.canParse(url)) return "";
  const { origin, pathname, search } = new URL(url);
  const path = pathname.split("/").map((segment) => {
    const plain = decoded(segment);
    const text = maskedAnyCase(plain, typed);
    return text === plain ? segment : encodeURIComponent(text);
  });
  return (origin + path.join("/") + (whole ? maskedSearch(search, typed) : "")).slice(0, 4096);
}

function maskedSearch(search: string, typed: Typed): string {
  const out = new URLSearchParams();
  let changed = false;
  for (const [name, value] of new URLSearchParams(search)) {
    const text = maskedAnyCase(value, typed);
    changed ||= text !== value;
    out.append(name, text);
  }
  return changed ? `?${out}` : search;
}

/** As masked, for addresses, in which sites write what was typed in small letters. */
function maskedAnyCase(text: string, typed: Typed): string {
  let out = masked(text, typed);
  if (out !== undefined) return out;
  out = text;
  for (const [token, value] of [...typed].sort((a, b) => b[1].length - a[1].length)) out = out.replace(new RegExp(value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "gi"), token);
  return out;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
