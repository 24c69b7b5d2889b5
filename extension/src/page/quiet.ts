// Rule of this file: a page is at rest when nothing in its tree has changed for
// a while: its frames of the same origin and its shadow trees count too. A page
// that never rests ends the wait by its time, with what was seen.

import { type Args, number, text } from "./args";
import { until } from "./changes";
import { isFrame } from "./dom";
import { PageError } from "./errors";
import { type Context, checkCancelled } from "./settle";
import { rootsIn } from "./shadow";

const REACHED: Record<string, readonly DocumentReadyState[]> = {
  domcontentloaded: ["interactive", "complete"],
  load: ["complete"],
};

/** page.settle: the document's part of page.wait_for */
export async function settlePage(args: Args, ctx: Context): Promise<unknown> {
  const started = performance.now();
  const end = Math.min(started + number(args, "timeout_ms", 0, 0, 60_000), ctx.deadline);
  const elapsed = (): number => Math.round(performance.now() - started);
  const reached = REACHED[text(args, "load_state") ?? ""];
  if (reached && !(await until(() => reached.includes(document.readyState), end, ctx))) {
    throw new PageError("timeout", `the document is still ${document.readyState} after ${elapsed()} ms`, { ready_state: document.readyState });
  }
  const still = number(args, "stable", 0, 0, 30_000);
  if (still > 0) {
    const { stable, mutations } = await rest(still, end, ctx);
    const evidence = { stable, mutation_count: mutations, ready_state: document.readyState };
    if (!stable) throw new PageError("timeout", `the page never kept still for ${still} ms within ${elapsed()} ms`, evidence);
  }
  return { ready_state: document.readyState, elapsed_ms: elapsed() };
}

/** Waits until nothing has changed for so long; tells how often something did. */
async function rest(still: number, end: number, ctx: Context): Promise<{ stable: boolean; mutations: number }> {
  let last = performance.now();
  let mutations = 0;
  const observer = new MutationObserver((records) => {
    last = performance.now();
    mutations += records.length;
  });
  const watched = new WeakSet<Node>();
  try {
    for (;;) {
      checkCancelled(ctx);
      for (const root of everyRoot(document)) {
        if (watched.has(root)) continue;
        watched.add(root);
        observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
      }
      const now = performance.now();
      if (now - last >= still) return { stable: true, mutations };
      if (now >= end) return { stable: false, mutations };
      await pause(Math.min(last + still, end) - now, ctx);
    }
  } finally {
    observer.disconnect();
  }
}

function* everyRoot(doc: Document): Generator<Document | ShadowRoot> {
  for (const root of rootsIn(doc)) {
    yield root;
    for (const el of root.querySelectorAll("iframe, frame")) {
      const inner = isFrame(el) ? el.contentDocument : null;
      if (inner) yield* everyRoot(inner);
    }
  }
}

/** So many milliseconds, or less where the call is cancelled. */
function pause(ms: number, ctx: Context): Promise<void> {
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
