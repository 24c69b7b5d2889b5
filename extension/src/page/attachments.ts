// Rule: what a map attaches stands beside the page's elements and changes none
// of them. It is put back when the page draws itself anew, goes when its target
// goes, and never takes the focus by itself.

import { type Args, isObject, needText, number, text, texts } from "./args";
import { PageError } from "./errors";
import { buildLauncher } from "./launchers";
import { cut, textOf } from "./read-text";
import { queryAll } from "./selectors";

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

/** A page that never rests is looked at this often, in milliseconds. */
const PAUSE = 180;
const MAX_ATTACHMENTS = 50;
/** Where a target that is named by its text alone is looked for. */
const TEXTS = "a, button, h1, h2, h3, h4, h5, h6, label, p, li, td, th, summary, [role], [aria-label], [data-testid], [data-actions-json-target]";
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
  const wanted = list.map(read);
  removeAttachments();
  attachments = wanted;
  watch();
  sync();
  return {
    installed: attachments.flatMap((one) => {
      const [target] = one.hosts.keys();
      return target ? [{ id: one.id, instances: one.hosts.size, placement: one.placement, target_text: cut(textOf(target), 120) }] : [];
    }),
    missing: attachments.filter((one) => one.hosts.size === 0).map((one) => one.id),
  };
}

/** Takes all away. */
export function removeAttachments(): void {
  for (const one of attachments) for (const host of one.hosts.values()) host.remove();
  attachments = [];
  watch();
}

function read(args: Args): Attachment {
  const placement = text(args, "placement") ?? "afterend";
  if (!PLACEMENTS.includes(placement)) throw new PageError("invalid_arguments", "placement is not known", { argument: "placement" });
  return {
    id: needText(args, "id"),
    kind: needText(args, "kind"),
    label: needText(args, "label"),
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

/** Watches the page while there is something to put back. */
function watch(): void {
  observer?.disconnect();
  window.clearTimeout(timer);
  timer = undefined;
  // The address may change without a mutation.
  window.navigation.removeEventListener("currententrychange", later);
  if (attachments.length > 0) window.navigation.addEventListener("currententrychange", later);
  if (attachments.length === 0) return;
  observer ??= new MutationObserver(later);
  observer.observe(document, { childList: true, subtree: true, attributes: true });
}

/** A timer that is set stays: a page that changes all the time must not put it off for ever. */
function later(): void {
  timer ??= window.setTimeout(() => {
    timer = undefined;
    sync();
  }, PAUSE);
}

function sync(): void {
  for (const one of attachments) place(one);
  // Own changes are no reason to look again.
  observer?.takeRecords();
}

function place(one: Attachment): void {
  const targets = targetsOf(one);
  for (const [target, host] of one.hosts) {
    if (targets.includes(target)) continue;
    host.remove();
    one.hosts.delete(target);
  }
  const inside = one.placement === "afterbegin" || one.placement === "beforeend";
  for (const target of targets) {
    const host = one.hosts.get(target) ?? build(one);
    const parent = inside ? target : target.parentNode;
    if (host.isConnected && host.parentNode === parent) continue;
    target.insertAdjacentElement(one.placement, host);
    one.hosts.set(target, host);
  }
}

function targetsOf(one: Attachment): Element[] {
  if (!fits(one, location.href)) return [];
  for (const selector of one.selectors.length > 0 ? one.selectors : [TEXTS]) {
    try {
      // The root has no place beside it.
      const found = queryAll(document, selector).filter((el) => el.isConnected && el !== document.documentElement && says(one, el));
      if (found.length > 0) return found.slice(0, one.max);
    } catch {
      // A selector of the map that is invalid finds nothing; the next one may.
    }
  }
  return [];
}

function fits(one: Attachment, url: string): boolean {
  return one.urlContains === undefined || url.includes(one.urlContains);
}

function says(one: Attachment, el: Element): boolean {
  if (one.textContains === undefined && one.textEquals === undefined) return one.selectors.length > 0;
  const said = textOf(el);
  if (one.textEquals !== undefined && said !== one.textEquals) return false;
  return one.textContains === undefined || said.toLowerCase().includes(one.textContains);
}

function build(one: Attachment): HTMLElement {
  const acts = one.kind === "overlay_launcher" || one.kind === "shortcut";
  return buildLauncher({ id: one.id, label: one.label, title: one.title, acts });
}
