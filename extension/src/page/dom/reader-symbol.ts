/** Where the script that reads articles leaves its function for the page script. */
export const READER = Symbol.for("actions-host.reader");
