// Rule of this file: tests import the sources as the build makes them, with the
// very validators of the build, and leave no files behind.

import path from "node:path";
import * as esbuild from "esbuild";
import { validatorPlugin, validatorSource } from "../validators.mjs";

const root = path.join(import.meta.dirname, "..");

/** Imports TypeScript modules of the extension as one module: they share what they import. */
export function load(...entries) {
  const contents = entries.map((entry) => `export * from ${JSON.stringify(`./${entry}`)};`).join("");
  return bundle({ stdin: { contents, resolveDir: root, loader: "ts" } });
}

/** Imports the checks that the build compiles from the schemas, those of all definitions. */
export async function loadValidators() {
  return bundle({ stdin: { contents: await validatorSource({ all: true }), resolveDir: root, loader: "js" } });
}

async function bundle(input) {
  const { outputFiles } = await esbuild.build({
    ...input,
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    plugins: [validatorPlugin],
    logLevel: "warning",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
