// Rule of this file: the closed set of messages between a frame that the
// extension put into a page, the worker, and the content script that owns the
// frame. The worker passes them on; a frame without its key gets no answer.

export interface Size {
  width: number;
  height: number;
}

export type Corner = "top-left" | "top-right" | "bottom-left" | "bottom-right";

/** Where the user wants a frame: a corner, or a point and the edge that a collapsed frame keeps to. */
export type Place = { corner: Corner | "center" } | { left: number; top: number; edge: "left" | "right" };

/** The stored state of a tab's pane. */
export interface PaneState extends Size {
  open: boolean;
  hidden: boolean;
  collapsed: boolean;
  place: Place;
}

export const PANE_WIDTH = 340;
export const PANE_HEIGHT = 420;
export const PANE_MIN_WIDTH = 220;
export const PANE_MIN_HEIGHT = 42;
/** Larger than any window, so a larger stored size is invalid. */
const PANE_MAX = 4000;

/** The state of a pane before the user moves it. */
export const FIRST_PANE: PaneState = {
  open: false,
  hidden: false,
  collapsed: false,
  place: { corner: "top-right" },
  width: PANE_WIDTH,
  height: PANE_HEIGHT,
};

/** What a frame may ask of the content script that owns it. */
export type FrameAsk =
  | { ask: "hello" | "shown" | "showing" | "hide" | "collapse" | "expand" | "close" | "reset" | "content" }
  /** Of the pane, and answered by the worker: open the page that saves what was done in the tab. */
  | { ask: "save" }
  | { ask: "drag"; what: "move" | "resize"; phase: "start" | "move" | "end"; dx: number; dy: number }
  | { ask: "step"; what: "move" | "resize"; dx: number; dy: number }
  | PickAsk;

/** What the user does with the picker: points, climbs from the marked element or descends, chooses, or cancels. */
export type PickAsk =
  | { ask: "picking" }
  | { ask: "point"; x: number; y: number }
  | { ask: "climb"; by: 1 | -1 }
  /** With the point of a click; without it, what is marked. */
  | { ask: "choose"; x?: number; y?: number }
  | { ask: "cancel"; reason: "escape" | "button" };

/** From the frame to the worker, and from there to the content script. */
export type FrameMessage = FrameAsk & { kind: "own_frame"; key: string };

/** The answer; `zoom` is the tab's, for screen coordinates; `showing`, of a pane, is whether its contents are shown, and `scale` how many pixels of the screen one of the page has; `message`, of a picker, is what the caller wants to know. */
export type FrameAnswer = { ok: true; zoom?: number; content?: ReportContent; showing?: boolean; scale?: number; message?: string } | { ok: false };

/** What a report shows. */
export interface ReportContent {
  title: string;
  html: string;
  /** The html is a template of the user's own storage: its scripts may run in the sandbox. */
  scripts: boolean;
  /** JSON for the template. */
  data?: string;
}

/** From the content script to its frame, with a frame's key; pages cannot read it. */
export interface KeyMessage {
  actions_host_key: string;
}

/** From the content script to the worker. */
export type PaneMessage = { kind: "pane_restore" } | { kind: "pane_state"; state: PaneState } | { kind: "launcher"; id: string };

const SIMPLE = ["hello", "shown", "showing", "hide", "collapse", "expand", "close", "reset", "content", "picking", "save"];

/** Reports whether the message is a frame's, with nothing missing. */
export function isFrameMessage(message: unknown): message is FrameMessage {
  if (!isObject(message) || message.kind !== "own_frame" || typeof message.key !== "string") return false;
  if (isPick(message)) return true;
  if (message.ask !== "drag" && message.ask !== "step") return SIMPLE.includes(message.ask as string);
  return (
    ["move", "resize"].includes(message.what as string) &&
    (message.ask === "step" || ["start", "move", "end"].includes(message.phase as string)) &&
    Number.isFinite(message.dx) &&
    Number.isFinite(message.dy)
  );
}

function isPick({ ask, x, y, by, reason }: Record<string, unknown>): boolean {
  const point = Number.isFinite(x) && Number.isFinite(y);
  switch (ask) {
    case "point":
      return point;
    case "climb":
      return by === 1 || by === -1;
    case "choose":
      return point || (x === undefined && y === undefined);
    case "cancel":
      return reason === "escape" || reason === "button";
    default:
      return false;
  }
}

/** Reports whether the message is a content script's about its pane or launchers. */
export function isPaneMessage(message: unknown): message is PaneMessage {
  if (!isObject(message)) return false;
  switch (message.kind) {
    case "pane_restore":
      return true;
    case "pane_state":
      return isPaneState(message.state);
    case "launcher":
      return typeof message.id === "string" && message.id !== "" && message.id.length <= 300;
    default:
      return false;
  }
}

/** Reports whether the value is a valid pane state: one that an older version stored may not be. */
export function isPaneState(state: unknown): state is PaneState {
  if (!isObject(state)) return false;
  const { open, hidden, collapsed, width, height, place } = state;
  const flags = [open, hidden, collapsed].every((flag) => typeof flag === "boolean");
  const size = (n: unknown, min: number): boolean => typeof n === "number" && n >= min && n <= PANE_MAX;
  return flags && size(width, PANE_MIN_WIDTH) && size(height, PANE_MIN_HEIGHT) && isPlace(place);
}

function isPlace(place: unknown): boolean {
  if (!isObject(place)) return false;
  if ("corner" in place) return ["top-left", "top-right", "bottom-left", "bottom-right", "center"].includes(place.corner as string);
  return Number.isFinite(place.left) && Number.isFinite(place.top) && ["left", "right"].includes(place.edge as string);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
