// Rule: what a map attaches stands beside the page's elements and changes none
// of them. It is put back when the page draws itself anew, goes when its target
// goes, and never takes the focus by itself.

import { type Args, isObject, needText, number, text, texts } from "./args";
import { PageError } from "./errors";
import { OWN } from "./own";
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
  /** The host element beside each target. */
  hosts: Map<Element, HTMLElement>;
}

/** A page that never rests is looked at this often, in milliseconds. */
const PAUSE = 180;
const MAX_ATTACHMENTS = 50;
const PLACEMENTS: readonly string[] = ["beforebegin", "afterbegin", "beforeend", "afterend"];

let attachments: Attachment[] = [];
let observer: MutationObserver | undefined;
let timer: number | undefined;

/** attachment.install */
export function installAttachments(args: Args): { installed: { id: string; instances: number }[]; missing: string[] } {
  const list = args.attachments;
  if (!Array.isArray(list) || list.length > MAX_ATTACHMENTS || !list.every(isObject)) {
    throw new PageError("invalid_arguments", `attachments must be a list of at most ${MAX_ATTACHMENTS} objects`, { argument: "attachments" });
  }
  const wanted = list.map(read);
  for (const one of attachments) for (const host of one.hosts.values()) host.remove();
  attachments = wanted;
  watch();
  sync();
  return {
    installed: attachments.filter((one) => one.hosts.size > 0).map((one) => ({ id: one.id, instances: one.hosts.size })),
    missing: attachments.filter((one) => one.hosts.size === 0).map((one) => one.id),
  };
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
    hosts: new Map(),
  };
}

/** Watches the page while there is something to put back. */
function watch(): void {
  observer?.disconnect();
  window.clearTimeout(timer);
  timer = undefined;
  for (const type of ["popstate", "hashchange"]) {
    window.removeEventListener(type, later);
    if (attachments.length > 0) window.addEventListener(type, later);
  }
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
  for (const selector of one.selectors) {
    try {
      // The root has no place beside it.
      const found = queryAll(document, selector).filter((el) => el.isConnected && el !== document.documentElement);
      if (found.length > 0) return found.slice(0, one.max);
    } catch {
      // A selector of the map that is invalid finds nothing; the next one may.
    }
  }
  return [];
}

function build(one: Attachment): HTMLElement {
  const host = document.createElement("span");
  host.setAttribute(OWN, one.id);
  // Only an important inline style outranks an important rule of the page.
  for (const [name, value] of [["all", "initial"], ["display", "inline-block"], ["font", "12px/1.4 system-ui, sans-serif"], ["margin", "0 4px"]]) {
    host.style.setProperty(name!, value!, "important");
  }
  const acts = one.kind === "overlay_launcher" || one.kind === "shortcut";
  const inner = document.createElement(acts ? "button" : "span");
  inner.textContent = one.label;
  inner.setAttribute("aria-label", one.label);
  if (one.title) inner.title = one.title;
  if (acts) inner.setAttribute("type", "button");
  else inner.setAttribute("role", "note");
  host.attachShadow({ mode: "closed" }).append(inner);
  // The page's own listeners must not take it for a click on their element.
  host.addEventListener("click", (event) => {
    event.preventDefault();
    event.stopPropagation();
  });
  return host;
}
