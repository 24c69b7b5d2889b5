package actionmap_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestParseBrokenTools(t *testing.T) {
	// Ensure a broken tool is reported and not callable while the others work.
	m := load(t, withTools(`"text"`, `{"description":"no name"}`, `{"name":"a","input_schema":[]}`, `{"name":"b","workflow":"steps"}`,
		`{"name":"c","x_actions":{"handler":7}}`, `{"name":"d","x_actions":{"handler":"pointer.click","binding":{"arguments":[]}}}`,
		`{"name":"good","x_actions":{"static_output":{"x":1},"handler":"pointer.click"},"workflow":{}}`, `{"name":"good"}`))
	if len(m.Tools) != 1 || m.Tools[0].Kind != actionmap.KindStatic || string(m.Tools[0].StaticOutput) != `{"x":1}` {
		t.Fatalf("tools are %+v", m.Tools)
	}
	var got []string
	for _, p := range m.Problems {
		got = append(got, p.Tool+" "+p.Pointer)
	}
	want := []string{" /tools/0", " /tools/1/name", "a /tools/2/input_schema", "b /tools/3/workflow", "c /tools/4/x_actions/handler",
		"d /tools/5/x_actions/binding/arguments", "good /tools/7/name"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if _, ok := m.Tool("a"); ok {
		t.Fatal("a broken tool is callable")
	}
}

func TestCheckArguments(t *testing.T) {
	// Ensure arguments are checked against the schema, and that the fault says
	// what is wrong and what is missing.
	m := load(t, withTools(`{"name":"a","input_schema":{"type":"object","required":["query","limit"],"additionalProperties":false,
		"properties":{"query":{"type":"string","maxLength":3},"limit":{"type":"integer"}}}}`,
		`{"name":"none"}`, `{"name":"odd","input_schema":{"$ref":"https://elsewhere.test/schema.json"}}`))
	a, _ := m.Tool("a")
	for args, want := range map[string]string{
		`{"query":"abc","limit":3}`: "", `{"query":"abcd","limit":3}`: "[]", `{"limit":1.5}`: `["query"]`, ``: `["query","limit"]`,
		`{"query":"a","limit":1,"more":1}`: "[]",
	} {
		err := a.CheckArguments(json.RawMessage(args))
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", args, err)
			}
			continue
		}
		f := fault.From(err)
		missing, _ := json.Marshal(f.Evidence["missing_required"])
		if f.Code != fault.InvalidInput || string(missing) != want || f.Evidence["violations"] == nil || f.Dispatched != fault.NotDispatched {
			t.Errorf("%s gives %+v", args, f)
		}
	}
	if err := a.CheckArguments(json.RawMessage(`{"query":"abcd","limit":3}`)); !strings.Contains(fault.From(err).Message, "/query must have at most 3") {
		t.Errorf("the member is not named: %v", err)
	}
	for _, args := range []string{`[]`, `"{}"`, `3`} {
		if err := a.CheckArguments(json.RawMessage(args)); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%s gives %v", args, err)
		}
	}
	none, _ := m.Tool("none")
	if none.CheckArguments(nil) != nil || none.CheckArguments(json.RawMessage(`{"x":1}`)) == nil {
		t.Error("a tool without a schema takes no arguments")
	}
	odd, _ := m.Tool("odd")
	if err := odd.CheckArguments(nil); !fault.Is(err, fault.InvalidMap) {
		t.Errorf("a schema elsewhere gives %v", err)
	}
}

func TestCompiled(t *testing.T) {
	// Ensure a workflow is parsed once for all goroutines, and that a broken
	// one names its first problem.
	m := load(t, withTools(`{"name":"a","workflow":{"version":1,"expression_language":"jsonata","steps":[{"id":"s","primitive":"pointer.click"}]}}`,
		`{"name":"b","workflow":{"version":1,"expression_language":"jsonata","steps":[{"id":"s","primitive":"no.such","else":1}]}}`))
	a, _ := m.Tool("a")
	first, err := a.Compiled(dict)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if w, err := a.Compiled(dict); w != first || err != nil {
				t.Error("another workflow was made")
			}
			if err := a.CheckArguments(nil); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	b, _ := m.Tool("b")
	_, err = b.Compiled(dict)
	f := fault.From(err)
	if f.Code != fault.InvalidWorkflow || f.Evidence["step_id"] != "s" || f.Evidence["field"] != "else" || f.Evidence["problems"] != 2 || f.Evidence["action"] != "b" {
		t.Fatalf("%+v", f)
	}
}

func TestApplies(t *testing.T) {
	// Ensure a binding's target_url_contains keeps a tool to its pages.
	m := load(t, withTools(`{"name":"a","x_actions":{"handler":"pointer.click","binding":{"target_url_contains":"/board/"}}}`, `{"name":"b"}`))
	a, _ := m.Tool("a")
	b, _ := m.Tool("b")
	if !a.Applies("https://x.test/board/1") || a.Applies("https://x.test/list") || !b.Applies("https://x.test/list") {
		t.Fatal("target_url_contains is not followed")
	}
}
