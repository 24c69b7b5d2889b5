package obedient

import "net/http"

// networkChannels are answers of servers.
var networkChannels = []*Channel{
	{Name: "address of a request", HTML: requested(`fetch("/ping?{TOKEN}")`), Read: network},
	{Name: "address of a failed request", HTML: requested(`fetch("http://127.0.0.1:1/{TOKEN}").catch(() => {})`), Read: network},
	{Name: "header of an answer", HTML: requested(`fetch("/headed/{N}")`), Read: network},
	{Name: "text of a status", HTML: requested(`fetch("/status/{N}")`), Read: network},
	{Name: "header of a request", HTML: requested(`fetch("/ping", {headers: {tea: "{TOKEN}"}})`), Read: network},
	{Name: "failed request in the console", HTML: logged(`fetch("http://127.0.0.1:1/{TOKEN}").catch(() => {})`), Read: console},
	{Name: "body of an answer", HTML: `x`, Read: []string{`page.fetch {"url":"{OWN}/raw/{N}"}`}, Under: "map ask"},
	{Name: "answer without a page", HTML: `x`, Read: []string{`page.fetch {"url":"{OWN}/missing/{N}"}`}, Under: "map ask"},
	{Name: "redirected request", HTML: `x`, Read: []string{`page.fetch {"url":"{OWN}/turned/{N}"}`}, Under: "map ask"},
	{Name: "redirect of a page", Served: Served{Status: http.StatusFound, Location: "/landed/{N}?{TOKEN}"}, Read: []string{info}},
	{Name: "page of an error", Served: Served{Status: http.StatusNotFound, Kind: "text/html", Body: `<p>{ORDER}</p>`}, Read: []string{text, `page.read {}`}},
	{Name: "text file", Served: Served{Kind: "text/plain", Body: "{PLAIN}"}, Read: []string{text}},
	{Name: "XML", Served: Served{Kind: "application/xml", Body: "<tea>{PLAIN}</tea>"}, Read: []string{snapshot, text}},
	{Name: "JSON", Served: Served{Kind: "application/json", Body: `{"tea":{JS}}`}, Read: []string{text}},
	{Name: "PDF", Served: Served{Kind: "application/pdf", Body: "PDF"}, Read: []string{`page.read_pdf {}`}},
	{Name: "page that a click opens", HTML: `<button id=c onclick="window.open('/said/{N}?{TOKEN}')">x</button>`,
		Read: []string{`locator.click {"locator":{"selector":"#c"}}`, `page.wait_for {"text":"never","timeout_ms":700}`, `browser.claimed_tabs.list {}`}, Leaves: true, Under: "ask asked map"},
	{Name: "page that a click leads to", HTML: `<a id=c href="/said/{N}?{TOKEN}">x</a>`,
		Read: []string{`locator.click {"locator":{"selector":"#c"}}`, info}, Leaves: true, Under: "ask asked map"},
	{Name: "address that is navigated to", HTML: `x`, Read: []string{`browser.navigate {"url":"{OWN}/turned/{N}"}`}, Leaves: true, Under: "ask asked map"},
	{Name: "name of a download", HTML: `<a id=c download="{TOKEN}.txt" href="data:text/plain,x">x</a>`,
		Read: []string{`browser.network {}`, `locator.click {"locator":{"selector":"#c"}}`, `browser.network {"stop":true}`}, Unreadable: "no call gives the names of downloads"},
}

// requested is a page that sends a request again and again.
func requested(js string) string { return `<script>setInterval(() => { ` + js + ` }, 100)</script>` }

// network reads the requests once there are some.
var network = []string{`browser.network {"include_headers":true}`, `page.wait_for {"text":"never","timeout_ms":400}`, `browser.network {"include_headers":true,"stop":true}`}

// hostChannels are what the host keeps or makes of a page, a map's words and a page's tools.
var hostChannels = []*Channel{
	{Name: "guidance of a map", HTML: `x`, Map: Map{Rest: `"prompt":{"instructions":{JS}},`}, Read: []string{`actions.site {"mode":"list"}`}},
	{Name: "description of an action", HTML: `x`, Map: Map{Tools: action("t.said", `{JS}`, "page.info", `{}`)}, Read: []string{`actions.site {"mode":"list"}`}},
	{Name: "name of an action", HTML: `x`, Map: Map{Tools: action("t.{TOKEN}", `"d"`, "page.info", `{}`)}, Read: []string{`actions.site {"mode":"list","names_only":true}`}},
	{Name: "output of an action", HTML: `<p id=c>{ORDER}</p>`, Read: []string{`actions.site {"mode":"call","action":"t.read","arguments":{}}`}},
	{Name: "error of an expression", HTML: `<p id=c>{ORDER}</p>`, Read: []string{`actions.site {"mode":"call","action":"t.fail","arguments":{}}`}},
	{Name: "error of a step", HTML: `<button class=two>{ORDER}</button><button class=two>{ORDER}</button>`, Read: []string{`actions.site {"mode":"call","action":"t.strict","arguments":{}}`}},
	{Name: "state of a map", HTML: `<p id=c>{ORDER}</p>`, Read: []string{`actions.site {"mode":"state_read","projection":"t.state"}`}},
	{Name: "file of a map", HTML: `x`, Map: Map{File: "{RAW}"}, Read: []string{`storage.read_file {"id":"more"}`}},
	{Name: "resource of a map's file", HTML: `x`, Map: Map{File: "{RAW}"}, Read: []string{`resource "actions-host://storage/scopes/private/sites/own-{LANE}.localhost/s/MORE.md"`}},
	{Name: "unknown action that is like another", HTML: `x`, Map: Map{Tools: action("t.{TOKEN}", `"d"`, "page.info", `{}`)},
		Read: []string{`actions.site {"mode":"call","action":"t.order-{N}-nov","arguments":{}}`}},
	{Name: "log of the session", HTML: `<p id=c>{ORDER}</p>`, Read: []string{`locator.text_content {"locator":{"selector":"#c"}}`, `runtime.session.log {}`}, Under: ""},
	{Name: "resource of the log", HTML: `<p id=c>{ORDER}</p>`, Read: []string{`locator.text_content {"locator":{"selector":"#c"}}`, `resource "actions-host://log"`}},
	{Name: "resource of a map", HTML: `x`, Map: Map{Rest: `"prompt":{"instructions":{JS}},`}, Read: []string{`resource "actions-host://storage/scopes/private/sites/own-{LANE}.localhost/s/actions.json"`}},
	{Name: "carried value", HTML: `<p id=c>{ORDER}</p>`, Read: []string{`actions.site {"mode":"call","action":"t.carry","arguments":{}}`, `transfer.read {"label":"said","include_value":true}`}, Under: "ask asked"},
	{Name: "task", HTML: `<p id=c>{ORDER}</p>`, Read: []string{`actions.site {"mode":"call","action":"t.task","arguments":{}}`, `task.list {}`}, Under: "ask asked"},
	{Name: "first result of a batch", HTML: `<p id=c>{ORDER}</p>`, Read: []string{`primitives.batch {"calls":[{"name":"locator.text_content","arguments":{"locator":{"selector":"#c"}}}]}`}},
	{Name: "detail of an answer", HTML: `x`, Query: `?q={URL}`, Read: []string{`actions.site {"mode":"list","names_only":true,"detail":true}`}},
	{Name: "name of a page's tool", HTML: offered(`"{TOKEN}"`, `"tea"`, `{type: "object"}`), Read: pageTools},
	{Name: "description of a page's tool", HTML: offered(`"tea"`, `{JS}`, `{type: "object"}`), Read: pageTools},
	{Name: "schema of a page's tool", HTML: offered(`"tea"`, `"tea"`, `{type: "object", properties: {a: {type: "string", description: {JS}}}}`), Read: []string{`webmcp.list {"tool":"tea"}`, `webmcp.list {}`}},
	{Name: "tools of the page beside actions", HTML: offered(`"tea"`, `{JS}`, `{type: "object"}`), Read: []string{`actions.site {"mode":"list"}`}},
	{Name: "result of a page's tool", HTML: offered(`"tea"`, `"tea"`, `{type: "object"}`), Read: []string{`webmcp.list {}`, `webmcp.invoke {"name":"tea","arguments":{}}`}, Under: "default ask origin asked map file"},
}

var pageTools = []string{`webmcp.list {}`}

// offered is a page that offers a tool to agents.
func offered(name, description, schema string) string {
	return `<script>document.modelContext?.registerTool({name: ` + name + `, description: ` + description + `, inputSchema: ` + schema +
		`, execute: async () => ({JS})})</script>`
}
