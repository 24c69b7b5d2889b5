// Rule: this is a script of its own, injected when page.read is called: most documents
// of a claimed tab are never read. It shares its world with the page script, which
// finds it by its symbol, and nothing else with it.

import { READER } from "../dom/reader-symbol";
import { read } from "./read";

(globalThis as Record<symbol, unknown>)[READER] = read;
