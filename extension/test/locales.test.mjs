// Rule of this file: every locale says all that the English one says. The browser would
// fall back to English for a missing text; a translator is to know of it all the same.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { load } from "./load.mjs";

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

/** Makes chrome.i18n.getMessage answer as the browser does in a locale. */
function speak(locale) {
  const getMessage = (key, values = []) => {
    const { message = "", placeholders = {} } = locales[locale][key] ?? {};
    return message.replace(/\$(\w+)\$/g, (_, name) => values[Number(placeholders[name.toLowerCase()].content.slice(1)) - 1] ?? "");
  };
  globalThis.chrome = { i18n: { getMessage } };
}

test("labels name the action and what it is about", async () => {
  // Ensure that pane and popup put the argument into the label, in every language, and do without where there is none or no place for it.
  const { toolText, toolRowText, statusText } = await load("src/ui/shared/agent-text.ts");
  const { callText, runningText } = await load("src/ui/shared/host-text.ts");
  const running = { call_id: "c", session: "cli", session_id: "cli", started_at: new Date(0).toISOString() };
  speak("en");
  assert.equal(toolText("locator.click", "Send $1 $LOCATOR$"), "click Send $1 $LOCATOR$");
  assert.equal(toolText("locator_click"), "click");
  assert.equal(toolText("locator.click", ""), "click");
  assert.equal(toolText("text.type", "sesame"), "type text");
  assert.equal(toolText("no_such_tool", "x"), "no such tool");
  assert.equal(toolRowText({ id: "1", role: "tool", text: "locator_fill", done: true, ok: true, argument: "Email" }), "fill in Email");
  assert.equal(statusText({ status: "using_tool", tool: "page_find", tool_argument: "tea" }), "Using a tool: find tea");
  assert.equal(callText({ name: "locator.click", argument: "Buy" }), "Click Buy");
  assert.equal(callText({ name: "actions.site", action: "cart.add", argument: "cart.add" }), "cart.add");
  assert.equal(runningText({ ...running, name: "actions.site", action: "cart.add", step: "locator.click", argument: "Buy" }, 3000), "cart.add: click Buy · 3 s · Terminal");
  speak("de");
  assert.equal(callText({ name: "locator.click", argument: "Kaufen" }), "Kaufen anklicken");
  assert.equal(callText({ name: "locator.click" }), "Klicken");
});
