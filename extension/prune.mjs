// Rule of this file: the locator engine brings along what only its strict
// queries and its own pseudo-classes use, and nothing here calls either. It is
// left out while building, by the markers that the pinned version has; a
// version without them fails the build.

import { readFile } from "node:fs/promises";

/** The unused parts of the engine and what stands in their place. */
const unused = [
  ["src/locatorGenerators.ts", "const asLocator = () => { throw new Error('left out of this build'); };"],
  ["src/selectorGenerator.ts", "const generateSelector = asLocator;"],
  // :near() and its like are no CSS: a selector with them is refused earlier.
  ["src/layoutSelectorUtils.ts", "const kLayoutSelectorNames = [], layoutSelectorScore = asLocator;"],
];

/** An esbuild plugin that takes the unused parts out of ivya. */
export const prunePlugin = {
  name: "prune",
  setup(build) {
    build.onLoad({ filter: /node_modules\/ivya\/dist\/src-[^/]*\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, "utf8");
      for (const [region, stub] of unused) {
        const start = contents.indexOf(`//#region ${region}`);
        const end = contents.indexOf("//#endregion", start);
        if (start < 0 || end < 0) {
          return { errors: [{ text: `ivya has no part ${region} any longer: look again at what can be left out` }] };
        }
        contents = `${contents.slice(0, start)}${stub}\n${contents.slice(end)}`;
      }
      return { contents };
    });
  },
};
