// Rule of this file: files come from the host in parts, and reach the page as a
// person's choice would: in the file field, or dropped on the zone. A file
// field is mostly hidden behind a button, so it need not be seen.

import type { Action, Held } from "./action";
import { type Args, needText, number } from "./args";
import { composedClosest, isInput } from "./dom";
import { PageError } from "./errors";
import { toTop } from "./frames";
import { center } from "./geometry";
import { labelOf } from "./labels";
import { sendDrag } from "./drag-events";
import { queryAll } from "./selectors";
import { type Context, task } from "./settle";

interface Incoming {
  name: string;
  type: string;
  modified: number;
  parts: Uint8Array<ArrayBuffer>[];
}

const uploads = new Map<string, Incoming[]>();

/** An upload whose call never came back is forgotten when others come. */
const MAX_UPLOADS = 2;

/** upload.part */
export function takePart(args: Args): unknown {
  const id = needText(args, "upload_id");
  const files = uploads.get(id) ?? [];
  const index = number(args, "file", 0, 0, 100);
  const file = (files[index] ??= { name: needText(args, "name"), type: needText(args, "type"), modified: number(args, "modified", 0, 0, Number.MAX_SAFE_INTEGER), parts: [] });
  const binary = atob(needText(args, "data"));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  file.parts.push(bytes);
  uploads.set(id, files);
  for (const oldest of uploads.keys()) {
    if (uploads.size <= MAX_UPLOADS) break;
    uploads.delete(oldest);
  }
  return { taken: bytes.length };
}

interface Before {
  input: HTMLInputElement | null;
  files: { name: string; size: number }[];
  verified: boolean | null;
}

/** The file field that the element is, stands for or holds. */
function fieldOf(el: Element): HTMLInputElement | null {
  if (isFileField(el)) return el;
  const control = (composedClosest(el, "label") as HTMLLabelElement | null)?.control ?? null;
  if (control && isFileField(control)) return control;
  const inside = queryAll(el, "input").filter(isFileField);
  return inside.length === 1 ? (inside[0] ?? null) : null;
}

const isFileField = (el: Element): el is HTMLInputElement => isInput(el) && el.type === "file";

async function perform(held: Held): Promise<void> {
  const id = needText(held.args, "upload_id");
  const incoming = uploads.get(id);
  uploads.delete(id);
  if (!incoming) throw new PageError("handler_failed", "the files did not arrive in this document");
  const input = fieldOf(held.el);
  refuse(held.el, input, incoming.length);
  const data = new DataTransfer();
  for (const file of incoming) data.items.add(new File(file.parts, file.name, { type: file.type, lastModified: file.modified }));
  const files = [...data.files].map(({ name, size }) => ({ name, size }));
  if (input) {
    input.files = data.files;
    const taken = [...(input.files ?? [])].map((file) => file.name).join("/") === files.map((file) => file.name).join("/");
    input.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
    held.before = { input, files, verified: taken } satisfies Before;
  } else {
    held.before = { input, files, verified: drop(held.el, data) } satisfies Before;
  }
  await task();
}

function refuse(el: Element, input: HTMLInputElement | null, count: number): void {
  if (!input || input.multiple || count <= 1) return;
  throw new PageError("invalid_input", `${labelOf(input)} takes one file, not ${count}`, { label: labelOf(el), multiple: false });
}

// A zone that wants the files says so by preventing the default of dragover.
function drop(zone: Element, data: DataTransfer): boolean {
  const point = center(zone.getBoundingClientRect());
  const at = { target: zone, local: point, top: center(toTop(zone.getBoundingClientRect(), zone.ownerDocument)) };
  sendDrag(at, "dragenter", data);
  const wanted = !sendDrag(at, "dragover", data);
  const taken = !sendDrag(at, "drop", data);
  return wanted || taken;
}

export const upload: Action = {
  need: { reach: "attached", enabled: true },
  ready: (held) => {
    const input = fieldOf(held.el);
    refuse(held.el, input, number(held.args, "count", 1, 0, 100));
    return { way: "page", drop_zone: input === null };
  },
  perform,
  read: (held: Held, _ctx: Context) => {
    const { input, files, verified } = held.before as Before;
    if (!input && !verified) throw new PageError("value_not_applied", `${labelOf(held.el)} did not take the files`, { label: labelOf(held.el) }, "yes");
    return { uploaded: true, files, drop_zone: input === null, verified };
  },
};
