// Rule of this file: it does what a client of the official TypeScript SDK does
// and prints what it saw, one JSON object; the Go test beside it judges.
import { fileURLToPath } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

// With "repeat TIMES TOOL ARGUMENTS" it makes the same call again and again, of the program that is built here.
const repeats = process.argv[2] === "repeat";
const [command, home, ...flags] = repeats
  ? [fileURLToPath(new URL("../../bin/actions-host", import.meta.url)), process.env.ACTIONS_HOST_HOME]
  : process.argv.slice(2);
const transport = new StdioClientTransport({
  command,
  args: ["mcp", ...flags],
  env: { ...process.env, ...(home === undefined ? {} : { ACTIONS_HOST_HOME: home }) },
});
const client = new Client({ name: "typescript", version: "1" });
await client.connect(transport);

const report = (name) => ({
  policy_exception_report: { kind: "generic", intended_tool: name, actions_json_path: "none", reason: "a test" },
});
const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);

if (repeats) {
  const [times, tool, args] = process.argv.slice(3);
  for (let n = 0; n < Number(times); n++) {
    const { content } = await call(tool, { ...JSON.parse(args ?? "{}"), ...report(tool) });
    console.log(content[0].text);
  }
  await client.close();
  process.exit();
}

const { tools } = await client.listTools();
const steps = [];
const search = await call(
  "actions_site",
  { mode: "call", action: "teahouse.search", arguments: { query: "oolong" } },
  { onprogress: (p) => steps.push(p) },
);
const refused = await call("locator_text_content", { locator: { selector: "h1" } });
const done = await call("locator_text_content", { locator: { selector: "h1" }, ...report("locator.text_content") });
const snapshot = await call("page_snapshot", { interactive: true, ...report("page.snapshot") });
const picture = await call("browser_screenshot", report("browser.screenshot"));
const tabs = await call("browser_claimed_tabs_list", report("browser.claimed_tabs.list"));

const stop = new AbortController();
const waiting = call(
  "locator_wait_for",
  { locator: { selector: "#never" }, timeout_ms: 30000, ...report("locator.wait_for") },
  { signal: stop.signal },
);
setImmediate(() => stop.abort("enough"));
const cancelled = await waiting.then(
  () => "answered",
  () => "cancelled",
);
const after = await call("actions_site", { mode: "list", names_only: true });

const { resources } = await client.listResources();
const { resourceTemplates } = await client.listResourceTemplates();
const log = await client.readResource({ uri: "actions-host://log" });
const { prompts } = await client.listPrompts();
const prompt = await client.getPrompt({ name: "write_a_map", arguments: { goal: "order tea" } });

process.stdout.write(
  JSON.stringify({
    version: client.getServerVersion(),
    instructions: client.getInstructions(),
    tools: tools.map((t) => t.name),
    search,
    steps: steps.length,
    refused,
    done,
    snapshot,
    picture: picture.content.map((c) => c.type + (c.mimeType ?? "")),
    tabs,
    cancelled,
    after,
    resources: resources.map((r) => r.uri),
    templates: resourceTemplates.map((r) => r.uriTemplate),
    log: log.contents[0],
    prompts: prompts.map((p) => p.name),
    prompt: prompt.messages[0].content.text,
  }),
);
await client.close();
