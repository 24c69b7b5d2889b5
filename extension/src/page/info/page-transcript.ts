// Rule: a transcript is what the text tracks of the page's media say, with their times. A
// track that the page does not show is loaded for the reading and put back as it was.

import { type Args, number } from "../base/args";
import { normalize } from "../dom/read-text";
import { queryAll } from "../dom/selectors";
import type { Context } from "../wait/schedule";
import { until } from "../wait/until";

/** Characters of the cues of one answer, below the budget of an output. */
const PAGE_CHARS = 6000;
/** A track of a server that does not answer is left out. */
const LOAD_TIMEOUT_MS = 3000;
const MAX_CUE = 1000;

interface Cue {
  start: number;
  text: string;
}

interface Track {
  media: HTMLMediaElement;
  track: TextTrack;
}

/** page.transcript */
export async function pageTranscript(args: Args, ctx: Context): Promise<unknown> {
  const offset = number(args, "offset", 0, 0, 1_000_000);
  const all = queryAll(document, "video, audio") as HTMLMediaElement[];
  for (const { media, track } of tracksOf(all)) {
    const cues = await cuesOf(track, ctx);
    if (cues.length > 0) return { media_count: all.length, ...answer(media, track, cues, offset) };
  }
  return { media_count: all.length, cues: [], cue_count: 0, truncated: false };
}

/** Lists the tracks with words, the most fitting first: the shown one, then the page's language. */
function tracksOf(media: HTMLMediaElement[]): Track[] {
  const all = media.flatMap((one) => [...one.textTracks].map((track) => ({ media: one, track })));
  const language = document.documentElement.lang.slice(0, 2);
  const rank = ({ track }: Track): number => (track.mode === "showing" ? 0 : language !== "" && track.language.startsWith(language) ? 1 : 2);
  return all.filter(({ track }) => track.kind === "captions" || track.kind === "subtitles").sort((a, b) => rank(a) - rank(b));
}

async function cuesOf(track: TextTrack, ctx: Context): Promise<Cue[]> {
  const mode = track.mode;
  if (mode === "disabled") track.mode = "hidden"; // a disabled one has no cues
  try {
    await until(() => (track.cues?.length ?? 0) > 0 || hasEnded(track), performance.now() + LOAD_TIMEOUT_MS, ctx);
    return [...(track.cues ?? [])].map((cue) => ({ start: Math.round(cue.startTime * 10) / 10, text: textOf(cue).slice(0, MAX_CUE) })).filter(({ text }) => text !== "");
  } finally {
    if (track.mode !== mode) track.mode = mode;
  }
}

/** Whether nothing more comes for the track: its file was read, or failed. */
function hasEnded(track: TextTrack): boolean {
  const source = queryAll(document, "track").find((el) => (el as HTMLTrackElement).track === track) as HTMLTrackElement | undefined;
  return source === undefined || source.readyState >= HTMLTrackElement.LOADED;
}

function textOf(cue: TextTrackCue): string {
  return normalize(cue instanceof VTTCue ? (cue.getCueAsHTML().textContent ?? cue.text) : "");
}

function answer(media: HTMLMediaElement, track: TextTrack, all: Cue[], offset: number): object {
  const cues: Cue[] = [];
  let room = PAGE_CHARS;
  for (const cue of all.slice(offset)) {
    room -= cue.text.length + 30;
    if (room < 0 && cues.length > 0) break;
    cues.push(cue);
  }
  const end = offset + cues.length;
  const truncated = end < all.length;
  return {
    ...(track.language && { language: track.language }),
    ...(Number.isFinite(media.duration) && { duration: Math.round(media.duration) }),
    cues,
    cue_count: all.length,
    truncated,
    ...(truncated && { next: { name: "page.transcript", arguments: { offset: end } } }),
  };
}
