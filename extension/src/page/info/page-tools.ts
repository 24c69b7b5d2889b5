// Rule of this file: it only tests whether there may be page tools (WebMCP), so
// that the debugger is not attached where there are none. What the page's scripts
// override in their own world is not visible here.

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
  const probe: Probe = { supported: modelContextOf(document) !== undefined, secure: window.isSecureContext, tools: 0, frames: 0 };
  if (!probe.supported) return probe;
  const level = [document];
  let visited = 0;
  for (let doc = level.shift(); doc; doc = level.shift()) {
    probe.tools += await countTools(doc);
    for (const frame of Document.prototype.querySelectorAll.call(doc, "iframe") as NodeListOf<HTMLIFrameElement>) {
      if (++visited > MAX_FRAMES) return { ...probe, frames: probe.frames + 1 };
      const inner = frame.contentDocument;
      if (inner) level.push(inner);
      else if (/\btools\b/.test(frame.getAttribute("allow") ?? "")) probe.frames++;
    }
  }
  return probe;
}

/** Read from the prototype: an element of that name would shadow the document's property. */
function modelContextOf(doc: Document): ModelContext | undefined {
  const accessor = Object.getOwnPropertyDescriptor(Document.prototype, "modelContext");
  return accessor?.get?.call(doc) as ModelContext | undefined;
}

/** A document whose getTools fails may have some. */
async function countTools(doc: Document): Promise<number> {
  try {
    return (await modelContextOf(doc)?.getTools())?.length ?? 0;
  } catch {
    return 1;
  }
}
