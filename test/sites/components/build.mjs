// Bundles the pages of the component matrix into node_modules/.cache/pages, unless what they
// are made of has not changed since.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { compile, compileModule } from "svelte/compiler";

const here = import.meta.dirname;
const out = join(here, "node_modules", ".cache", "pages");
const sources = ["build.mjs", "package-lock.json", ...readdirSync(join(here, "pages")).sort().map((name) => `pages/${name}`)];
const hash = createHash("sha256");
for (const name of sources) hash.update(name).update(readFileSync(join(here, name)));
const key = hash.digest("hex");
const mark = join(out, ".key");

// svelte compiles components, and modules that hold their state.
const svelte = {
  name: "svelte",
  setup(builder) {
    builder.onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { js } = compile(readFileSync(path, "utf8"), { filename: path, css: "injected" });
      return { contents: js.code };
    });
    builder.onLoad({ filter: /\.svelte\.js$/ }, ({ path }) => ({ contents: compileModule(readFileSync(path, "utf8"), { filename: path }).js.code }));
  },
};

function isBuilt() {
  try {
    return readFileSync(mark, "utf8") === key;
  } catch {
    return false;
  }
}

if (!isBuilt()) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const helpers = ["react.jsx", "record.js"];
  await build({
    entryPoints: readdirSync(join(here, "pages")).filter((name) => /\.[jt]sx?$/.test(name) && !helpers.includes(name)).map((name) => join(here, "pages", name)),
    outdir: out,
    bundle: true,
    minify: true,
    format: "esm",
    target: "esnext",
    jsx: "automatic",
    conditions: ["svelte", "browser"],
    loader: { ".ttf": "dataurl", ".svg": "dataurl" },
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
    define: { "process.env": "{}", "process.env.NODE_ENV": '"production"', __VUE_OPTIONS_API__: "true", __VUE_PROD_DEVTOOLS__: "false", __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false" },
    logLevel: "warning",
    plugins: [svelte],
  });
  writeFileSync(mark, key);
}
