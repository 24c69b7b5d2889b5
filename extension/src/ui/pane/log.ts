// Rule of this file: one element a turn, found by the turn's id and changed in
// place, so that a long conversation costs no more than a short one. The log
// follows new turns until the reader scrolls up, and never scrolls him away.

import type { AgentRow } from "../shared/agent-messages";
import { toolRowText } from "../shared/agent-text";
import { t } from "../shared/text";
import { onClick } from "../shared/user";
import { writeLinked } from "./links";

/** Turns before these are in the host's log only. */
const MAX_ROWS = 1000;
/** From the end in pixels, within which a reader counts as being there. */
const NEAR_PX = 24;

/** The transcript. */
export class Log {
  private readonly rows = new Map<string, HTMLElement>();
  private following = true;
  private top = 0;
  private planned = false;

  constructor(
    private readonly log: HTMLElement,
    private readonly empty: HTMLElement,
    private readonly latest: HTMLElement,
  ) {
    log.addEventListener("scroll", () => this.scrolled());
    new ResizeObserver(() => this.stick()).observe(log);
    onClick(latest, () => {
      this.follow(true);
      log.focus();
    });
  }

  /** Shows these turns and no others. */
  reset(rows: readonly AgentRow[]): void {
    this.rows.clear();
    this.log.replaceChildren();
    // A history is not announced.
    this.log.setAttribute("aria-live", "off");
    for (const row of rows) this.put(row);
    this.empty.hidden = this.rows.size > 0;
    requestAnimationFrame(() => this.log.setAttribute("aria-live", "polite"));
  }

  put(row: AgentRow): void {
    const known = this.rows.get(row.id);
    const element = known ?? document.createElement("div");
    draw(element, row);
    if (known) return this.stick();
    this.rows.set(row.id, element);
    this.log.append(element);
    this.empty.hidden = true;
    this.trim();
    this.stick();
  }

  private trim(): void {
    const [oldest] = this.rows;
    if (this.rows.size <= MAX_ROWS || !oldest) return;
    this.rows.delete(oldest[0]);
    oldest[1].remove();
  }

  // A scroll event may report an outdated position: only scrolling up is the reader's doing.
  private scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.log;
    if (scrollHeight - scrollTop - clientHeight <= NEAR_PX) this.follow(true);
    else if (scrollTop < this.top) this.follow(false);
    this.top = scrollTop;
  }

  private follow(on: boolean): void {
    this.following = on;
    this.latest.hidden = on;
    if (on) this.stick();
  }

  /** Scrolls to the end in the next animation frame, once for all changes until then. */
  private stick(): void {
    if (!this.following || this.planned) return;
    this.planned = true;
    requestAnimationFrame(() => {
      this.planned = false;
      if (!this.following) return;
      this.log.scrollTop = this.log.scrollHeight;
      this.top = this.log.scrollTop;
    });
  }
}

function draw(element: HTMLElement, row: AgentRow): void {
  const { role, text, done, ok } = row;
  element.className = `row ${role}`;
  element.classList.toggle("bad", ok === false);
  element.classList.toggle("growing", !done);
  // What still grows is announced when it is complete.
  if (done) element.removeAttribute("aria-busy");
  else element.setAttribute("aria-busy", "true");
  const body = document.createElement("span");
  body.className = "words";
  body.dir = "auto";
  if (role === "tool") body.textContent = body.title = toolRowText(row);
  else writeLinked(body, text === "" ? "…" : text);
  if (row.detail) return element.replaceChildren(folded(body, row));
  if (role === "user" || role === "assistant") {
    const who = document.createElement("span");
    who.className = "unseen";
    who.textContent = t(`row_${role}`);
    element.replaceChildren(who, body);
  } else {
    element.replaceChildren(body, ...nextStep(row));
  }
}

/** Returns a tool's row with what came of the call, folded. It stays open where the reader has opened it. */
function folded(name: HTMLElement, row: AgentRow): HTMLElement {
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  const result = document.createElement("pre");
  result.textContent = row.detail ?? "";
  result.dir = "auto";
  result.tabIndex = 0; // for the keys that scroll
  result.setAttribute("aria-label", t("row_result"));
  summary.append(name);
  details.append(summary, result, ...nextStep(row));
  return details;
}

/** Returns what to do after a failure. */
function nextStep({ role, detail, next_step = "" }: AgentRow): HTMLElement[] {
  if (next_step === "" || (role === "tool" && !detail)) return [];
  const step = document.createElement("span");
  step.className = "words step";
  step.textContent = next_step;
  return [step];
}
