// Rule of this file: pure functions that make a storage bundle of chosen files,
// so that node can test them. The host checks every path and map; here only
// what a bundle cannot carry is left out, and named.

/** The folders that a storage is made of; one of them may be chosen itself. */
const PARTS = ["scopes", "packages", "sites"];

/** Where a file lies in the storage, given its path from the chosen folder on; undefined for hidden ones. */
export function storagePath(relative: string): string | undefined {
  const [root = "", ...rest] = relative.split("/");
  if (rest.length === 0 || rest.some((name) => name.startsWith(".") || name === "node_modules")) return undefined;
  return (PARTS.includes(root) ? [root, ...rest] : rest).join("/");
}

/** A chosen file. */
export interface Chosen {
  webkitRelativePath: string;
  lastModified: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** The text of a bundle of the files, and the paths of those that are no text. */
export async function bundleOf(files: Iterable<Chosen>): Promise<{ text: string; count: number; left: string[] }> {
  const entries: { path: string; content: string; modified_at_ms: number }[] = [];
  const left: string[] = [];
  for (const file of files) {
    const path = storagePath(file.webkitRelativePath);
    if (path === undefined) continue;
    const content = await textOf(file);
    if (content === undefined) left.push(path);
    else entries.push({ path, content, modified_at_ms: file.lastModified });
  }
  const text = JSON.stringify({ protocol: "actions.json.storage.bundle", version: 1, synced_at_ms: Date.now(), entries });
  return { text, count: entries.length, left };
}

/** A file's text; undefined where it is none. */
export async function textOf(file: Pick<Chosen, "arrayBuffer">): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The text in pieces of at most so many characters, none of which is cut in two. */
export function* pieces(text: string, size: number): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + size, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end--;
    yield text.slice(at, end);
    at = end;
  }
}
