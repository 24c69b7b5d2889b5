package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/planted"
	"github.com/actionsjson/actions-host/test/repo"
	"github.com/actionsjson/actions-host/test/sites"
)

// counted has a page count the events of input that reach it, of users and of scripts.
const counted = `window.saw = []; for (const t of ["pointerdown", "pointerup", "mousedown", "mouseup", "click", "keydown", "keypress", "keyup", "beforeinput", "input", "change", "submit", "focusin", "paste", "navigate"])
	addEventListener(t, e => saw.push(t + (e.isTrusted ? "!" : "")), true);`

// previewed is what a dry run answers.
type previewed struct {
	WouldRun   string `json:"would_run"`
	KnownSteps int    `json:"known_steps"`
	TotalSteps int    `json:"total_steps"`
	Marked     int
	Addresses  []string
	Decision   struct{ Verdict string }
	Steps      []struct {
		State, Does string
		Needs       []string
		Error       *fault.Error
	}
}

// dryRun previews an action in the terminal.
func dryRun(t *testing.T, home *harness.Home, action, args string) (p previewed) {
	t.Helper()
	r := home.Run(t, "--json", "site", "call", action, args, "--dry-run")
	var e struct {
		OK     bool
		Trust  string
		Output previewed
	}
	if err := json.Unmarshal([]byte(r.Stdout), &e); err != nil || !e.OK || e.Trust != "untrusted" || (r.Exit == 1) != (e.Output.WouldRun == "no") {
		t.Fatalf("%v: exit %d, %s%s", err, r.Exit, r.Stdout, r.Stderr)
	}
	return e.Output
}

// marksIn returns how many points of a picture have the colour of the marks.
func marksIn(drawn image.Image) (n int) {
	for x := range drawn.Bounds().Dx() {
		for y := range drawn.Bounds().Dy() {
			if r, g, b, _ := drawn.At(x, y).RGBA(); r>>8 == 0xb3 && g>>8 == 0x26 && b>>8 == 0x1e {
				n++
			}
		}
	}
	return n
}

// marks returns how much of the page is drawn as marks.
func (d document) marks() int {
	d.t.Helper()
	drawn, _, err := image.Decode(bytes.NewReader(do(d, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng}).Data))
	if err != nil {
		d.t.Fatal(err)
	}
	return marksIn(drawn)
}

func TestDryRunOfTheShopsOrder(t *testing.T) {
	// Ensure that a dry run of an order tells its steps and marks their targets, in no picture of an agent and not for long, that the shop gets nothing, neither a request nor an event, and that the order itself still works.
	t.Parallel()
	home := harness.NewHome(t)
	rec := sites.NewRecorder(nil)
	url := serve(t, sites.Teahouse(rec))
	text, err := os.ReadFile(filepath.Join(repo.Root(), "test/sites/storage/scopes/public/sites/localhost/teahouse/actions.json"))
	if err != nil {
		t.Fatal(err)
	}
	home.Map(t, "public", harness.Site(t), "teahouse", string(text))
	b := home.Open(t, url)
	doc := attach(t, b, topTarget(t, b, url))
	eval[bool](doc, `(() => {`+counted+` return true})()`)
	before := len(rec.All())
	const order = `{"tea":"Gyokuro","name":"Ada Lovelace"}`
	p := dryRun(t, home, "teahouse.order", order)
	if p.WouldRun != "yes" || p.KnownSteps != 5 || p.TotalSteps != 7 || p.Marked != 3 || p.Decision.Verdict != "allow" {
		t.Errorf("%+v", p)
	}
	for i, want := range []string{`look at button "Choose`, `press button "Choose`, `type 12 characters into textbox "Name"`, "", `look at button "Send the order"`} {
		if !strings.HasPrefix(p.Steps[i].Does, want) {
			t.Errorf("step %d: %+v", i+1, p.Steps[i])
		}
	}
	if last := p.Steps[5]; last.State != "unknown" || len(last.Needs) != 1 || last.Needs[0] != "send" {
		t.Errorf("%+v", last)
	}
	if doc.marks() == 0 {
		t.Error("nothing is marked")
	}
	picture(t, doc, "dryrun", nil)
	var shown shot
	harness.Must(t, home.Call(t, "browser.screenshot", `{"format":"png"}`), &shown)
	if n := marksIn(shown.image(t)); n > 0 {
		t.Errorf("the agent's picture has %d points of marks", n)
	}
	if saw := eval[string](doc, `saw.join()`); saw != "" || len(rec.All()) != before {
		t.Errorf("the page saw %q, and its server %d requests", saw, len(rec.All())-before)
	}
	if lines := home.Run(t, "site", "call", "teahouse.search", `{"query":"oolong"}`, "--dry-run").Stdout; !strings.Contains(lines, `3. type 6 characters into searchbox "Search the teas"`) {
		t.Error(lines)
	}
	log := home.Run(t, "log", "dump", "--json").Stdout
	if strings.Contains(log, "Ada Lovelace") {
		t.Errorf("the log has what would be typed: %s", log)
	}
	harness.Until(t, "the marks are gone", func() bool { return doc.marks() == 0 })
	if n := eval[int](doc, `document.documentElement.children.length`); n != 2 {
		t.Errorf("the document has %d children", n)
	}
	var receipt struct{ Receipt string }
	harness.Must(t, home.SiteCall(t, "teahouse.order", order), &receipt)
	if len(received(rec, "POST", "/")) != 1 {
		t.Errorf("the shop got %v", rec.All())
	}
}

// previewMap declares actions of the page that the dry runs are made on.
const previewMap = `{"protocol":"actions.json","version":1,"surface":{"name":"t"},"tools":[
	{"name":"chain","description":"d","input_schema":{"type":"object","properties":{"text":{"type":"string"},"password":{"type":"string"}}},"workflow":{"version":1,"expression_language":"jsonata","steps":[
		{"id":"a","primitive":"locator.fill","args":{"locator":{"selector":"#a"},"text":"{% input.text %}"}},
		{"id":"b","primitive":"locator.click","args":{"locator":{"name":"{% steps.a.output.label %}"}}}]}},
	{"name":"two","description":"d","input_schema":{"type":"object"},"workflow":{"version":1,"expression_language":"jsonata","steps":[
		{"id":"a","primitive":"locator.click","args":{"locator":{"selector":".two"}}}]}},
	{"name":"fetch","description":"d","input_schema":{"type":"object"},"workflow":{"version":1,"expression_language":"jsonata","steps":[
		{"id":"a","primitive":"page.fetch","args":{"url":"/fetched"}},{"id":"b","primitive":"browser.navigate","args":{"url":"/gone"}}]}},
	{"name":"login","description":"d","input_schema":{"type":"object","properties":{"password":{"type":"string"}}},"workflow":{"version":1,"expression_language":"jsonata","steps":[
		{"id":"a","primitive":"locator.fill","args":{"locator":{"selector":"#p"},"text":"{% input.password %}"}},
		{"id":"b","primitive":"locator.click","args":{"locator":{"selector":"#never"},"timeout_ms":0}}]}}]}`

// reactingPage does what it can with a mark: it reads it, moves what is marked, acts itself, and sends all that it learns.
const reactingPage = `<title>t</title><input id=a aria-label="The field"><input id=p type=password><button class=two>x</button><button class=two>y</button><script>` + counted + `
	const tell = text => navigator.sendBeacon("/told", text);
	new MutationObserver(list => { for (const m of list) for (const n of m.addedNodes) {
		tell([n.outerHTML, n.innerText, n.textContent, n.shadowRoot, JSON.stringify(n)].join("|"));
		document.querySelector(".two").click();
		const a = document.querySelector("#a"); a.focus(); a.replaceWith(a.cloneNode()); n.remove?.();
	} }).observe(document.documentElement, {childList: true, subtree: false});
	document.addEventListener("toggle", e => tell("toggle" + e.target.outerHTML), true);
</script>`

func TestDryRunOnAPageThatReacts(t *testing.T) {
	// Ensure that a dry run knows steps up to the first that depends on another, refuses what is ambiguous, opens and fetches nothing, and that a page that reacts to being looked at and marked gets nothing.
	t.Parallel()
	home := harness.NewHome(t)
	url, rec := pages(t, map[string]string{"/": reactingPage, "/told": "", "/fetched": "x", "/gone": "x"})
	home.Map(t, "private", harness.Site(t), "t", previewMap)
	b := home.Open(t, url)
	doc := attach(t, b, topTarget(t, b, url))
	p := dryRun(t, home, "chain", `{"text":"pl4nted-typed","password":"pl4nted-word"}`)
	if p.WouldRun != "yes" || p.KnownSteps != 1 || p.Steps[0].Does != `type 13 characters into textbox "The field"` || p.Steps[1].State != "unknown" {
		t.Errorf("%+v", p)
	}
	if p = dryRun(t, home, "two", `{}`); p.WouldRun != "no" || p.Steps[0].Error == nil || p.Steps[0].Error.Code != fault.MultipleTargets {
		t.Errorf("%+v", p)
	}
	if p = dryRun(t, home, "fetch", `{}`); len(p.Addresses) != 2 || p.Addresses[0] != url+"/fetched" || p.Addresses[1] != url+"/gone" {
		t.Errorf("%+v", p)
	}
	harness.Until(t, "the page told what it learned", func() bool { return len(received(rec, "POST", "/told")) > 0 })
	for _, told := range rec.All() {
		if strings.Contains(told.Body, "pl4nted") || strings.HasPrefix(told.Path, "/fetched") || strings.HasPrefix(told.Path, "/gone") {
			t.Errorf("the server got %s %s %s", told.Method, told.Path, told.Body)
		}
	}
	// What it does itself is of scripts: no input of ours is among it.
	if saw := eval[string](doc, `saw.filter(t => t.endsWith("!") && t !== "focusin!").join()`); saw != "" {
		t.Errorf("the page saw %q", saw)
	}
}

func TestQuestionShowsThePlan(t *testing.T) {
	// Ensure that the question about a stored action shows in the popup and the terminal what it would press and type, without the secret that is typed, and that a dry run says that it would be asked.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": reactingPage, "/told": ""})
	home.Map(t, "private", harness.Site(t), "t", previewMap)
	home.Policy(t, `{"ask_effects":["input"]}`)
	b := home.Open(t, url)
	popup := ownPage(t, b, popupURL)
	e := home.SiteCall(t, "login", `{"password":"pl4nted-word"}`)
	wantCode(t, e, fault.NeedsApproval)
	var waiting control.Approvals
	if err := json.Unmarshal([]byte(home.Run(t, "--json", "approvals", "list").Stdout), &waiting); err != nil || len(waiting.Approvals) != 1 {
		t.Fatalf("%v %+v", err, waiting)
	}
	plan := waiting.Approvals[0].About.Plan
	if len(plan) != 2 || plan[0].Characters != 12 {
		t.Errorf("%+v", plan)
	}
	popup.until("the card is there", `document.querySelectorAll("#approvals .plan li").length === 2`)
	if text := eval[string](popup, `document.querySelector("#approvals .plan").textContent`); !strings.Contains(text, "type 12 characters") || strings.Contains(text, "pl4nted") {
		t.Errorf("the card says %q", text)
	}
	eval[bool](popup, `(document.querySelector("#approvals .exact").open = true)`)
	picture(t, popup, "plan", nil)
	if p := dryRun(t, home, "login", `{"password":"pl4nted-word"}`); p.Decision.Verdict != "ask" {
		t.Errorf("%+v", p)
	}
}

// traceFromTheLog makes a trace of the call that failed last, while its page is there and after it
// has gone to another site.
func traceFromTheLog(t *testing.T, home *harness.Home, place string, doc document) {
	t.Helper()
	var end struct {
		Seq    int
		CallID string `json:"call_id"`
	}
	for line := range strings.Lines(home.Run(t, "--json", "log", "dump", "--failed").Stdout) {
		if err := json.Unmarshal([]byte(line), &end); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
	}
	made := func(call string) (trace struct {
		OK    bool
		Steps []any
		Map   struct {
			File string
			Line int
		}
		Files   []string
		Missing []struct{ Code string }
	}) {
		folder := filepath.Join(t.TempDir(), "trace")
		if r := home.Run(t, "log", "trace", call, folder); r.Exit != 0 {
			t.Fatalf("%s: exit %d: %s", call, r.Exit, r.Stderr)
		}
		raw, err := os.ReadFile(filepath.Join(folder, "trace.json"))
		if err != nil || json.Unmarshal(raw, &trace) != nil || trace.OK || len(trace.Steps) != 2 || trace.Map.File != place || trace.Map.Line == 0 {
			t.Errorf("%v %s", err, raw)
		}
		found, files, err := planted.InFiles(folder, append(planted.All(), planted.Secret{Secret: "pl4nted-word"}))
		if err != nil || files != len(trace.Files)+1 || len(found) > 0 {
			t.Errorf("%d files, %v, found %v", files, err, found)
		}
		return trace
	}
	if got := made(end.CallID); strings.Join(got.Files, " ") != "log.json snapshot.json page.png console.json network.json" {
		t.Errorf("by its id: %+v", got)
	}
	was := eval[string](doc, "location.href")
	eval[bool](doc, fmt.Sprintf("(location.href = %q, true)", foreign(t, was)))
	doc.until("another site is there", fmt.Sprintf("!location.href.startsWith(%q)", was))
	harness.Until(t, "the trace leaves out what is of another site", func() bool {
		got := made(fmt.Sprint(end.Seq))
		return len(got.Files) == 1 && len(got.Missing) == 4
	})
	for _, wrong := range []string{"call_none", "9999", "x y"} {
		if r := home.Run(t, "log", "trace", wrong, filepath.Join(t.TempDir(), "trace")); r.Exit == 0 || !strings.Contains(r.Stderr, "the log has no call "+wrong) {
			t.Errorf("%s: exit %d: %s", wrong, r.Exit, r.Stderr)
		}
	}
}

func TestTraceOfAFailure(t *testing.T) {
	// Ensure that a trace has the steps, the page and the line of the map that failed, also afterwards from the log, which looks at no other site, that no secret of the page or of the arguments is in it, that only the user can read it, and that a folder that is not empty is left alone before anything runs.
	t.Parallel()
	home := harness.NewHome(t)
	fields, texts := planted.Fields(), planted.Texts()
	url, rec := pages(t, map[string]string{"/": strings.Replace(plantedPage(fields, texts), "<main>", `<main><input id=p type=password>`, 1), "/sent": "x"})
	place := home.Map(t, "private", harness.Site(t), "t", previewMap)
	b := home.Open(t, url)
	doc := attach(t, b, topTarget(t, b, url))
	for i, s := range fields {
		eval[bool](doc, fmt.Sprintf("(put(%d, %s), true)", i, quoted(t, s.Secret)))
	}
	folder := filepath.Join(t.TempDir(), "trace")
	r := home.Run(t, "--json", "site", "call", "login", `{"password":"pl4nted-word"}`, "--trace", folder)
	if r.Exit != 1 {
		t.Fatalf("exit %d: %s", r.Exit, r.Stderr)
	}
	var trace struct {
		OK    bool
		Steps []struct {
			ID string
			OK bool
		}
		Map struct {
			File string
			Line int
		}
		Files   []string
		Missing []any
	}
	raw, err := os.ReadFile(filepath.Join(folder, "trace.json"))
	if err != nil || json.Unmarshal(raw, &trace) != nil {
		t.Fatalf("%v %s", err, raw)
	}
	if trace.OK || len(trace.Steps) != 2 || !trace.Steps[0].OK || trace.Steps[1].OK || len(trace.Files) != 4 || len(trace.Missing) > 0 {
		t.Errorf("%s", raw)
	}
	text, err := os.ReadFile(trace.Map.File)
	if err != nil || trace.Map.File != place || !strings.Contains(strings.Split(string(text), "\n")[trace.Map.Line-1], "#never") {
		t.Errorf("%v: %s:%d is not the step", err, trace.Map.File, trace.Map.Line)
	}
	found, files, err := planted.InFiles(folder, append(planted.All(), planted.Secret{Secret: "pl4nted-word"}))
	if err != nil || files != 5 {
		t.Fatalf("%d files, %v", files, err)
	}
	for _, f := range found {
		t.Errorf("%s holds %s (%s%s)", f.File, f.Secret.Secret, f.Secret.HTML, f.Secret.Text)
	}
	for _, name := range append(trace.Files, "trace.json") {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Mode().Perm() != 0o600 || info.Size() == 0 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	before := len(rec.All())
	if r := home.Run(t, "site", "call", "login", `{"password":"pl4nted-word"}`, "--trace", folder); r.Exit == 0 || !strings.Contains(r.Stderr, "is not empty") || len(rec.All()) != before {
		t.Errorf("exit %d: %s", r.Exit, r.Stderr)
	}
	traceFromTheLog(t, home, place, doc) // last, as it leads the tab away
}
