// Rule of this file: what waits for the user is answered by the user's own input only,
// and not by a click or key that was meant for what was there before, or for what covers
// it: its controls are enabled a moment after it became visible.

import type { AgentMethod, AgentParams } from "./agent-messages";
import { watchMoves, watchOcclusion } from "./occlusion";
import { t } from "./text";
import { ACCIDENTAL_PRESS_DELAY_MS } from "./user";

const TICK_INTERVAL_MS = 1000;

/** A cover for less than this is the browser's own, which draws a frame anew, as after a zoom. */
const COVER_NOTE_DELAY_MS = 1000;

/** Sends a request to the host and shows its failure. */
export type SendRequest = <M extends AgentMethod>(method: M, params: AgentParams<M>) => Promise<boolean>;

/** An element by which the user answers. */
export type Control = HTMLButtonElement | HTMLTextAreaElement;

/** What waits. */
interface Waiting {
  id: string;
  expires_at: string;
}

/** What a card shows, in this order. */
export interface CardContent {
  title: (string | HTMLElement)[];
  about: HTMLElement[];
  answers: HTMLElement;
  /** All in answers. */
  controls: Control[];
  /** Shows the seconds that are left; 0 when the time is over. */
  showLeft(seconds: number): void;
  /** What a screen reader announces. */
  herald: string;
}

interface Card {
  element: HTMLElement;
  heading: HTMLElement;
  herald: string;
  controls: Control[];
  tick(): void;
  /** An answer is under way, or the time is over. */
  closed: boolean;
  /** The focus was in it when it was closed: the browser takes it from what is disabled. */
  hadFocus: boolean;
  covered: boolean;
  /** The control that had the focus when it was disabled for a moment. */
  lastFocused: Control | undefined;
  noteTimer: ReturnType<typeof setTimeout> | undefined;
  unwatch(): void;
}

/** The cards of all that waits, in one list. */
export class Cards {
  private readonly shown = new Map<string, Card>();
  private enableTimer: ReturnType<typeof setTimeout> | undefined;
  /** What a screen reader has to announce of one update. */
  private heralds: string[] = [];

  constructor(
    private readonly list: HTMLElement,
    /** An assertive live region for screen readers. */
    private readonly liveRegion: HTMLElement,
    /** Gets the focus when the card that had it is gone. */
    private readonly fallbackFocus: HTMLElement,
  ) {
    setInterval(() => this.shown.forEach((card) => card.tick()), TICK_INTERVAL_MS);
    watchMoves(() => this.disableBriefly());
  }

  /** Shows what waits of a kind, and no longer what does not. */
  show<W extends Waiting>(kind: string, waiting: readonly W[], make: (one: W) => CardContent): void {
    const open = new Set(waiting.map(({ id }) => keyOf(kind, id)));
    let moved = false;
    for (const [key, card] of this.shown) {
      if (open.has(key) || !key.startsWith(keyOf(kind, ""))) continue;
      const focused = hasFocus(card) || (card.hadFocus && document.activeElement === document.body);
      card.unwatch();
      clearTimeout(card.noteTimer);
      card.element.remove();
      this.shown.delete(key);
      if (focused) this.fallbackFocus.focus();
      moved = true;
    }
    for (const one of waiting) {
      const card = this.shown.get(keyOf(kind, one.id));
      if (card) moved = this.changeTitle(card, make(one)) || moved;
      else {
        this.add(keyOf(kind, one.id), one.expires_at, make(one));
        moved = true;
      }
    }
    this.list.hidden = this.shown.size === 0;
    if (moved) this.disableBriefly();
  }

  /** Sends an answer, while which the card takes no other. */
  async answer(kind: string, id: string, send: () => Promise<boolean>): Promise<void> {
    const card = this.shown.get(keyOf(kind, id));
    if (!card || card.closed || card.covered) return;
    close(card, true);
    if (!(await send())) close(card, false);
  }

  private add(key: string, expiresAt: string, { title, about, answers, controls, showLeft, herald }: CardContent): void {
    const element = document.createElement("article");
    const heading = line("h2", "");
    heading.append(...title);
    heading.id = key;
    element.setAttribute("aria-labelledby", heading.id);
    const coverNote = line("p", t("approval_covered"));
    coverNote.hidden = true;
    for (const control of controls) control.disabled = true;
    element.append(heading, ...about, coverNote, answers);
    const showNote = (now: boolean): void => {
      if (coverNote.hidden !== now) return;
      coverNote.hidden = !now;
      this.disableBriefly(); // what is below moves
    };
    const card: Card = {
      element,
      heading,
      herald,
      controls,
      tick: () => {
        const left = Math.max(0, Math.ceil((Date.parse(expiresAt) - Date.now()) / 1000));
        showLeft(left);
        if (left === 0) close(card, true);
      },
      closed: false,
      hadFocus: false,
      covered: true,
      lastFocused: undefined,
      noteTimer: undefined,
      unwatch: watchOcclusion(answers, (now, explained) => {
        clearTimeout(card.noteTimer);
        card.noteTimer = setTimeout(showNote, explained ? COVER_NOTE_DELAY_MS : 0, explained);
        if (card.covered === now) return;
        card.covered = now;
        this.disableBriefly();
      }),
    };
    card.tick();
    this.shown.set(key, card);
    this.list.append(element);
    this.announce(herald);
  }

  // Of several texts in one task only the last would be heard.
  private announce(herald: string): void {
    if (this.heralds.push(herald) > 1) return;
    queueMicrotask(() => {
      this.liveRegion.textContent = this.heralds.join(" ");
      this.heralds = [];
    });
  }

  /** Shows the title in place of the card's; returns false if it is the same. */
  private changeTitle(card: Card, { title, herald }: CardContent): boolean {
    if (herald === card.herald) return false;
    card.heading.replaceChildren(...title);
    card.herald = herald;
    this.announce(herald);
    return true;
  }

  /** Disables the controls for a moment, as a press may be meant for what was in their place before; a focused one stays enabled. */
  private disableBriefly(): void {
    for (const card of this.shown.values()) {
      for (const control of card.controls) if (card.covered || control !== document.activeElement) disable(card, control);
    }
    clearTimeout(this.enableTimer);
    this.enableTimer = setTimeout(() => this.shown.forEach(enable), ACCIDENTAL_PRESS_DELAY_MS);
  }
}

/** Closes the card for answers, or opens it again. */
function close(card: Card, closed: boolean): void {
  card.hadFocus = closed && (card.hadFocus || hasFocus(card));
  card.closed = closed;
  enable(card);
}

/** Enables the controls if the card takes answers, and disables them if not. The focus goes back to the one that had it. */
function enable(card: Card): void {
  for (const control of card.controls) {
    if (card.closed || card.covered) disable(card, control);
    else control.disabled = false;
  }
  if (card.closed || card.covered) return;
  // In the page it is none of ours to take.
  if (document.hasFocus() && document.activeElement === document.body) card.lastFocused?.focus();
  card.lastFocused = undefined;
}

function disable(card: Card, control: Control): void {
  if (control === document.activeElement) card.lastFocused = control;
  control.disabled = true;
}

const hasFocus = ({ element }: Card): boolean => element.contains(document.activeElement);

const keyOf = (kind: string, id: string): string => `${kind}-${id}`;

/** Returns a text as an element. */
export function line(tag: "h2" | "p" | "span" | "strong", text: string, className = ""): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

/** Returns a button, which is enabled when its card is. */
export function answerButton(text: string, primary = false): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.className = primary ? "primary" : "";
  return made;
}
