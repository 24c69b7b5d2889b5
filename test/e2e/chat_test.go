package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/fakes/model"
	"github.com/actionsjson/actions-host/test/harness"
)

const teaShop = `<title>Tea</title><main><h1>Tea house</h1><p>We sell Sencha from Shizuoka, and nothing else.</p>
	<button onclick="fetch('/order', {method: 'POST'}).then(() => document.title = 'Ordered')">Order</button></main>`

// clickOrder presses the shop's button as a model writes it.
var clickOrder = model.Call{Name: "locator_click", Arguments: `{"locator":{"role":"button","name":"Order"},"policy_exception_report":{"kind":"generic","intended_tool":"locator.click","actions_json_path":"none","reason":"there is no action"}}`}

// chatting opens the pages in a browser of the test's own, whose chats ask the script.
func chatting(t *testing.T, home *harness.Home, settings string, script *model.Server, urls ...string) *launch.Browser {
	t.Helper()
	script.Keyless()
	home.AgentSettings(t, `{"text_model":"ollama/`+model.Name+`"`+settings+`}`)
	return home.OpenWith(t, []string{"ACTIONS_HOST_OLLAMA_BASE=" + script.Base}, nil, urls...)
}

// panelOf opens the side panel of a tab, in a tab of its own.
func panelOf(t *testing.T, b *launch.Browser, tab int) document {
	t.Helper()
	panel := openPage(t, b, fmt.Sprintf("%ssidepanel.html?tab=%d", manifest.ExtensionURL, tab), false)
	panel.until("the chat is shown", `document.body.dataset.status !== undefined`)
	return panel
}

// writes sends a message in the panel.
func (d document) writes(text string) {
	d.t.Helper()
	d.types(text)
	d.until("it is written", fmt.Sprintf(`document.getElementById("text").value === %q`, text))
	d.enter(noModifier)
	d.until("what was sent is gone", `document.getElementById("text").value === ""`)
}

func TestChatWithoutTools(t *testing.T) {
	// Ensure that a chat whose user has not switched automation on knows the page and has no tool, that Summarise keeps what it writes, that a release ends the chat and all that the panel knows, and that the panel can take control again.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": teaShop})
	script := model.New(t, model.Step{Text: "Only Sencha."}, model.Step{Text: "A shop for Sencha."}, model.Step{Text: "Yes."}, model.Step{Silent: true})
	b := chatting(t, harness.NewHome(t), "", script, url)
	tab := b.Tabs[0].TabID
	panel := panelOf(t, b, tab)
	panel.says("gate", "talk and not act")
	panel.writes("What do they sell?")
	panel.says("log", "Only Sencha.")
	panel.click("#summarise")
	panel.says("log", "A shop for Sencha.")
	panel.says("state", "Ready")
	panel.writes("Are you sure?")
	panel.says("log", "Yes.")
	asked := script.Requests()
	if len(asked) != 3 {
		t.Fatalf("the model was asked %d times", len(asked))
	}
	for i, r := range asked {
		if len(r.Tools) != 0 || !strings.Contains(r.System, "Sencha from Shizuoka") || !strings.Contains(r.System, "You have no tools") {
			t.Errorf("request %d has the tools %q and the prompt %s", i, r.Tools, r.System)
		}
	}
	if !strings.Contains(asked[2].System, "A shop for Sencha.") {
		t.Errorf("the summary is not in the prompt: %s", asked[2].System)
	}
	panel.writes("And now?")
	panel.says("state", "Thinking")
	eval[bool](panel, fmt.Sprintf(`chrome.runtime.sendMessage({kind: "ui_release", tab_id: %d}).then(({ok}) => ok)`, tab))
	panel.says("free", "not under control")
	panel.until("nothing of the chat is shown", `document.querySelectorAll(".row").length === 0 && !document.getElementById("text").checkVisibility()`)
	panel.click("#claim")
	panel.until("the chat is there", `document.getElementById("text").checkVisibility() && document.querySelectorAll(".row").length === 0`)
}

func TestChatKnowsTheTranscript(t *testing.T) {
	// Ensure that a chat's model gets what a video says, with its times, from the text tracks of the page, else from a stored action that reads, and nothing of one that would act.
	t.Parallel()
	url, rec := pages(t, map[string]string{
		"/":       `<title>Film</title><p>A film.</p><video><track kind=captions srclang=en src="data:text/vtt,WEBVTT%0A%0A01:02.500 --> 01:04.000%0APour the tea"></video>`,
		"/silent": `<title>Silent</title><p>Another film.</p><video></video><button onclick="fetch('/acted', {method: 'POST'})">Play</button>`, "/acted": "",
	})
	script := model.New(t, model.Step{Text: "Tea."}, model.Step{Text: "Leaves."}, model.Step{Text: "Nothing."})
	home := harness.NewHome(t)
	site := func(steps string) {
		home.Map(t, "public", harness.Site(t), "film", `{"protocol":"actions.json","version":1,"tools":[{"name":"film.transcript","description":"What it says.","input_schema":{"type":"object"},
			"workflow":{"version":1,"expression_language":"jsonata","output":{"transcript":[{"start":3,"text":"Pick the leaves"}]},"steps":[`+steps+`]}}]}`)
	}
	b := chatting(t, home, "", script, url)
	panel := panelOf(t, b, b.Tabs[0].TabID)
	panel.writes("What is poured?")
	panel.says("log", "Tea.")
	if system := script.Requests()[0].System; !strings.Contains(system, "[1:02] Pour the tea") || !strings.Contains(system, "transcript provider: text tracks") {
		t.Errorf("the prompt is %s", system)
	}
	site(`{"id":"title","primitive":"page.info","args":{}}`)
	harness.Must(t, home.Call(t, "browser.navigate", fmt.Sprintf(`{"url":%q}`, url+"/silent")), nil)
	panel.writes("What is picked?")
	panel.says("log", "Leaves.")
	if system := script.Requests()[1].System; !strings.Contains(system, "[0:03] Pick the leaves") || !strings.Contains(system, "transcript provider: film.transcript") {
		t.Errorf("the prompt is %s", system)
	}
	site(`{"id":"play","primitive":"locator.click","args":{"locator":{"selector":"button"}}}`)
	panel.writes("And now?")
	panel.says("log", "Nothing.")
	if acted := received(rec, "POST", "/acted"); len(acted) > 0 || strings.Contains(script.Requests()[2].System, "Pick the leaves") {
		t.Errorf("the action ran: %q", acted)
	}
}

func TestTaskInChat(t *testing.T) {
	// Ensure that a chat works on its page once the user has switched that on, in steps whose effect the page's server sees once, that results are folded, that what broke is shown with its next step and the model goes on, and that the log has it all under the chat's own session.
	t.Parallel()
	url, rec := pages(t, map[string]string{"/": teaShop, "/order": ""})
	script := model.New(t,
		model.Step{Calls: []model.Call{{Name: "page_snapshot", Arguments: `{"interactive":`}}},
		model.Step{Calls: []model.Call{clickOrder}}, model.Step{Text: "It is ordered: see https://tea.example/orders."},
	)
	home := harness.NewHome(t)
	b := chatting(t, home, "", script, url)
	options := openPage(t, b, optionsURL, false)
	options.until("the settings are shown", `!document.getElementById("chat").disabled`)
	for !eval[bool](options, `document.getElementById("automationEnabled").checked`) {
		options.tries("#automationEnabled") // what is drawn above it may move it away under the pointer
	}
	options.says("saved", "Saved")
	panel := panelOf(t, b, b.Tabs[0].TabID)
	panel.until("the gate is open", `!document.getElementById("gate").checkVisibility()`)
	panel.says("code-off", "settings.json")
	panel.writes("Order some tea")
	panel.says("log", "It is ordered")
	if orders := received(rec, "POST", "/order"); len(orders) != 1 {
		t.Errorf("the server saw %q", orders)
	}
	if rows := eval[int](panel, `document.querySelectorAll(".row.tool details:not([open])").length`); rows != 2 {
		t.Errorf("%d folded results", rows)
	}
	panel.click(".row.tool.bad summary")
	panel.says("log", "Write the arguments as one JSON object")
	asked := script.Requests()
	if len(asked) != 3 || len(asked[0].Tools) == 0 || asked[0].Tools[0] != "actions_site" || !strings.Contains(string(asked[1].Body), "tool_argument_parse_failed") {
		t.Errorf("%d requests with the tools %q", len(asked), asked[0].Tools)
	}
	sessions := map[string]bool{}
	for line := range strings.Lines(home.Run(t, "log", "dump", "--json", "--session", "agent:").Stdout) {
		var r journal.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Type == journal.TypeOutcome && r.Name == "locator.click" {
			sessions[r.SessionID] = true
		}
	}
	if len(sessions) != 1 || !strings.HasPrefix(fmt.Sprint(sessions), "map[agent:panel-") {
		t.Errorf("the sessions of the click are %v", sessions)
	}
}

func TestChatOutlivesItsHost(t *testing.T) {
	// Ensure that a chat goes on where its host was killed, with what was said, that the model learns of a page to which the user goes, and that a chat without its model says what to do.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": teaShop, "/two": `<title>Two</title><p>Only coffee here.`})
	script := model.New(t, model.Step{Text: "Sencha it is."}, model.Step{Text: "As I said."}, model.Step{Text: "Coffee."})
	home := harness.NewHome(t)
	b := chatting(t, home, "", script, url)
	panel := panelOf(t, b, b.Tabs[0].TabID)
	panel.writes("Which tea?")
	panel.says("log", "Sencha it is.")
	harness.Until(t, "what was said is kept", func() bool {
		return strings.Contains(home.Run(t, "log", "dump", "--session", "agent:").Stdout, "Sencha it is.")
	})
	eval[bool](panel, `(document.querySelectorAll(".row").forEach(row => { row.dataset.old = "" }), true)`)
	endHost(t, home)
	harness.Until(t, "another host runs", func() bool { return len(home.Hosts(t)) > 0 })
	panel.until("another host shows the chat", `document.body.dataset.status === "listening" && document.querySelectorAll(".row:not([data-old])").length >= 2`)
	panel.writes("Which one?")
	panel.says("log", "As I said.")
	if body := string(script.Requests()[1].Body); !strings.Contains(body, "Which tea?") || !strings.Contains(body, "Sencha it is.") {
		t.Errorf("the model has lost what was said: %s", body)
	}
	eval[bool](pageAt(t, b, url+"/"), `(location.href = "/two", true)`)
	harness.Until(t, "the chat knows where the tab is", func() bool {
		return strings.Contains(home.Run(t, "log", "dump", "--json", "--session", "agent:").Stdout, `agent.navigated`)
	})
	panel.writes("What now?")
	panel.says("log", "Coffee.")
	last := script.Requests()[2]
	if !strings.Contains(string(last.Body), "The tab shows another page now") || !strings.Contains(last.System, "Only coffee here.") {
		t.Errorf("the model does not know of the page: %s", last.Body)
	}
	script.Close()
	panel.writes("Still there?")
	panel.says("log", "There is no answer")
	panel.says("log", "start the local server")
}

func TestApprovalAndStopInChat(t *testing.T) {
	// Ensure that the panel shows what a chat asks for and takes the user's answer, that Stop ends an answer without end, that the chat goes on after it, and that Clear forgets it.
	t.Parallel()
	url, rec := pages(t, map[string]string{"/": teaShop, "/order": ""})
	script := model.New(t,
		model.Step{Calls: []model.Call{clickOrder}}, model.Step{Text: "May I?"}, model.Step{Calls: []model.Call{clickOrder}}, model.Step{Text: "Done."},
		model.Step{Endless: true}, model.Step{Text: "Still here."},
	)
	home := harness.NewHome(t)
	home.Policy(t, `{"ask_effects":["input"]}`)
	b := chatting(t, home, `,"automationEnabled":true`, script, url)
	panel := panelOf(t, b, b.Tabs[0].TabID)
	panel.writes("Order some tea")
	panel.says("approvals", "Order")
	panel.says("log", "May I?")
	if orders := received(rec, "POST", "/order"); len(orders) != 0 {
		t.Errorf("before the answer the server saw %q", orders)
	}
	panel.click("#approvals .answers .primary")
	panel.says("log", "Done.")
	if orders := received(rec, "POST", "/order"); len(orders) != 1 {
		t.Errorf("the server saw %q", orders)
	}
	panel.writes("Tell me all")
	panel.says("log", "and so on")
	panel.click("#stop")
	panel.says("state", "Ready")
	panel.writes("Are you there?")
	panel.says("log", "Still here.")
	panel.click("#clear")
	panel.until("the chat is gone", `document.querySelectorAll(".row").length === 0`)
}

func TestAbortInChat(t *testing.T) {
	// Ensure that a chat runs code only once its user has allowed that in the panel, and that the panel offers Abort while it runs, which ends it in the page before its limit.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": teaShop})
	beat := model.Call{Name: "repl", Arguments: `{"title":"Beats","code":"await browserjs(async () => { for (;;) { document.body.dataset.beats = Number(document.body.dataset.beats ?? 0) + 1; await new Promise((go) => setTimeout(go, 20)); } })","timeout_ms":120000}`}
	script := model.New(t, model.Step{Calls: []model.Call{beat}}, model.Step{Text: "I may not."}, model.Step{Calls: []model.Call{beat}})
	home := harness.NewHome(t)
	home.Settings(t, `{"allow_code":true}`)
	b := chatting(t, home, `,"automationEnabled":true`, script, url)
	doc := pageAt(t, b, url+"/")
	panel := panelOf(t, b, b.Tabs[0].TabID)
	panel.writes("Beat")
	panel.says("log", "I may not.")
	if eval[bool](doc, `document.body.dataset.beats !== undefined`) {
		t.Error("the code ran")
	}
	panel.click("#code")
	panel.until("code is allowed", `document.getElementById("code").checked`)
	panel.writes("Beat")
	doc.until("the code runs", `Number(document.body.dataset.beats) > 0`)
	panel.until("the panel offers Abort", `document.getElementById("stop").title === "Abort" && document.getElementById("stop").checkVisibility()`)
	panel.click("#stop")
	doc.until("the code has ended", `new Promise(done => { const from = document.body.dataset.beats; setTimeout(() => done(document.body.dataset.beats === from), 200) })`)
	panel.says("state", "Ready")
	if ends := logged(t, home, journal.TypeOutcome, replTool); len(ends) != 1 || !strings.Contains(string(ends[0].Data), `"`+string(fault.Cancelled)+`"`) {
		t.Errorf("the log has %+v", ends)
	}
}
