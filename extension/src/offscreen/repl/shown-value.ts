// Rule of this file: any value becomes a text that a model can read, and none fails.

const MAX_CHARS = 100_000;
const MAX_DEPTH = 20;

/** Returns the value as JSON, or as close to it as it comes. */
export function shownValue(value: unknown): string {
  try {
    return write(value, [], { left: MAX_CHARS });
  } catch (error) {
    return `[${error instanceof Error ? error.message : "no value"}]`;
  }
}

/** Writes the value; what stands above it is circular. */
function write(value: unknown, above: unknown[], room: { left: number }): string {
  if (room.left < 0) return '"…"';
  if (typeof value === "string") {
    room.left -= value.length;
    return JSON.stringify(value.slice(0, MAX_CHARS));
  }
  room.left -= 4;
  if (value === null || typeof value !== "object") return plain(value);
  if (above.includes(value)) return '"[circular]"';
  if (above.length >= MAX_DEPTH) return '"[deeper]"';
  const inner = (item: unknown): string => write(item, [...above, value], room);
  if (value instanceof Error) return JSON.stringify(`${value.name}: ${value.message}`);
  if (value instanceof Date) return JSON.stringify(Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString());
  if (value instanceof Map) return inner({ map: [...value] });
  if (value instanceof Set) return inner({ set: [...value] });
  if (ArrayBuffer.isView(value)) return `"[${value.constructor.name} of ${value.byteLength} bytes]"`;
  if (Array.isArray(value)) return `[${limited(value, room, inner).join(",")}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${limited(members, room, ([name, member]) => `${JSON.stringify(name)}:${inner(member)}`).join(",")}}`;
}

function limited<T>(items: readonly T[], room: { left: number }, text: (item: T) => string): string[] {
  const written: string[] = [];
  for (const item of items) {
    if (room.left < 0) return [...written, `"… ${items.length - written.length} more"`];
    written.push(text(item));
  }
  return written;
}

function plain(value: unknown): string {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return `[function ${value.name}]`;
  if (typeof value === "symbol") return String(value);
  return String(JSON.stringify(value));
}
