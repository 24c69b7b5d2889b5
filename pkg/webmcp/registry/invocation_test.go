package registry

import (
	"encoding/json"
	"fmt"
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
	// Ensure that an invocation is lost with its document, its registration and the debugger, and not with a move within the document; and that an answer that comes after all counts.
	for name, row := range map[string]struct {
		do   func(r *Registry)
		want Loss
	}{
		"moved":                    {func(r *Registry) { handle(t, r, "", "Page.navigatedWithinDocument", `{"frameId":"top","url":"x"}`) }, ""},
		"loading":                  {func(r *Registry) { going(t, r, "top") }, ""},
		"left":                     {func(r *Registry) { going(t, r, "top"); came(t, r, "top", "d2", "https://a.example", "Navigation") }, LostDocument},
		"taken back":               {func(r *Registry) { removed(t, r, "top", "one") }, LostRegistration},
		"another":                  {func(r *Registry) { removed(t, r, "top", "two") }, ""},
		"moved to another process": {func(r *Registry) { added(t, r, "s", "top", "one") }, LostDocument},
		"detached":                 {func(r *Registry) { r.Reset() }, LostDebugger},
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
			if got := run.Loss(); got != row.want || isClosed(run.lost) != (row.want != "") {
				t.Errorf("%s, sent %v: lost as %q, want %q", name, sent, got, row.want)
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
	// Ensure that a page which invokes without end does not fill the host, and that what runs for a caller stays.
	r := started(t)
	added(t, r, "", "top", "one")
	run := begun(t, r, "one")
	run.SetID("mine")
	for i := range 3 * maxRuns {
		id := fmt.Sprint("x", i)
		invoked(t, r, id)
		answered(t, r, id, `1`)
	}
	if _, _, ok := r.Invocation("mine"); !ok || len(r.runs.byID) > maxRuns {
		t.Errorf("%d are kept, ours: %v", len(r.runs.byID), ok)
	}
}
