// Rule of this file: the schemas of manifest/protocol are the only source of
// the run-time checks. They are compiled to plain code while building, since
// the extension's content security policy forbids compiling in the browser.

import { readFile } from "node:fs/promises";
import Ajv from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";

const protocol = new URL("../manifest/protocol/", import.meta.url);

/**
 * Returns the source of an ES module: `requests`, `notifications` and `results`
 * have, by JSON-RPC method, the checks of the host's messages;
 * `definitions` has those by name, and those of errors, of chunks of messages
 * of announcements and of what a call met, which a content script sends and the worker forwards as they are.
 * With `all` it has every definition, also of what the extension only sends.
 */
export async function validatorSource({ all = false } = {}) {
  const schema = JSON.parse(await readFile(new URL("messages.schema.json", protocol), "utf8"));
  const { methods } = JSON.parse(await readFile(new URL("methods.json", protocol), "utf8"));
  const sentBy = (from, kind) => methods.filter((m) => m.from === from && m.kind === kind);
  const requests = sentBy("host", "request").map((m) => [m.method, m.params]);
  const notifications = sentBy("host", "notification").map((m) => [m.method, m.params]);
  const results = sentBy("extension", "request").map((m) => [m.method, m.result]);
  const received = [...requests, ...notifications, ...results].map(([, definition]) => definition);
  const names = all ? Object.keys(schema.definitions) : [...new Set([...received, "ErrorData", "MessagePart", "Announcements", "MetTarget", "Recorded"])];

  const ajv = new Ajv({ strict: true, schemas: { messages: schema }, code: { source: true, esm: true } });
  const code = standaloneCode.default(
    ajv,
    Object.fromEntries(names.map((name) => [`check${name}`, `messages#/definitions/${name}`])),
  );

  const table = (name, rows) => `export const ${name} = {\n${rows.map(([k, v]) => `  ${k}: check${v},\n`).join("")}};\n`;
  return [
    code,
    table("definitions", names.map((name) => [name, name])),
    table("requests", requests),
    table("notifications", notifications),
    table("results", results),
  ].join("\n");
}

/** An esbuild plugin that answers an import of `validators`, from any folder, with that module. */
export const validatorPlugin = {
  name: "validators",
  setup(build) {
    build.onResolve({ filter: /\/validators$/ }, () => ({ path: "validators", namespace: "generated" }));
    build.onLoad({ filter: /.*/, namespace: "generated" }, async () => ({
      contents: await validatorSource(),
      resolveDir: import.meta.dirname,
    }));
  },
};
