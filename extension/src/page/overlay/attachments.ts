// Rule: what a map attaches is placed beside the page's elements and changes none
// of them. It is put back when the page renders again, is removed with its target,
// and never takes the focus by itself.

import { type Args, isObject, requiredText, number, text, texts } from "../base/args";
import { PageError } from "../base/errors";
import { truncate, textOf } from "../dom/read-text";
import { queryAll } from "../dom/selectors";
import { buildLauncher } from "./launchers";

type Placement = "beforebegin" | "afterbegin" | "beforeend" | "afterend";

interface Attachment {
  id: string;
  kind: string;
  label: string;
  title: string;
  placement: Placement;
  max: number;
  selectors: string[];
  textContains: string | undefined;
  textEquals: string | undefined;
  urlContains: string | undefined;
  /** The host element beside each target. */
  hosts: Map<Element, HTMLElement>;
}

/** How often attachments are placed again on a page that changes all the time. */
const SYNC_INTERVAL_MS = 180;
const MAX_ATTACHMENTS = 50;
/** The candidates for a target that is named by its text alone. */
const TEXT_ELEMENTS = "a, button, h1, h2, h3, h4, h5, h6, label, p, li, td, th, summary, [role], [aria-label], [data-testid], [data-actions-json-target]";
const PLACEMENTS: readonly string[] = ["beforebegin", "afterbegin", "beforeend", "afterend"];

let attachments: Attachment[] = [];
let observer: MutationObserver | undefined;
let timer: number | undefined;

interface Installed {
  id: string;
  instances: number;
  placement: Placement;
  /** Of the first target. */
  target_text: string;
}

/** attachment.install */
export function installAttachments(args: Args): { installed: Installed[]; missing: string[] } {
  const list = args.attachments;
  if (!Array.isArray(list) || list.length > MAX_ATTACHMENTS || !list.every(isObject)) {
    throw new PageError("invalid_arguments", `attachments must be a list of at most ${MAX_ATTACHMENTS} objects`, { argument: "attachments" });
  }
  const wanted = list.map(parseAttachment);
  removeAttachments();
  attachments = wanted;
  watch();
  sync();
  return {
    installed: attachments.flatMap((attachment) => {
      const [target] = attachment.hosts.keys();
      return target ? [{ id: attachment.id, instances: attachment.hosts.size, placement: attachment.placement, target_text: truncate(textOf(target), 120) }] : [];
    }),
    missing: attachments.filter((attachment) => attachment.hosts.size === 0).map((attachment) => attachment.id),
  };
}

/** Removes all attachments. */
export function removeAttachments(): void {
  for (const attachment of attachments) for (const host of attachment.hosts.values()) host.remove();
  attachments = [];
  watch();
}

function parseAttachment(args: Args): Attachment {
  const placement = text(args, "placement") ?? "afterend";
  if (!PLACEMENTS.includes(placement)) throw new PageError("invalid_arguments", "placement is not known", { argument: "placement" });
  return {
    id: requiredText(args, "id"),
    kind: requiredText(args, "kind"),
    label: requiredText(args, "label"),
    title: text(args, "title") ?? "",
    placement: placement as Placement,
    max: number(args, "max_instances", 3, 1, 10),
    selectors: texts(args, "selectors") ?? [],
    textContains: text(args, "text_contains")?.toLowerCase(),
    textEquals: text(args, "text_equals"),
    urlContains: text(args, "url_contains"),
    hosts: new Map(),
  };
}

/** Watches the page while there are attachments. */
function watch(): void {
  observer?.disconnect();
  window.clearTimeout(timer);
  timer = undefined;
  // The address may change without a mutation.
  window.navigation.removeEventListener("currententrychange", scheduleSync);
  if (attachments.length > 0) window.navigation.addEventListener("currententrychange", scheduleSync);
  if (attachments.length === 0) return;
  observer ??= new MutationObserver(scheduleSync);
  observer.observe(document, { childList: true, subtree: true, attributes: true });
}

/** A timer that is set stays: a page that changes all the time must not postpone it for ever. */
function scheduleSync(): void {
  timer ??= window.setTimeout(() => {
    timer = undefined;
    sync();
  }, SYNC_INTERVAL_MS);
}

function sync(): void {
  for (const attachment of attachments) place(attachment);
  // The changes made here are no reason to place them again.
  observer?.takeRecords();
}

function place(attachment: Attachment): void {
  const targets = targetsOf(attachment);
  for (const [target, host] of attachment.hosts) {
    if (targets.includes(target)) continue;
    host.remove();
    attachment.hosts.delete(target);
  }
  const inside = attachment.placement === "afterbegin" || attachment.placement === "beforeend";
  for (const target of targets) {
    const host = attachment.hosts.get(target) ?? build(attachment);
    const parent = inside ? target : target.parentNode;
    if (host.isConnected && host.parentNode === parent) continue;
    target.insertAdjacentElement(attachment.placement, host);
    attachment.hosts.set(target, host);
  }
}

function targetsOf(attachment: Attachment): Element[] {
  if (!matchesURL(attachment, location.href)) return [];
  for (const selector of attachment.selectors.length > 0 ? attachment.selectors : [TEXT_ELEMENTS]) {
    try {
      // Nothing can be placed beside the root.
      const found = queryAll(document, selector).filter((el) => el.isConnected && el !== document.documentElement && matchesText(attachment, el));
      if (found.length > 0) return found.slice(0, attachment.max);
    } catch {
      // An invalid selector of the map matches nothing; the next one may.
    }
  }
  return [];
}

function matchesURL(attachment: Attachment, url: string): boolean {
  return attachment.urlContains === undefined || url.includes(attachment.urlContains);
}

function matchesText(attachment: Attachment, el: Element): boolean {
  if (attachment.textContains === undefined && attachment.textEquals === undefined) return attachment.selectors.length > 0;
  const content = textOf(el);
  if (attachment.textEquals !== undefined && content !== attachment.textEquals) return false;
  return attachment.textContains === undefined || content.toLowerCase().includes(attachment.textContains);
}

function build(attachment: Attachment): HTMLElement {
  const interactive = attachment.kind === "overlay_launcher" || attachment.kind === "shortcut";
  return buildLauncher({ id: attachment.id, label: attachment.label, title: attachment.title, interactive });
}
