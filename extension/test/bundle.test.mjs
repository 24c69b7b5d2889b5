// Rule of this file: it tests how chosen files become the text of a bundle.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { bundleOf, pieces, storagePath } = await load("src/ui/options/import-bundle.ts");

test("a chosen folder is the storage or a part of it", () => {
  // Ensure that the folder's own name is left out, unless it is a part of a storage, and that hidden files are.
  const cases = [
    ["mine/scopes/public/sites/a.example/x/actions.json", "scopes/public/sites/a.example/x/actions.json"],
    ["mine/sites/a.example/x/actions.json", "sites/a.example/x/actions.json"],
    ["sites/a.example/x/actions.json", "sites/a.example/x/actions.json"],
    ["scopes/public/notes.md", "scopes/public/notes.md"],
    ["packages/p/actions.json", "packages/p/actions.json"],
    ["mine/.git/config", undefined],
    ["mine/scopes/.DS_Store", undefined],
    ["mine/node_modules/x/index.js", undefined],
    ["lonely.json", undefined],
  ];
  for (const [relative, path] of cases) assert.equal(storagePath(relative), path, relative);
});

test("a bundle holds the texts and names the rest", async () => {
  // Ensure that text arrives byte by byte, and that files that are not text are left out by name.
  const file = (webkitRelativePath, bytes) => ({ webkitRelativePath, lastModified: 7, arrayBuffer: async () => new Uint8Array(bytes).buffer });
  const text = new TextEncoder().encode("\ufeffGrüße 🍵");
  const made = await bundleOf([file("a/notes.md", text), file("a/logo.png", [0x89, 0xff]), file("a/.hidden", [65])]);
  assert.deepEqual([made.count, made.skipped], [1, ["logo.png"]]);
  const { protocol, version, entries } = JSON.parse(made.text);
  assert.deepEqual([protocol, version], ["actions.json.storage.bundle", 1]);
  assert.deepEqual(entries, [{ path: "notes.md", content: "\ufeffGrüße 🍵", modified_at_ms: 7 }]);
});

test("the pieces of a text are the text", () => {
  // Ensure that no piece is too long or ends inside a character.
  for (const text of ["", "a", "🍵🍵🍵", "a🍵b🍵c", "x".repeat(10)]) {
    for (const size of [2, 3, 4, 100]) {
      const all = [...pieces(text, size)];
      assert.equal(all.join(""), text);
      for (const piece of all) {
        assert.ok(piece.length > 0 && piece.length <= size);
        assert.ok(piece.isWellFormed());
      }
    }
  }
});
