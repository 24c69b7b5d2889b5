// Rule: the name of a tool that people read stands in the locales, and is looked up here
// only, for the extension's own pages and for what is drawn in a website's page.

/** Reports whether it is the tool that runs an agent's script, which users abort. Models know it by its last word. */
export const runsScript = (name: string): boolean => name === "automation.repl" || name === "repl";

/** Returns a tool's name for people, with what the call is about; "" where the locales have none. */
export function localToolText(name: string, argument = ""): string {
  // Where the debugger put this code into a page there are no locales.
  const message = (key: string, values?: string[]): string => (typeof chrome === "undefined" ? "" : (chrome.i18n?.getMessage(key, values) ?? ""));
  const key = `tool_${name.replace(/[^A-Za-z0-9]+/g, "_")}`; // models know a tool by a name without dots
  return (argument && message(`${key}_with`, [argument])) || message(key);
}
