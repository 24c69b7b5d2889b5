// Rule of this file: one element a turn, found by the turn's id and changed in
// place, so that a long conversation costs no more than a short one. The log
// follows what is new until the reader scrolls up, and never pulls him away.

import type { AgentRow } from "./agent-messages";
import { toolRowWords } from "./agent-words";
import { writeLinked } from "./links";
import { t } from "./text";
import { onClick } from "./user";

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
    // A history is read by whoever wants to, it is not news.
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

  // A scroll event tells of a position that may be past: only a way up is the reader's.
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

  /** Goes to the end with the next picture, however much comes until then. */
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
  const words = document.createElement("span");
  words.className = "words";
  words.dir = "auto";
  if (role === "tool") words.textContent = words.title = toolRowWords(row);
  else writeLinked(words, text === "" ? "…" : text);
  if (role === "user" || role === "assistant") {
    const who = document.createElement("span");
    who.className = "unseen";
    who.textContent = t(`row_${role}`);
    element.replaceChildren(who, words);
  } else {
    element.replaceChildren(words);
  }
}
