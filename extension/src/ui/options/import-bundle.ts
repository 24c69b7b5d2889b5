// Rule of this file: pure functions that make a storage bundle of chosen files,
// so that node can test them. The host checks every path and map; here only
// what a bundle cannot carry is left out, and named.

/** The folders of a storage; one of them may be chosen itself. */
const FOLDERS = ["scopes", "packages", "sites"];

/** Returns a file's path in the storage, given its path from the chosen folder on; undefined for hidden ones. */
export function storagePath(relative: string): string | undefined {
  const [root = "", ...rest] = relative.split("/");
  if (rest.length === 0 || rest.some((name) => name.startsWith(".") || name === "node_modules")) return undefined;
  return (FOLDERS.includes(root) ? [root, ...rest] : rest).join("/");
}

/** A chosen file. */
export interface Chosen {
  webkitRelativePath: string;
  lastModified: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Returns the text of a bundle of the files, and the paths of those that are not text. */
export async function bundleOf(files: Iterable<Chosen>): Promise<{ text: string; count: number; skipped: string[] }> {
  const entries: { path: string; content: string; modified_at_ms: number }[] = [];
  const skipped: string[] = [];
  for (const file of files) {
    const path = storagePath(file.webkitRelativePath);
    if (path === undefined) continue;
    const content = await textOf(file);
    if (content === undefined) skipped.push(path);
    else entries.push({ path, content, modified_at_ms: file.lastModified });
  }
  const text = JSON.stringify({ protocol: "actions.json.storage.bundle", version: 1, synced_at_ms: Date.now(), entries });
  return { text, count: entries.length, skipped };
}

/** Returns a file's text; undefined if it is not text. */
export async function textOf(file: Pick<Chosen, "arrayBuffer">): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Splits the text into pieces of at most `size` UTF-16 units, without splitting a character. */
export function* pieces(text: string, size: number): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + size, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end--;
    yield text.slice(at, end);
    at = end;
  }
}
