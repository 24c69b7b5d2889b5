// Evaluates expressions with npm's jsonata for the conformance test.
// stdin:  {"module": path of jsonata.js, "input": any, "expressions": [string]}
// stdout: one line an expression, {"v": value}, {"u": true} or {"e": code}
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const { module, input, expressions } = JSON.parse(readFileSync(0, "utf8"));
const jsonata = createRequire(import.meta.url)(module);

const lines = [];
for (const source of expressions) {
  let line;
  try {
    const value = await jsonata(source).evaluate(structuredClone(input));
    // What JSON cannot hold, such as a function, counts as undefined.
    const text = typeof value === "function" ? undefined : JSON.stringify(value);
    line = text === undefined ? '{"u":true}' : `{"v":${text}}`;
  } catch (error) {
    line = JSON.stringify({ e: error.code ?? String(error) });
  }
  lines.push(line);
}
process.stdout.write(lines.join("\n") + "\n");
