// Rule of this file: it checks the names that the sources declare, as
// pkg/style_test.go does for Go. Text that a name does not hold is free.

import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { API } from "typescript/unstable/sync";
import { isIdentifier, isImportSpecifier, isPrivateIdentifier, isPropertyAccessExpression, isPropertyAssignment, isPropertySignatureDeclaration } from "typescript/unstable/ast/is";

/** Words that say too little at the place where a name is used. */
const BANNED = new Set(["desk", "part", "parts", "tell", "tells", "telling", "told", "hear", "hears", "hearing", "heard", "said", "say", "says"]);

/** Names of members that are not chosen here, and what they are. */
const GIVEN = {
  desk_command: "a method of the protocol",
  import_part: "a command to the host",
  say: "a command of the port panel:agent",
  part: "the evidence of invalid_selector: the selector of a list that is not valid",
  parts: "an argument of the host's command import",
};

const root = path.join(import.meta.dirname, "..");

const wordsOf = (name) => name.match(/[A-Z]+[a-z0-9]*|[a-z0-9]+/g) ?? [];

/** Calls visit with each declaration of a file that has a name. */
function declaredIn(file, visit) {
  const walk = (node) => {
    const { name } = node;
    const imported = isImportSpecifier(node) && !node.propertyName;
    if (name && !imported && !isPropertyAccessExpression(node) && (isIdentifier(name) || isPrivateIdentifier(name))) visit(node, name.text);
    node.forEachChild(walk);
  };
  walk(file);
}

test("no name uses a word that says too little", () => {
  // Ensure that names are the field's terms: send, report and handle in place of tell and hear, and what a part is a part of.
  const api = new API({ cwd: root });
  try {
    const [project] = api.updateSnapshot({ openProjects: [path.join(root, "tsconfig.json")] }).getProjects();
    const sources = project.program.getSourceFileNames().filter((name) => name.startsWith(path.join(root, "src")) && !name.endsWith(".d.ts"));
    assert.ok(sources.length > 100, "the sources are read");
    const found = [];
    let names = 0;
    for (const source of sources) {
      const file = project.program.getSourceFile(source);
      declaredIn(file, (node, name) => {
        names++;
        const given = Object.hasOwn(GIVEN, name) && (isPropertyAssignment(node) || isPropertySignatureDeclaration(node));
        if (!given && wordsOf(name).some((word) => BANNED.has(word.toLowerCase()))) {
          const line = file.text.slice(0, node.name.getStart(file)).split("\n").length;
          found.push(`${path.relative(root, source)}:${line}: ${name}`);
        }
      });
    }
    assert.ok(names > 3000, `${names} names are read`);
    assert.deepEqual(found, []);
  } finally {
    api.close();
  }
});
