// Rule of this file: one command, no network, the same input gives the same
// extension/dist. It fails before it writes when a file is missing. The page
// script goes into every document of a claimed tab: its size is paid there.

import { access, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as esbuild from "esbuild";
import { prunePlugin } from "./prune.mjs";
import { validatorPlugin } from "./validators.mjs";

const root = import.meta.dirname;
// node build.mjs [FOLDER]: tests that run at once build into folders of their own.
const dist = path.resolve(process.argv[2] ?? path.join(root, "dist"));

// The page script is a classic script: chrome.scripting cannot inject modules.
const bundles = [
  { entry: "src/worker/index.ts", out: "worker.js", format: "esm" },
  { entry: "src/page/index.ts", out: "page.js", format: "iife" },
  // What few documents need is injected when a call asks for it.
  { entry: "src/page/input/escape-frame.ts", out: "escape.js", format: "iife" },
  { entry: "src/page/record/index.ts", out: "recorder.js", format: "iife" },
  { entry: "src/page/reader/index.ts", out: "reader.js", format: "iife" },
  { entry: "src/offscreen/index.ts", out: "offscreen.js", format: "esm" },
  { entry: "src/offscreen/pdf.ts", out: "pdf.js", format: "esm" },
  { entry: "src/offscreen/repl/run.ts", out: "repl.js", format: "esm" },
  { entry: "src/offscreen/repl/sandbox.ts", out: "repl-sandbox.js", format: "iife" },
  { entry: "src/offscreen/repl/code-worker.ts", out: "repl-worker.js", format: "iife" },
  { entry: "src/ui/popup/popup.ts", out: "popup.js", format: "esm" },
  { entry: "src/ui/microphone/microphone.ts", out: "microphone.js", format: "esm" },
  { entry: "src/ui/options/options.ts", out: "options.js", format: "esm" },
  { entry: "src/ui/pane/pane.ts", out: "pane.js", format: "esm" },
  { entry: "src/ui/save/save.ts", out: "save.js", format: "esm" },
  { entry: "src/ui/sidepanel/sidepanel.ts", out: "sidepanel.js", format: "esm" },
  { entry: "src/ui/picker/picker.ts", out: "picker.js", format: "esm" },
  { entry: "src/ui/report/report.ts", out: "report.js", format: "esm" },
  { entry: "src/ui/report/sandbox.ts", out: "report-sandbox.js", format: "iife" },
];

const copies = [
  ["manifest.json", "manifest.json"],
  ["_locales", "_locales"],
  ["icons", "icons"],
  ["src/offscreen/offscreen.html", "offscreen.html"],
  ["src/offscreen/repl/sandbox.html", "repl-sandbox.html"],
  ["node_modules/pdfjs-dist/legacy/build/pdf.worker.min.mjs", "pdf-worker.js"],
  ["node_modules/pdfjs-dist/cmaps", "cmaps"],
  ["src/ui/popup/popup.html", "popup.html"],
  ["src/ui/popup/popup.css", "popup.css"],
  ["src/ui/shared/approvals.css", "approvals.css"],
  ["src/ui/options/options.html", "options.html"],
  ["src/ui/options/options.css", "options.css"],
  ["src/ui/options/options-storage.css", "options-storage.css"],
  ["src/ui/options/options-grants.css", "options-grants.css"],
  ["src/ui/options/options-skills.css", "options-skills.css"],
  ["src/ui/shared/colors.css", "colors.css"],
  ["src/ui/microphone/microphone.html", "microphone.html"],
  ["src/ui/microphone/microphone.css", "microphone.css"],
  ["src/ui/shared/frame.css", "frame.css"],
  ["src/ui/pane/pane.html", "pane.html"],
  ["src/ui/pane/pane.css", "pane.css"],
  ["src/ui/save/save.html", "save.html"],
  ["src/ui/save/save.css", "save.css"],
  ["src/ui/sidepanel/sidepanel.html", "sidepanel.html"],
  ["src/ui/sidepanel/sidepanel.css", "sidepanel.css"],
  ["src/ui/picker/picker.html", "picker.html"],
  ["src/ui/picker/picker.css", "picker.css"],
  ["src/ui/report/report.html", "report.html"],
  ["src/ui/report/report.css", "report.css"],
  ["src/ui/report/sandbox.html", "report-sandbox.html"],
];

/** Exits with a plain message when a source is missing. */
async function requireSources() {
  for (const file of [...bundles.map((b) => b.entry), ...copies.map(([from]) => from)]) {
    await access(path.join(root, file)).catch(() => {
      console.error(`build: extension/${file} is missing; nothing was built`);
      process.exit(1);
    });
  }
}

/** Collects the licences of the packages that went into the bundles, and the notices in their files. */
async function notices(inputs) {
  const packages = new Map();
  for (const input of inputs) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
    if (name) packages.set(name, [...(packages.get(name) ?? []), input]);
  }
  const texts = [];
  for (const [name, files] of [...packages].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const folder = path.join(root, "node_modules", name);
    const { version, license } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
    if (!file) throw new Error(`build: the package ${name} has no licence file`);
    const parts = [`${name} ${version} (${license})`, (await readFile(path.join(folder, file), "utf8")).trim()];
    texts.push([...parts, ...(await copyrights(files))].join("\n\n"));
  }
  return `${texts.join("\n\n----\n\n")}\n`;
}

/** The comments that name a copyright, which minifying takes out of the code, each once. */
async function copyrights(files) {
  const found = new Set();
  for (const file of files) {
    const comments = (await readFile(path.join(root, file), "utf8")).match(/\/\*.*?\*\//gs) ?? [];
    for (const comment of comments) if (/copyright/i.test(comment)) found.add(comment.replace(/^[ \t]+/gm, " "));
  }
  return found;
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
    minify: true,
    format,
    platform: "browser",
    target: "chrome125",
    charset: "utf8",
    legalComments: "none", // the licences go into a file of their own
    metafile: true,
    plugins: [validatorPlugin, prunePlugin],
    logLevel: "warning",
  }).catch(() => process.exit(1)); // esbuild has printed what is wrong
  for (const input of Object.keys(result.metafile.inputs)) inputs.add(input);
}
for (const [from, to] of copies) await cp(path.join(root, from), path.join(dist, to), { recursive: true });
await writeFile(path.join(dist, "third-party-licenses.txt"), await notices(inputs));
