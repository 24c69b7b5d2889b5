// Rule of this file: it holds what keeps a hostile PDF harmless, and its reader small.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const read = async (file) => JSON.parse(await readFile(new URL(`../${file}`, import.meta.url), "utf8"));

test("no page of the extension reaches the network", async () => {
  // Ensure that the reader of PDFs has neither eval nor the network: the policy of the extension's own pages forbids both.
  const { content_security_policy: policy } = await read("manifest.json");
  assert.equal(policy.extension_pages, "default-src 'self'");
});

test("the reader of PDFs brings no native code", async () => {
  // Ensure that the canvas for Node, an optional part that no browser needs, stays out of the lock file: npm install adds it again.
  const { packages } = await read("package-lock.json");
  assert.deepEqual(Object.keys(packages).filter((name) => name.includes("@napi-rs")), []);
  assert.equal(packages["node_modules/pdfjs-dist"].optionalDependencies, undefined);
});
