// Rule of this file: a page is idle when nothing in its tree has changed for a
// while: its frames of the same origin and its shadow trees count too. A page that
// never becomes idle ends the wait by its timeout, with what was observed. Time in
// which the page got no turn is no stillness: what was due in it runs first.

import { type Args, number, text } from "../base/args";
import { PageError } from "../base/errors";
import { isFrame } from "../dom/dom";
import { rootsIn } from "../dom/shadow";
import { type Context, throwIfCancelled } from "./schedule";
import { until } from "./until";

const REACHED: Record<string, readonly DocumentReadyState[]> = {
  domcontentloaded: ["interactive", "complete"],
  load: ["complete"],
};

/** After it, what was due before has run: timers that are late run in no certain order. */
const TURN_MS = 16;

/** page.settle: the document's part of page.wait_for */
export async function settlePage(args: Args, ctx: Context): Promise<unknown> {
  const started = performance.now();
  const end = Math.min(started + number(args, "timeout_ms", 0, 0, 60_000), ctx.deadline);
  const elapsed = (): number => Math.round(performance.now() - started);
  const reached = REACHED[text(args, "load_state") ?? ""];
  if (reached && !(await until(() => reached.includes(document.readyState), end, ctx))) {
    throw new PageError("timeout", `the document is still ${document.readyState} after ${elapsed()} ms`, { ready_state: document.readyState });
  }
  const stableMs = number(args, "stable", 0, 0, 30_000);
  if (stableMs > 0) {
    const { stable, mutations } = await waitUntilStable(stableMs, end, ctx);
    const evidence = { stable, mutation_count: mutations, ready_state: document.readyState };
    if (!stable) throw new PageError("timeout", `the page was never idle for ${stableMs} ms within ${elapsed()} ms`, evidence);
  }
  return { ready_state: document.readyState, elapsed_ms: elapsed() };
}

/** Waits until nothing has changed for stableMs; reports how many mutations there were. */
async function waitUntilStable(stableMs: number, end: number, ctx: Context): Promise<{ stable: boolean; mutations: number }> {
  let last = performance.now();
  let mutations = 0;
  const observer = new MutationObserver((records) => {
    last = performance.now();
    mutations += records.length;
  });
  const changesWithin = async (ms: number): Promise<boolean> => {
    const before = mutations;
    await sleep(ms, ctx);
    throwIfCancelled(ctx);
    return mutations > before;
  };
  const watched = new WeakSet<Node>();
  let begun = false;
  try {
    for (;;) {
      throwIfCancelled(ctx);
      for (const root of allRoots(document)) {
        if (watched.has(root)) continue;
        watched.add(root);
        // A new document of a frame, or a new shadow tree, which is no mutation of the tree around it.
        if (begun) last = performance.now();
        observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
      }
      begun = true;
      if (performance.now() - last >= stableMs && !(await changesWithin(TURN_MS))) return { stable: true, mutations };
      const now = performance.now();
      if (now >= end) return { stable: false, mutations };
      await sleep(Math.min(last + stableMs, end) - now, ctx);
    }
  } finally {
    observer.disconnect();
  }
}

/** The documents that this origin may enter, and all their shadow trees. */
export function* allRoots(doc: Document): Generator<Document | ShadowRoot> {
  for (const root of rootsIn(doc)) {
    yield root;
    for (const el of root.querySelectorAll("iframe, frame")) {
      const inner = isFrame(el) ? el.contentDocument : null;
      if (inner) yield* allRoots(inner);
    }
  }
}

/** Waits for ms milliseconds, or less where the call is cancelled. */
function sleep(ms: number, ctx: Context): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      ctx.signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    ctx.signal.addEventListener("abort", done);
  });
}
