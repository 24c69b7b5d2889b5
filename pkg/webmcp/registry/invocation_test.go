package registry

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func begun(t *testing.T, r *Registry, name string) *Run {
	t.Helper()
	run := r.Begin(idOf(t, r, name), "cli")
	if run == nil {
		t.Fatalf("%s is gone", name)
	}
	return run
}

func invoked(t *testing.T, r *Registry, id string) []Invocation {
	t.Helper()
	return handle(t, r, "", "WebMCP.toolInvoked", fmt.Sprintf(`{"frameId":"top","invocationId":%q,"toolName":"one","input":%q}`, id, `{"n":"`+id+`"}`))
}

func answered(t *testing.T, r *Registry, id, output string) []Invocation {
	t.Helper()
	return handle(t, r, "", "WebMCP.toolResponded", fmt.Sprintf(`{"invocationId":%q,"status":"Completed","output":%s}`, id, output))
}

func TestAnswers(t *testing.T) {
	// Ensure that an answer finds its caller whether it overtakes the browser's own or not, and that a second answer is none.
	for _, overtakes := range []bool{false, true} {
		r := started(t)
		added(t, r, "", "top", "one")
		run := begun(t, r, "one")
		if overtakes {
			invoked(t, r, "i1")
			answered(t, r, "i1", `1`)
		}
		if told := run.SetID("i1"); len(told) != 0 {
			t.Errorf("others are told of %+v", told)
		}
		if !overtakes {
			invoked(t, r, "i1")
			answered(t, r, "i1", `1`)
		}
		answered(t, r, "i1", `2`)
		<-run.Done()
		if got := run.Response(); got.Status != Completed || string(got.Output) != `1` {
			t.Errorf("the answer is %+v", got)
		}
		if all := r.Invocations(); len(all) != 1 || all[0].State != Done || all[0].By != "cli" {
			t.Errorf("the invocations are %+v", all)
		}
	}
}

func TestOthers(t *testing.T) {
	// Ensure that what others invoke is told when it is sure not to be ours, with its input and that once, and its end too; and that callers are not shown the input.
	r := started(t)
	added(t, r, "", "top", "one")
	readAll(r, "https://a.example")
	if told := invoked(t, r, "x"); len(told) != 1 || told[0].By != OtherClient || told[0].Origin != "https://a.example" || told[0].Input == nil || string(told[0].Input.Value) != `{"n":"x"}` {
		t.Errorf("told %+v", told)
	}
	if told := answered(t, r, "x", `1`); len(told) != 1 || told[0].State != Done || told[0].Input != nil {
		t.Errorf("told %+v", told)
	}
	if shown, err := json.Marshal(r.Invocations()); err != nil || strings.Contains(string(shown), "input") {
		t.Errorf("a caller is shown %s, %v", shown, err)
	}
	run := begun(t, r, "one")
	if told := append(invoked(t, r, "y"), invoked(t, r, "mine")...); len(told) != 0 {
		t.Errorf("told too early: %+v", told)
	}
	if told := run.SetID("mine"); len(told) != 1 || told[0].ID != "y" {
		t.Errorf("told %+v", told)
	}
	run = begun(t, r, "one")
	invoked(t, r, "z")
	if told := run.Abandon(); len(told) != 1 || told[0].ID != "z" {
		t.Errorf("told %+v", told)
	}
	if told := answered(t, r, "before", `1`); len(told) != 0 {
		t.Errorf("one that began before anybody listened is told: %+v", told)
	}
}

func TestSensitiveInputs(t *testing.T) {
	// Ensure that what others give to a form, to a tool with secrets in its schema or without one that could be looked at, and to an unknown tool, is reported by its length alone.
	large := fmt.Sprintf(`{"password":{"writeOnly":true},"d":%q}`, strings.Repeat("x", maxSchemaBytes))
	for tool, want := range map[string]bool{
		`"name":"one"`: false, `"name":"one","inputSchema":{"properties":{"n":{"type":"string"}}}`: false,
		`"name":"one","backendNodeId":7`: true, `"name":"one","inputSchema":{"properties":{"n":{"writeOnly":true}}}`: true,
		`"name":"one","inputSchema":{"properties":{"n":{"format":"password"}}}`: true, `"name":"one","inputSchema":` + large: true, `"name":"other"`: true,
	} {
		r := started(t)
		handle(t, r, "", "WebMCP.toolsAdded", `{"tools":[{"frameId":"top",`+tool+`}]}`)
		told := invoked(t, r, "4711")
		if len(told) != 1 || told[0].Input.Bytes != 12 || (told[0].Input.Value == nil) != want {
			t.Errorf("%.99s: told %+v", tool, told)
		}
		if all, _ := r.Tools(); all[0].Name == "one" && all[0].Sensitive() != want {
			t.Errorf("%.99s is sensitive: %v", tool, !want)
		}
	}
}

func TestOnItsWay(t *testing.T) {
	// Ensure that whoever looks for a caller's invocations can wait for those that have no id yet, and for no one else's.
	r := started(t)
	added(t, r, "", "top", "one")
	for _, end := range []func(*Run){func(n *Run) { n.SetID("i") }, func(n *Run) { n.Abandon() }} {
		run := begun(t, r, "one")
		next := r.PendingID("cli")
		if next == nil || isClosed(next) || r.PendingID("mcp") != nil {
			t.Fatalf("on its way: %v", next)
		}
		end(run)
		if !isClosed(next) || r.PendingID("cli") != nil {
			t.Error("it is still on its way")
		}
	}
}

func TestLosses(t *testing.T) {
	// Ensure that an invocation is lost with the debugger, and with its document once the one that came instead has loaded or is gone too; that neither a move within the document nor the end of the registration is a loss; and that an answer that comes after all counts.
	left := func(r *Registry) { going(t, r, "top"); came(t, r, "top", "d2", "https://a.example", "Navigation") }
	for name, row := range map[string]struct {
		do   func(r *Registry)
		why  Loss
		lost bool
	}{
		"moved": {func(r *Registry) { handle(t, r, "", "Page.navigatedWithinDocument", `{"frameId":"top","url":"x"}`) }, "", false},
		"loading": {func(r *Registry) {
			going(t, r, "top")
			handle(t, r, "", "Page.frameStoppedLoading", `{"frameId":"top"}`)
		}, "", false},
		"left":                     {left, LostDocument, false},
		"left, the next loaded":    {func(r *Registry) { left(r); handle(t, r, "", "Page.frameStoppedLoading", `{"frameId":"top"}`) }, LostDocument, true},
		"left, another loaded":     {func(r *Registry) { left(r); handle(t, r, "", "Page.frameStoppedLoading", `{"frameId":"sub"}`) }, LostDocument, false},
		"left, the next left":      {func(r *Registry) { left(r); came(t, r, "top", "d3", "https://a.example", "Navigation") }, LostDocument, true},
		"left for an older one":    {func(r *Registry) { came(t, r, "top", "d0", "https://a.example", "BackForwardCacheRestore") }, LostDocument, true},
		"removed":                  {func(r *Registry) { handle(t, r, "", "Page.frameDetached", `{"frameId":"top","reason":"remove"}`) }, LostDocument, true},
		"unregistered":             {func(r *Registry) { removed(t, r, "top", "one"); added(t, r, "", "top", "one") }, "", false},
		"moved to another process": {func(r *Registry) { added(t, r, "s", "top", "one") }, LostDocument, true},
		"detached":                 {func(r *Registry) { r.Reset() }, LostDebugger, true},
	} {
		for _, sent := range []bool{true, false} {
			r := started(t)
			added(t, r, "", "top", "one", "two")
			run := begun(t, r, "one")
			if sent {
				run.SetID("i")
			}
			row.do(r)
			if !sent {
				run.SetID("i")
			}
			if got := run.Loss(); got != row.why || isClosed(run.lost) != row.lost {
				t.Errorf("%s, sent %v: lost %v as %q, want %v, %q", name, sent, isClosed(run.lost), got, row.lost, row.why)
			}
			answered(t, r, "i", `1`)
			if !isClosed(run.done) {
				t.Errorf("%s: the answer that came after all does not count", name)
			}
		}
	}
	r := started(t)
	added(t, r, "", "top", "one")
	id := idOf(t, r, "one")
	came(t, r, "top", "d2", "https://a.example", "Navigation")
	if r.Begin(id, "cli") != nil {
		t.Error("a tool that is gone begins")
	}
}

func TestRunsAreBounded(t *testing.T) {
	// Ensure that a page which invokes without end, whether its tools answer or not, does not fill the host, and that what runs for a caller stays and gets its answer.
	for _, answers := range []bool{true, false} {
		r := started(t)
		added(t, r, "", "top", "one")
		run, ended := begun(t, r, "one"), begun(t, r, "one")
		run.SetID("mine")
		ended.SetID("before")
		answered(t, r, "before", `1`)
		for i := range 3 * maxRuns {
			id := fmt.Sprint("x", i)
			invoked(t, r, id)
			if answers {
				answered(t, r, id, `1`)
			}
		}
		if r.Run("mine") == nil || r.Run("before") == nil || len(r.runs.byID) > maxRuns {
			t.Errorf("answers %v: %d are kept, ours: %v, %v", answers, len(r.runs.byID), r.Run("mine"), r.Run("before"))
		}
		answered(t, r, "mine", `2`)
		if got := run.Response(); string(got.Output) != `2` {
			t.Errorf("answers %v: the answer is %+v", answers, got)
		}
		if r.Run("x1") != nil || r.Run("never") != nil {
			t.Error("what others began is a caller's")
		}
	}
}

func TestExpectedRuns(t *testing.T) {
	// Ensure that a run whose ID no answer brings takes it from the event of its tool with its input, whatever the form of its numbers, and not from another's.
	invoke := func(r *Registry, id, frame, tool, input string) []Invocation {
		t.Helper()
		return handle(t, r, "", "WebMCP.toolInvoked", fmt.Sprintf(`{"frameId":%q,"invocationId":%q,"toolName":%q,"input":%q}`, frame, id, tool, input))
	}
	r := started(t)
	added(t, r, "", "top", "one", "two")
	run := begun(t, r, "one")
	if err := run.Expect(json.RawMessage(`{"a":null,"n":1.50e1}`)); err != nil {
		t.Fatal(err)
	}
	invoke(r, "x1", "top", "one", `{"a":1,"n":15}`)
	invoke(r, "x2", "top", "two", `{"a":null,"n":15}`)
	invoke(r, "x3", "sub", "one", `{"a":null,"n":15}`)
	if isClosed(run.Resolved()) {
		t.Fatalf("it took %q", run.ID)
	}
	others := invoke(r, "mine", "top", "one", `{"n":15,"a":null}`)
	answered(t, r, "mine", `7`)
	<-run.Resolved()
	if run.ID != "mine" || len(others) != 3 || string(run.Response().Output) != `7` {
		t.Errorf("it is %q, of others are %+v, the answer %+v", run.ID, others, run.Response())
	}
	if told := run.Abandon(); told != nil || run.State() != Done {
		t.Errorf("abandoned after all: %+v, %s", told, run.State())
	}
	invoke(r, "later", "top", "one", `{"a":null,"n":15}`)
	if all := r.Invocations(); all[0].By != OtherClient {
		t.Errorf("the next is %+v", all[0])
	}
}

func TestDetached(t *testing.T) {
	// Ensure that the end of a run that nobody waits for is reported, once.
	r := started(t)
	added(t, r, "", "top", "one")
	run := begun(t, r, "one")
	run.SetID("mine")
	run.Detach()
	if told := answered(t, r, "mine", `1`); len(told) != 1 || told[0].By != "cli" || told[0].State != Done {
		t.Errorf("reported %+v", told)
	}
	if told := answered(t, r, "mine", `2`); len(told) != 0 {
		t.Errorf("reported again: %+v", told)
	}
}

func TestReportedLosses(t *testing.T) {
	// Ensure that the loss of what nobody waits for is reported, once and whatever brought it, as is the end of a run that had come when it was left alone; and that the loss of a run that is waited for is not.
	for name, lose := range map[string]func(r *Registry) []Invocation{
		"loaded": func(r *Registry) []Invocation {
			came(t, r, "top", "d2", "https://a.example", "Navigation")
			return handle(t, r, "", "Page.frameStoppedLoading", `{"frameId":"top"}`)
		},
		"removed": func(r *Registry) []Invocation {
			return handle(t, r, "", "Page.frameDetached", `{"frameId":"top","reason":"remove"}`)
		},
		"listed":   func(r *Registry) []Invocation { return r.SetFrames("", []Frame{{ID: "top", Document: "d2"}}) },
		"detached": func(r *Registry) []Invocation { return r.Reset() },
	} {
		r := started(t)
		added(t, r, "", "top", "one")
		for _, id := range []string{"left", "awaited"} {
			run := begun(t, r, "one")
			run.SetID(id)
			if id == "left" && run.Detach() != nil {
				t.Error("a run that goes on is reported")
			}
		}
		invoked(t, r, "page")
		var reported []string
		for _, one := range append(lose(r), r.Reset()...) {
			reported = append(reported, fmt.Sprint(one.By, one.ID, one.State))
		}
		slices.Sort(reported)
		if want := []string{"clileftlost", "otherspagelost"}; !slices.Equal(reported, want) {
			t.Errorf("%s: reported %q", name, reported)
		}
	}
	r := started(t)
	added(t, r, "", "top", "one")
	run := begun(t, r, "one")
	run.SetID("quick")
	answered(t, r, "quick", `1`)
	if reported := run.Detach(); len(reported) != 1 || reported[0].State != Done {
		t.Errorf("reported %+v", reported)
	}
}
