// Rule of this file: it only looks whether there may be page tools (WebMCP), so
// that no debugger is taken where there are none. What the page's scripts put
// over the API in their own world is not seen here.

interface ModelContext {
  getTools(): Promise<readonly unknown[]>;
}

interface Probe {
  supported: boolean;
  secure: boolean;
  tools: number;
  frames: number;
}

/** Deeper documents are left to the debugger. */
const MAX_FRAMES = 200;

/** webmcp.probe */
export async function probePageTools(): Promise<Probe> {
  const probe: Probe = { supported: contextOf(document) !== undefined, secure: window.isSecureContext, tools: 0, frames: 0 };
  if (!probe.supported) return probe;
  const level = [document];
  let looked = 0;
  for (let doc = level.shift(); doc; doc = level.shift()) {
    probe.tools += await countOf(doc);
    for (const frame of Document.prototype.querySelectorAll.call(doc, "iframe") as NodeListOf<HTMLIFrameElement>) {
      if (++looked > MAX_FRAMES) return { ...probe, frames: probe.frames + 1 };
      const inner = frame.contentDocument;
      if (inner) level.push(inner);
      else if (/\btools\b/.test(frame.getAttribute("allow") ?? "")) probe.frames++;
    }
  }
  return probe;
}

/** From the prototype: an element of that name would stand before a document's own property. */
function contextOf(doc: Document): ModelContext | undefined {
  const own = Object.getOwnPropertyDescriptor(Document.prototype, "modelContext");
  return own?.get?.call(doc) as ModelContext | undefined;
}

/** A document that cannot say may have some. */
async function countOf(doc: Document): Promise<number> {
  try {
    return (await contextOf(doc)?.getTools())?.length ?? 0;
  } catch {
    return 1;
  }
}
