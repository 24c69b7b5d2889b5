package e2e

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/maptest"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/planted"
	"github.com/actionsjson/actions-host/test/sites"
)

// testReport is what actions-host test --json prints.
type testReport struct {
	OK             bool `json:"ok"`
	Passed, Failed int
	Maps           []maptest.Suite `json:"maps"`
}

func readReport(t *testing.T, r harness.Result) (report testReport) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.Stdout), &report); err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	return report
}

func TestTheShopPassesItsCases(t *testing.T) {
	// Ensure that the sample shop and the starter pass their own cases, judged also by what the shop received, and that nothing of the user's is used.
	t.Parallel()
	harness.TakeTurn(t)
	home := harness.NewHome(t)
	rec := sites.NewRecorder(nil)
	url := serve(t, sites.Teahouse(rec))
	r := home.Run(t, "test", "--json", "--base", url, "../sites/storage")
	if report := readReport(t, r); r.Exit != 0 || !report.OK || report.Passed != 6 || report.Failed != 0 {
		t.Errorf("the shop: %+v", r)
	}
	if got := received(rec, "GET", "/search"); !slices.Equal(got, []string{"/search?q=oolong", "/search?q=coffee"}) {
		t.Errorf("searched: %q", got)
	}
	if got := received(rec, "POST", "/order"); len(got) != 1 {
		t.Errorf("orders: %q", got)
	}
	if r := home.Run(t, "test", "../../pkg/storage/starter"); r.Exit != 0 || !strings.Contains(r.Stdout, "2 passed, 0 failed") {
		t.Errorf("the starter: %+v", r)
	}
	if left, err := os.ReadDir(filepath.Join(home.Dir, "state")); err == nil && len(left) > 0 {
		t.Errorf("the user's own state has %v", left)
	}
}

const ticking = `<!doctype html><title>clock</title><h1>Clock</h1><p id=now></p><script>
	setInterval(() => document.querySelector("#now").textContent = performance.now(), 10);
</script>`

func TestRedCases(t *testing.T) {
	// Ensure that each case that fails says how, in the output and in the JUnit report, with exit status 1: another answer, an empty one, an unexpected failure, a page that never settles, one that loads for ever, one that is not there; and that the cases beside them pass, each on a page of its own.
	t.Parallel()
	harness.TakeTurn(t)
	home := harness.NewHome(t)
	endless := make(chan struct{})
	t.Cleanup(func() { close(endless) })
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/clock":
			fmt.Fprint(w, ticking)
		case "/endless":
			fmt.Fprint(w, "<!doctype html><title>endless</title><h1>Endless</h1>")
			w.(http.Flusher).Flush()
			select {
			case <-endless:
			case <-r.Context().Done():
			}
		default:
			fmt.Fprint(w, `<!doctype html><title>count</title><h1></h1><script>
				localStorage.n = +(localStorage.n ?? 0) + 1; document.cookie = "seen=1";
				document.querySelector("h1").textContent = "visit " + localStorage.n;
			</script>`)
		}
	}))
	file := filepath.Join(home.Dir, "map", "actions.json")
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("actions.json", `{"protocol":"actions.json","version":1,"tools":[
		{"name":"page.heading","description":"d","input_schema":{"type":"object","properties":{},"additionalProperties":false},
		 "x_actions":{"handler":"locator.text_content","binding":{"arguments":{"locator":{"selector":"h1"}}}}},
		{"name":"page.rows","description":"d","input_schema":{"type":"object","properties":{},"additionalProperties":false},
		 "workflow":{"version":1,"expression_language":"jsonata","steps":[{"id":"rows","primitive":"dom.observe.attributes","args":{"selector":"li","attributes":["id"]}}],"output":"{% {'rows': [steps.rows.output.matches.attributes.id]} %}"}}]}`)
	write("saved.html", `<!doctype html><title>s</title><h1>Saved</h1><ul><li id=a><li id=b></ul><script>fetch("https://other.example/").then(() => document.querySelector("h1").textContent = "reached", () => document.querySelector("h1").dataset.left = "no")</script>`)
	write("posts.html", `<!doctype html><title>s</title><h1>Saved</h1><script>fetch("/orders?tea=2", {method: "POST"}).then(answer => document.querySelector("h1").textContent = answer.ok ? "Ordered" : "Sorry")</script>`)
	write("actions.test.json", fmt.Sprintf(`{"version":1,"cases":[
		{"name":"first visit","page":"%[1]s/","action":"page.heading","output":{"text":"visit 1"}},
		{"name":"again the first","page":"%[1]s/","action":"page.heading","output":{"text":"visit 1"}},
		{"name":"other answer","page":"%[1]s/","action":"page.heading","output":{"text":{"$pattern":"^Visit"}}},
		{"name":"empty answer","page":"%[1]s/","action":"page.rows"},
		{"name":"empty and meant","page":"%[1]s/","action":"page.rows","output":{"rows":[]}},
		{"name":"never settles","page":"%[1]s/clock","action":"page.heading","timeout_ms":2000},
		{"name":"loads for ever","page":"%[1]s/endless","action":"page.heading","timeout_ms":2000},
		{"name":"not there","page":"http://127.0.0.1:1/","action":"page.heading"},
		{"name":"step ran","page":"saved.html","url":"https://saved.example/a/b","action":"page.rows","output":{"rows":["a","b"]},"not_run":["rows"]},
		{"name":"saved","page":"saved.html","url":"https://saved.example/a/b","action":"page.heading","output":{"text":"Saved"}},
		{"name":"posts","page":"posts.html","url":"https://saved.example/a/b","action":"page.heading","output":{"text":"Ordered"}},
		{"name":"left unasked","page":"saved.html","url":"https://saved.example/a/b","action":"page.heading","error":"target_not_found"}]}`, url))
	junit := filepath.Join(home.Dir, "junit.xml")
	r := home.Run(t, "test", "--json", "--junit", junit, file)
	report := readReport(t, r)
	if r.Exit != 1 || report.OK {
		t.Fatalf("%+v", r)
	}
	want := map[string]string{ // "" passes
		"first visit": "", "again the first": "", "empty and meant": "", "saved": "",
		"other answer": "does not match ^Visit", "empty answer": "output: is empty", "never settles": "never settled within 2s", "loads for ever": "never settled within 2s",
		"not there": "http://127.0.0.1:1/ cannot be loaded", "step ran": "the step rows ran", "posts": "Sorry", "left unasked": "it succeeded with",
	}
	text, err := os.ReadFile(junit)
	if err != nil {
		t.Fatal(err)
	}
	var suites struct {
		Failures int `xml:"failures,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Failure string `xml:"failure"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(text, &suites); err != nil {
		t.Fatal(err)
	}
	results := report.Maps[0].Results
	if len(results) != len(want) || len(suites.Cases) != len(want) || suites.Failures != report.Failed || report.Failed != 8 {
		t.Errorf("%d results, %d failed, %d cases of JUnit, %d failures", len(results), report.Failed, len(suites.Cases), suites.Failures)
	}
	for i, got := range results {
		differences := strings.Join(got.Differences, "\n")
		if got.OK != (want[got.Name] == "") || !strings.Contains(differences, want[got.Name]) || strings.TrimSpace(suites.Cases[i].Failure) != differences {
			t.Errorf("%s: %q, %q in JUnit", got.Name, differences, suites.Cases[i].Failure)
		}
	}
	if r := home.Run(t, "test", "--run", "posts", file); r.Exit != 1 || !strings.Contains(r.Stdout, "POST /orders has no answer on a saved page") || strings.Contains(r.Stdout, "tea=2") {
		t.Errorf("what a saved page cannot answer: %+v", r)
	}
	if r := home.Run(t, "test", "--run", "*visit", file); r.Exit != 0 || !strings.Contains(r.Stdout, "✓ page.heading: first visit") || !strings.Contains(r.Stdout, "1 passed, 0 failed") {
		t.Errorf("one of them: %+v", r)
	}
	write("actions.test.json", "{\"version\":1,\"cases\":[\n{\"name\":\"x\",\"page\":\"gone.html\",\"url\":\"https://saved.example/\",\"action\":\"page.hading\"}]}")
	if r := home.Run(t, "test", file); r.Exit != 2 || !strings.Contains(r.Stderr, "actions.test.json:2:") || !strings.Contains(r.Stderr, "no action page.hading") || !strings.Contains(r.Stderr, "gone.html is not in this folder") {
		t.Errorf("mistakes: %+v", r)
	}
}

func TestInterruptedCases(t *testing.T) {
	// Ensure that a run which the user interrupts says so, with exit status 1, and keeps the results that it has, in the output and in the JUnit report.
	t.Parallel()
	harness.TakeTurn(t)
	home := harness.NewHome(t)
	waiting := make(chan struct{}, 1)
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>t</title><h1>Tea</h1>")
		if r.URL.Path == "/endless" {
			w.(http.Flusher).Flush()
			waiting <- struct{}{}
			<-r.Context().Done()
		}
	}))
	folder := t.TempDir()
	for name, text := range map[string]string{
		"actions.json": `{"protocol":"actions.json","version":1,"tools":[{"name":"page.heading","description":"d","input_schema":{"type":"object","properties":{},"additionalProperties":false},
			"x_actions":{"handler":"locator.text_content","binding":{"arguments":{"locator":{"selector":"h1"}}}}}]}`,
		"actions.test.json": fmt.Sprintf(`{"version":1,"cases":[{"name":"one","page":"%[1]s/","action":"page.heading"},{"name":"two","page":"%[1]s/endless","action":"page.heading","timeout_ms":120000},{"name":"three","page":"%[1]s/","action":"page.heading"}]}`, url),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	junit := filepath.Join(folder, "junit.xml")
	cmd := home.Command(harness.Patient(t), "test", "--json", "--junit", junit, folder)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-waiting:
	case <-time.After(harness.Patience):
		t.Error("the second case does not run")
	}
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
	r := harness.Result{Stdout: out.String(), Stderr: errs.String(), Exit: cmd.ProcessState.ExitCode()}
	var report struct {
		testReport
		Error  struct{ Code string }
		NotRun int `json:"not_run"`
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || r.Exit != 1 || report.OK || report.Error.Code != "cancelled" || report.Passed != 1 || report.NotRun != 2 {
		t.Errorf("%v: %+v", err, r)
	}
	if text, err := os.ReadFile(junit); err != nil || !strings.Contains(string(text), `name="one"`) {
		t.Errorf("JUnit: %s, %v", text, err)
	}
}

func TestSavedCasesHoldNothingPersonal(t *testing.T) {
	// Ensure that of 200 planted secrets, and of what is typed, nothing is in a saved page or its case, wherever it stands and however it was put in; that the input is the user's own; that what was there stays beside it; and that the case passes on the saved page.
	t.Parallel()
	home := harness.NewHome(t)
	fields, texts := planted.Fields(), planted.Texts()
	url, _ := pages(t, map[string]string{"/": plantedPage(fields, texts) + `<form><input id=who aria-label=Who><input type=hidden name=state value="Hidden-Planted-Value"><h1 id=echo>Teas</h1></form>
		<script>const put0 = document.querySelector("#who"); put0.oninput = () => document.querySelector("#echo").textContent = "Teas for " + put0.value;</script>`})
	b := home.Open(t, url)
	doc := attach(t, b, topTarget(t, b, url))
	for i, s := range fields {
		eval[bool](doc, fmt.Sprintf("(put(%d, %q), true)", i, s.Secret))
	}
	const typed = "Zelda Plantagenet-Umbra"
	harness.Must(t, home.Call(t, "locator.fill", fmt.Sprintf(`{"locator":{"selector":"#who"},"text":%q}`, typed)), nil)
	file := home.Map(t, "private", "localhost", "shop", `{"protocol":"actions.json","version":1,"tools":[
		{"name":"shop.heading","description":"d","input_schema":{"type":"object","required":["note"],"properties":{"note":{"type":"string"}},"additionalProperties":false},
		 "workflow":{"version":1,"expression_language":"jsonata","steps":[{"id":"h","primitive":"locator.text_content","args":{"locator":{"selector":"h1"}}}],"output":"{% {'text': steps.h.output.text} %}"}}]}`)
	folder := filepath.Dir(file)
	saved := home.Run(t, "test", "save", "shop.heading", `{"note":"made up"}`, "--name", "reads the heading")
	if saved.Exit != 0 || !strings.Contains(saved.Stdout, "values of secret fields") || !strings.Contains(saved.Stdout, "places with what was typed") {
		t.Fatalf("%+v", saved)
	}
	if r := home.Run(t, "test", "save", "shop.heading", "--name", "made up by itself"); r.Exit != 0 || !strings.Contains(r.Stdout, "actions.test.json.before") {
		t.Fatalf("%+v", r)
	}
	all := append(slices.Clone(planted.All()), planted.Secret{Rule: "typed", Secret: typed}, planted.Secret{Rule: "typed", Secret: "Plantagenet"}, planted.Secret{Rule: "hidden", Secret: "Hidden-Planted-Value"})
	found, files, err := planted.InFiles(folder, all)
	if err != nil || files != 5 { // the map, the cases, the cases before, and two pages
		t.Errorf("%d files, %v", files, err)
	}
	for _, f := range found {
		t.Errorf("%s holds %s (%s)", filepath.Base(f.File), f.Secret.Secret, f.Secret.Rule)
	}
	text, err := os.ReadFile(filepath.Join(folder, "pages", "reads-the-heading.html"))
	if err != nil || !strings.Contains(string(text), "Teas for [redacted]") || strings.Contains(string(text), "<script") {
		t.Errorf("the saved page: %v", err)
	}
	cases, err := os.ReadFile(filepath.Join(folder, "actions.test.json"))
	if err != nil || !strings.Contains(string(cases), `"made up"`) || !strings.Contains(string(cases), `"example"`) {
		t.Errorf("the cases: %s, %v", cases, err)
	}
	for message, args := range map[string][]string{
		"already": {"shop.heading", `{"note":"x"}`, "--name", "reads the heading"}, "looks like a secret": {"shop.heading", `{"note":"ghp_0123456789abcdefghij"}`},
		"no map of this page has an action": {"shop.hading"}, "do not match its input schema": {"shop.heading", `{}`, "--name", "y"},
	} {
		if r := home.Run(t, append([]string{"test", "save"}, args...)...); r.Exit != 1 || !strings.Contains(r.Stderr, message) {
			t.Errorf("%q: %+v", args, r)
		}
	}
	if r := home.Run(t, "test", folder); r.Exit != 0 || !strings.Contains(r.Stdout, "2 passed, 0 failed") {
		t.Errorf("the saved cases: %+v", r)
	}
}

func TestActionsTellHowTheyFare(t *testing.T) {
	// Ensure that a list and doctor tell how an action fared in its last runs, also after a restart of the host; that a model's list does so only where it failed; and that an action that no longer fits says so before it is called.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>t</title><h1>Teas</h1><button id=go>Go</button>`, "/other": `<title>o</title>`})
	action := func(name, target, selector string) string {
		return fmt.Sprintf(`{"name":%q,"description":"d","input_schema":{"type":"object","properties":{},"additionalProperties":false},%s
			"x_actions":{"handler":"locator.text_content","binding":{"arguments":{"locator":{"selector":%q}}}}}`, name, target, selector)
	}
	home.Map(t, "private", "localhost", "shop", `{"protocol":"actions.json","version":1,"tools":[`+action("shop.good", "", "h1")+","+action("shop.bad", "", "h2")+","+action("shop.gone", `"target":{"selector":"#gone"},`, "h1")+`]}`)
	b := home.Open(t, url)
	harness.Must(t, home.SiteCall(t, "shop.good", `{}`), nil)
	for range 2 {
		if e := home.SiteCall(t, "shop.bad", `{}`); e.OK {
			t.Fatal("it found what is not there")
		}
	}
	harness.Must(t, home.SiteCall(t, "shop.good", `{}`), nil)
	type row struct {
		Name     string
		LastRuns *struct{ Runs, Passed int } `json:"last_runs"`
		Unfit    string
	}
	list := func(args string) map[string]row {
		t.Helper()
		var out struct{ Actions []row }
		harness.Must(t, home.Call(t, "actions.site", args), &out)
		rows := map[string]row{}
		for _, r := range out.Actions {
			rows[r.Name] = r
		}
		return rows
	}
	look := func() {
		t.Helper()
		rows := list(`{"mode":"list"}`)
		if r := rows["shop.good"]; r.LastRuns != nil || r.Unfit != "" {
			t.Errorf("the good one: %+v", r)
		}
		if r := rows["shop.bad"]; r.LastRuns == nil || r.LastRuns.Runs != 2 || r.LastRuns.Passed != 0 || !strings.Contains(r.Unfit, "target_not_found") {
			t.Errorf("the bad one: %+v", r)
		}
		if r := rows["shop.gone"]; r.LastRuns != nil || !strings.Contains(r.Unfit, "not on the page") {
			t.Errorf("the one whose target is gone: %+v", r)
		}
		if r := list(`{"mode":"list","detail":true}`)["shop.good"]; r.LastRuns == nil || r.LastRuns.Runs != 2 || r.LastRuns.Passed != 2 {
			t.Errorf("the good one in detail: %+v", r)
		}
		shown := home.Run(t, "site", "list").Stdout
		for _, want := range []string{"passed 2 of its last 2 runs, last ", "passed 0 of its last 2 runs\n", "✗ It no longer fits"} {
			if !strings.Contains(shown, want) {
				t.Errorf("site list lacks %q:\n%s", want, shown)
			}
		}
		doctor := home.Run(t, "doctor").Stdout
		if !strings.Contains(doctor, "shop.bad passed 0 of its last 2 runs, and no longer fits (target_not_found); shop.good passed 2 of its last 2 runs, last ") {
			t.Errorf("doctor:\n%s", doctor)
		}
	}
	look()
	doc := pageAt(t, b, url+"/")
	eval[bool](doc, `(document.querySelector("h1").outerHTML = "<h3>Teas</h3>", true)`)
	if r := list(`{"mode":"list"}`)["shop.good"]; !strings.Contains(r.Unfit, "begins with is not on the page") {
		t.Errorf("the good one without what it begins with: %+v", r)
	}
	harness.Must(t, home.Call(t, "browser.navigate", fmt.Sprintf(`{"url":%q}`, url+"/other")), nil)
	if r := list(`{"mode":"list"}`)["shop.good"]; r.Unfit != "" {
		t.Errorf("the good one on a page on which it never ran: %+v", r)
	}
	for range 2 {
		if e := home.SiteCall(t, "shop.good", `{}`); e.OK || e.Error.Code != "target_not_found" || !strings.Contains(e.Error.NextStep, "never on this page") {
			t.Errorf("the good one in the wrong place: %+v", e.Error)
		}
	}
	harness.Must(t, home.Call(t, "browser.navigate", fmt.Sprintf(`{"url":%q}`, url)), nil)
	if r := list(`{"mode":"list"}`)["shop.good"]; r.Unfit != "" || r.LastRuns == nil || r.LastRuns.Runs != 4 {
		t.Errorf("the good one after calls in the wrong place: %+v", r)
	}
	reloadExtension(t, b) // a host of its own starts, which has only the log
	harness.Until(t, "the log is read", func() bool { return strings.Contains(home.Run(t, "doctor").Stdout, "shop.good passed 2") })
}
