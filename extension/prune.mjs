// Rule of this file: the locator engine includes code that only its strict
// queries and its own pseudo-classes use, and nothing here calls either. That code is
// removed while building, by the markers of the pinned version; a
// version without them fails the build.

import { readFile } from "node:fs/promises";

/** The unused modules of the engine and their replacements. */
const unused = [
  ["src/locatorGenerators.ts", "const asLocator = () => { throw new Error('left out of this build'); };"],
  // Roles and names are read by dom/accessible-name.
  ["src/roleSelectorEngine.ts", "const createRoleEngine = () => ({ queryAll: asLocator });"],
  ["src/selectorGenerator.ts", "const generateSelector = asLocator;"],
  // :near() and its like are not CSS: a selector with them is refused earlier.
  ["src/layoutSelectorUtils.ts", "const kLayoutSelectorNames = [], layoutSelectorScore = asLocator;"],
];

/** An esbuild plugin that removes the unused modules from ivya. */
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
