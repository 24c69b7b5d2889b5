// Rule of this file: the first message identifies this profile. Its id lives
// as long as the profile's storage, the session's id as long as the browser
// process; both are random and mean nothing elsewhere.

import { DICTIONARY_HASH, PAGE_PRIMITIVES, PROTOCOL, PROTOCOL_MIN } from "../../contract";
import type { BrowserInfo, Handshake } from "../../protocol";
import { withApiTimeout } from "../shared/async";
import { Fault } from "../shared/fault";
import type { Claims } from "../tabs/claims";
import type { Documents } from "../tabs/documents";
import { tabsOf } from "../tabs/tabs";
import { browserOf, profileLabel, type BrowserName, type Brand } from "./identity";

/** The longest name of a profile, in characters. */
const MAX_LABEL = 60;

/** The members of navigator.userAgentData that are used; the DOM library has no type for it. */
interface UserAgentData {
  brands: Brand[];
  getHighEntropyValues(hints: string[]): Promise<{ fullVersionList?: Brand[] }>;
}

/** Returns this browser's name by the brands it lists. */
export function browserName(): BrowserName {
  return browserOf(userAgentData()?.brands ?? []).name;
}

async function browserInfo(): Promise<BrowserInfo> {
  const data = userAgentData();
  if (!data) return browserOf([]);
  const { fullVersionList } = await withApiTimeout("the browser's version", data.getHighEntropyValues(["fullVersionList"]));
  return browserOf(fullVersionList ?? data.brands);
}

function userAgentData(): UserAgentData | undefined {
  return (navigator as Navigator & { userAgentData?: UserAgentData }).userAgentData;
}

/**
 * Serializes reads of an id that create it where there is none:
 * concurrently the popup and the handshake would each create their own.
 */
let queue: Promise<unknown> = Promise.resolve();

function serialize<T>(work: () => Promise<T>): Promise<T> {
  const turn = queue.then(work);
  queue = turn.catch(() => {}); // a failure is reported to its own caller, and the next one tries again
  return turn;
}

/** Returns the profile's id and label. They are made at the first call; the user can change the label later. */
export function profile(): Promise<{ profile_id: string; profile_label: string }> {
  return serialize(readProfile);
}

async function readProfile(): Promise<{ profile_id: string; profile_label: string }> {
  const local = chrome.storage.local;
  const stored = await withApiTimeout("chrome.storage.local.get", local.get(["profile_id", "profile_label"]));
  const id: unknown = stored["profile_id"];
  const label: unknown = stored["profile_label"];
  if (typeof id === "string" && typeof label === "string") return { profile_id: id, profile_label: label };
  const profile_id = typeof id === "string" ? id : randomId();
  const made = { profile_id, profile_label: profileLabel(browserName(), profile_id) };
  await withApiTimeout("chrome.storage.local.set", local.set(made));
  return made;
}

/** Stores the user's name for the profile; the host gets it with the next handshake. */
export function nameProfile(label: string): Promise<void> {
  const profile_label = label.trim();
  if (profile_label === "" || profile_label.length > MAX_LABEL) {
    throw Fault.new("invalid_input", `a name has from 1 to ${MAX_LABEL} characters`, { dispatched: "no" });
  }
  return serialize(async () => {
    await readProfile(); // a profile without an id gets one first, and its label with it
    await withApiTimeout("chrome.storage.local.set", chrome.storage.local.set({ profile_label }));
  });
}

async function browserSession(): Promise<string> {
  const session = chrome.storage.session;
  const stored = await withApiTimeout("chrome.storage.session.get", session.get("browser_session"));
  const id: unknown = stored["browser_session"];
  if (typeof id === "string") return id;
  const browser_session = randomId();
  await withApiTimeout("chrome.storage.session.set", session.set({ browser_session }));
  return browser_session;
}

/** Makes the handshake. The claims must be restored; those of closed tabs are left out. */
export async function handshake(claims: Claims, documents: Documents): Promise<Handshake> {
  await Promise.allSettled(claims.ids().map((id) => documents.refresh(id))); // a closed tab has no document
  const [identity, browser, browser_session, tabs] = await Promise.all([
    profile(),
    browserInfo(),
    serialize(browserSession),
    tabsOf(claims, documents),
  ]);
  return {
    protocol: PROTOCOL,
    protocol_min: PROTOCOL_MIN,
    extension_version: chrome.runtime.getManifest().version,
    dictionary_hash: DICTIONARY_HASH,
    ...identity,
    browser,
    browser_session,
    primitives: [...PAGE_PRIMITIVES],
    tabs,
  };
}

/** 128 random bits in hex. */
function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
