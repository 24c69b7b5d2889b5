// Rule of this file: one command, no network, the same input gives the same
// extension/dist. It fails before it writes when a part is missing.

import { access, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as esbuild from "esbuild";
import { validatorPlugin } from "./validators.mjs";

const root = import.meta.dirname;
const dist = path.join(root, "dist");

// The page script is a classic script: chrome.scripting cannot inject modules.
const bundles = [
  { entry: "src/worker/index.ts", out: "worker.js", format: "esm" },
  { entry: "src/page/index.ts", out: "page.js", format: "iife" },
  { entry: "src/ui/popup.ts", out: "popup.js", format: "esm" },
];

const copies = [
  ["manifest.json", "manifest.json"],
  ["_locales", "_locales"],
  ["icons", "icons"],
  ["src/ui/popup.html", "popup.html"],
  ["src/ui/popup.css", "popup.css"],
];

/** Exits with words a person understands when a source is not there. */
async function requireSources() {
  for (const file of [...bundles.map((b) => b.entry), ...copies.map(([from]) => from)]) {
    await access(path.join(root, file)).catch(() => {
      console.error(`build: extension/${file} is missing; nothing was built`);
      process.exit(1);
    });
  }
}

/** Collects the licences of the packages that went into the bundles. */
async function notices(inputs) {
  const packages = new Set();
  for (const input of inputs) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) packages.add(found[1]);
  }
  const texts = [];
  for (const name of [...packages].sort()) {
    const folder = path.join(root, "node_modules", name);
    const { version, license } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
    let text = "";
    for (const file of ["LICENSE", "LICENSE.md", "LICENSE.txt", "License.txt"]) {
      text ||= await readFile(path.join(folder, file), "utf8").catch(() => "");
    }
    texts.push(`${name} ${version} (${license})\n\n${text.trim()}\n`);
  }
  return texts.join("\n----\n\n");
}

await requireSources();
await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });

const inputs = new Set();
for (const { entry, out, format } of bundles) {
  const result = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: path.join(dist, out),
    bundle: true,
    format,
    platform: "browser",
    target: "chrome125",
    charset: "utf8",
    legalComments: "none",
    metafile: true,
    plugins: [validatorPlugin],
    logLevel: "warning",
  }).catch(() => process.exit(1)); // esbuild has printed what is wrong
  for (const input of Object.keys(result.metafile.inputs)) inputs.add(input);
}
for (const [from, to] of copies) await cp(path.join(root, from), path.join(dist, to), { recursive: true });
await writeFile(path.join(dist, "third-party-licenses.txt"), await notices(inputs));
