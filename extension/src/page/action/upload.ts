// Rule of this file: files come from the host in chunks, and reach the page as a
// person's choice would: in the file field, which need not be visible, or dropped
// on the zone.

import { type Args, requiredText, number } from "../base/args";
import { PageError } from "../base/errors";
import { viewOf } from "../dom/dom";
import { center } from "../dom/geometry";
import { labelOf } from "../dom/labels";
import { toTop } from "../dom/viewport";
import { type Context, nextTask } from "../wait/schedule";
import type { Action, HeldTarget } from "./action";
import { sendDrag } from "./drag-events";
import { DropWatch } from "./drop-watch";
import { fieldBeside, fieldOf, fieldOfChooser, hiddenFields } from "./upload-field";

interface IncomingFile {
  name: string;
  type: string;
  modified: number;
  chunks: Uint8Array<ArrayBuffer>[];
}

const uploads = new Map<string, IncomingFile[]>();

/** An upload whose call never came back is dropped when others come. */
const MAX_UPLOADS = 2;

/** upload.part */
export function receiveChunk(args: Args): unknown {
  const id = requiredText(args, "upload_id");
  const files = uploads.get(id) ?? [];
  const index = number(args, "file", 0, 0, 100);
  files[index] ??= { name: requiredText(args, "name"), type: requiredText(args, "type"), modified: number(args, "modified", 0, 0, Number.MAX_SAFE_INTEGER), chunks: [] };
  const file = files[index];
  const binary = atob(requiredText(args, "data"));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  file.chunks.push(bytes);
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

async function perform(held: HeldTarget, ctx: Context): Promise<void> {
  const id = requiredText(held.args, "upload_id");
  const incoming = uploads.get(id);
  uploads.delete(id);
  if (!incoming) throw new PageError("handler_failed", "the files did not arrive in this document");
  const data = new DataTransfer();
  for (const file of incoming) data.items.add(new File(file.chunks, file.name, { type: file.type, lastModified: file.modified }));
  let input = fieldOf(held.el) ?? (await fieldOfChooser(held.el, ctx));
  let verified = input === null && (await drop(held.el, data));
  if (verified === false) input ??= fieldBeside(held.el);
  if (input) verified = giveTo(input, held.el, data);
  held.before = { input, files: [...data.files].map(({ name, size }) => ({ name, size })), verified } satisfies Before;
  await nextTask();
}

function giveTo(input: HTMLInputElement, el: Element, data: DataTransfer): boolean {
  rejectMultiple(el, input, data.files.length);
  const names = (files: FileList | null): string => [...(files ?? [])].map((file) => file.name).join("/");
  input.files = data.files;
  const taken = names(input.files) === names(data.files);
  input.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  input.dispatchEvent(new Event("change", { bubbles: true }));
  return taken;
}

function rejectMultiple(el: Element, input: HTMLInputElement | null, count: number): void {
  if (!input || input.multiple || count <= 1) return;
  throw new PageError("invalid_input", `${labelOf(input)} takes one file, not ${count}`, { label: labelOf(el), multiple: false });
}

/** Drops the files on the zone, and resolves with whether it took them; null where that is not known. */
async function drop(zone: Element, data: DataTransfer): Promise<boolean | null> {
  const watch = new DropWatch([viewOf(zone)], false);
  const point = center(zone.getBoundingClientRect());
  const at = { target: zone, local: point, top: center(toTop(zone.getBoundingClientRect(), zone.ownerDocument)) };
  for (const type of ["dragenter", "dragover", "drop"]) sendDrag(at, type, data);
  await nextTask();
  watch.stop();
  return watch.accepted;
}

function notTaken(el: Element): PageError {
  const file_inputs = hiddenFields(el);
  const why = file_inputs.length > 0 ? "did not take the files: name one of the hidden file fields in file_inputs" : "did not take the files";
  return new PageError("value_not_applied", `${labelOf(el)} ${why}`, { label: labelOf(el), file_inputs }, "yes");
}

export const upload: Action = {
  need: { reach: "attached", enabled: true },
  prepare: (held) => {
    const input = fieldOf(held.el);
    rejectMultiple(held.el, input, number(held.args, "count", 1, 0, 100));
    return { way: "page", drop_zone: input === null };
  },
  perform,
  readResult: (held: HeldTarget, _ctx: Context) => {
    const { input, files, verified } = held.before as Before;
    if (!input && verified === false) throw notTaken(held.el);
    return { uploaded: true, files, drop_zone: input === null, verified };
  },
};
