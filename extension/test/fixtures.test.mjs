// Rule of this file: the shared messages of manifest/fixtures are judged here
// as the Go side judges them.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { loadValidators } from "./load.mjs";

const folder = new URL("../../manifest/fixtures/", import.meta.url);
const validators = await loadValidators();

async function fixtures(kind) {
  const names = (await readdir(new URL(`${kind}/`, folder))).filter((name) => name.endsWith(".json"));
  return Promise.all(
    names.map(async (name) => ({ name, ...JSON.parse(await readFile(new URL(`${kind}/${name}`, folder), "utf8")) })),
  );
}

test("every valid message is accepted", async () => {
  // Ensure that the worker accepts what the contract allows.
  const all = await fixtures("valid");
  assert.ok(all.length > 0);
  for (const { name, definition, message, why } of all) {
    const check = validators.definitions[definition];
    assert.ok(check, `${name}: unknown definition ${definition}`);
    assert.ok(check(message), `${name} was refused (${why}): ${JSON.stringify(check.errors)}`);
  }
});

test("every invalid message is refused", async () => {
  // Ensure that the worker refuses what the contract forbids.
  const all = await fixtures("invalid");
  assert.ok(all.length > 0);
  for (const { name, definition, message, why } of all) {
    const check = validators.definitions[definition];
    assert.ok(check, `${name}: unknown definition ${definition}`);
    assert.equal(check(message), false, `${name} was accepted although: ${why}`);
  }
});

test("every message of the host has its check", async () => {
  // Ensure that no method reaches a handler unchecked.
  const { methods } = JSON.parse(await readFile(new URL("../protocol/methods.json", folder), "utf8"));
  for (const { method, from, kind, params, result } of methods) {
    if (from === "extension") {
      if (kind === "request") assert.equal(validators.results[method], validators.definitions[result], method);
      continue;
    }
    const table = kind === "request" ? validators.requests : validators.notifications;
    assert.equal(table[method], validators.definitions[params], method);
  }
});
