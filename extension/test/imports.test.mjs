// Rule of this file: it checks which source file may import which. The four
// programs of the extension share types and message definitions only; within
// the page script a folder imports only folders below it, so there are no cycles.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";

const src = path.join(import.meta.dirname, "../src");

/** What src itself has for all programs. */
const SHARED = ["contract", "embedding", "hosts", "protocol", "tool-text", "words", "hash"];

const PROGRAMS = ["offscreen", "page", "ui", "worker"];

/** The folders of the page script, from the bottom up. Each may import those above it in this table. */
const LAYERS = {
  base: "arguments and errors of primitives",
  dom: "elements: tree, names, text, geometry, visibility, secrets",
  wait: "animation frames, changes, navigations, an idle page",
  frames: "frame paths, and what the documents above and below know",
  locator: "elements by locator, ref or scope",
  overlay: "what the extension draws into the page",
  record: "what the user does by hand: a script of its own, injected while a tab is recorded",
  text: "caret, selection, editing, clipboard",
  input: "pointer and keys, synthetic and real",
  action: "actions on a target: prepare, perform, verify",
  snapshot: "the page as an accessibility tree",
  a11y: "announcements of live regions",
  state: "state extraction, unsaved edits",
  info: "other reads of the page",
  reader: "articles: a script of its own, injected when it is needed",
};

const MAX_FILES = 40;

const IMPORT = /^(?:import|export)\s+(type\s+)?([^;"]*?)\s*(?:from\s+)?"(\.[^"]+)"/gm;

/** Returns the relative imports of all sources: { from, to } without extension, relative to src, and whether it is for types only. */
async function importsOf() {
  const files = (await readdir(src, { recursive: true })).filter((name) => name.endsWith(".ts"));
  const found = [];
  for (const file of files) {
    const from = file.split(path.sep).join("/").replace(/(\.d)?\.ts$/, "");
    const text = await readFile(path.join(src, file), "utf8");
    for (const [, type, names, to] of text.matchAll(IMPORT)) {
      const members = /^\{(.*)\}$/s.exec(names)?.[1].split(",").map((name) => name.trim()).filter(Boolean) ?? [];
      const types = type !== undefined || (members.length > 0 && members.every((name) => name.startsWith("type ")));
      found.push({ from, to: path.posix.join(path.posix.dirname(from), to), types });
    }
  }
  assert.ok(files.length > 100 && found.length > 500, "the imports are read");
  return found;
}

const imports = await importsOf();
const programOf = (file) => file.split("/")[0];
const layerOf = (file) => file.split("/")[1];

test("programs share types and messages only", () => {
  // Ensure that code of one program does not get into the bundle of another.
  const wrong = imports.filter(({ from, to, types }) => {
    if (programOf(from) === programOf(to) || SHARED.includes(to) || (SHARED.includes(from) && types)) return false;
    return !PROGRAMS.includes(programOf(from)) || !PROGRAMS.includes(programOf(to)) || !(types || /[/-]messages$/.test(to));
  });
  assert.deepEqual(wrong, []);
});

test("folders of the page script import only those below", () => {
  // Ensure that the folders keep the order of the table; index and run, above all of them, are imported by none.
  const order = Object.keys(LAYERS);
  const within = imports.filter(({ from, to }) => programOf(from) === "page" && programOf(to) === "page" && from.split("/").length > 2);
  const wrong = within.filter(({ from, to }) => to.split("/").length < 3 || !(order.indexOf(layerOf(to)) <= order.indexOf(layerOf(from))));
  assert.deepEqual(wrong, []);
});

test("every file of the page script is in a folder of the table", async () => {
  // Ensure that a new folder gets its place in the order.
  const entries = await readdir(path.join(src, "page"), { withFileTypes: true });
  assert.deepEqual(entries.filter((entry) => entry.isFile()).map(({ name }) => name).sort(), ["index.ts", "run.ts"]);
  assert.deepEqual(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name).sort(), Object.keys(LAYERS).sort());
});

test("no folder has too many files", async () => {
  // Ensure that a folder is divided before it becomes hard to find anything in it.
  const files = (await readdir(src, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const counts = new Map();
  for (const { parentPath } of files) counts.set(parentPath, (counts.get(parentPath) ?? 0) + 1);
  for (const [folder, count] of counts) assert.ok(count <= MAX_FILES, `${folder} has ${count} files`);
});

test("modules have no import cycles", () => {
  // Ensure that a module is evaluated before those that use it.
  const values = imports.filter(({ types }) => !types);
  const done = new Set();
  const visit = (file, trail) => {
    assert.ok(!trail.includes(file), [...trail, file].join(" -> "));
    if (done.has(file)) return;
    for (const { to } of values.filter(({ from }) => from === file)) visit(to, [...trail, file]);
    done.add(file);
  };
  for (const { from } of values) visit(from, []);
});
