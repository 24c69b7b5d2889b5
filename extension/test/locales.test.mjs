// Rule of this file: every locale says all that the English one says. The browser would
// fall back to English for a missing text; a translator is to know of it all the same.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";

const folder = new URL("../_locales/", import.meta.url);
const locales = {};
for (const name of await readdir(folder)) locales[name] = JSON.parse(await readFile(new URL(`${name}/messages.json`, folder), "utf8"));

/** The names in the text of a message, such as title for $TITLE$. */
const used = ({ message }) => new Set([...message.matchAll(/\$(\w+)\$/g)].map(([, name]) => name.toLowerCase()));

/** What a message's placeholders stand for, by their names. */
const contents = ({ placeholders = {} }) => Object.fromEntries(Object.entries(placeholders).map(([name, { content }]) => [name.toLowerCase(), content]));

test("all locales have the same texts", () => {
  // Ensure that no locale lacks a text, keeps one that is gone, or leaves out or invents a placeholder.
  assert.ok(Object.keys(locales).includes("de"), "German is there");
  const { en, ...others } = locales;
  const keys = Object.keys(en).sort();
  assert.ok(keys.length > 300);
  for (const key of keys) assert.deepEqual(used(en[key]), new Set(Object.keys(contents(en[key]))), `en ${key}`);
  for (const [name, texts] of Object.entries(others)) {
    assert.deepEqual(Object.keys(texts).sort(), keys, name);
    for (const key of keys) {
      assert.deepEqual(contents(texts[key]), contents(en[key]), `${name} ${key}`);
      assert.deepEqual(used(texts[key]), used(en[key]), `${name} ${key}`);
      assert.notEqual(texts[key].message.trim(), "", `${name} ${key}`);
    }
  }
});

test("every primitive has its labels", async () => {
  // Ensure that what a person reads while a primitive runs is what its record says.
  const records = new URL("../../manifest/primitives/", import.meta.url);
  let labelled = 0;
  for (const file of await readdir(records)) {
    if (!file.endsWith(".json")) continue;
    const { name, labels } = JSON.parse(await readFile(new URL(file, records), "utf8"));
    if (!labels) continue;
    labelled++;
    const key = `tool_${name.replaceAll(".", "_")}`;
    assert.equal(locales.en[key]?.message, labels.tool, name);
    const argument = labels["tool.with_param"];
    assert.equal(locales.en[`${key}_with`]?.message, argument?.replace(/\{(\w+)\}/, (_, word) => `$${word.toUpperCase()}$`), name);
  }
  assert.ok(labelled > 90);
});
