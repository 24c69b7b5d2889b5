package lint_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/lint"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// vectorGroup is one file of test/vectors/maps.
type vectorGroup struct {
	About string   `json:"about"`
	Exact bool     `json:"exact"` // lint finds nothing but what is expected
	Cases []vector `json:"cases"`
}

// vector is one map with what must be found in it. The map is given as text,
// as bytes, as a repeated text, as a JSON value, or by the parts that matter:
// tools over a valid tool, the steps and the output of the first tool's
// workflow, and members of the root.
type vector struct {
	Name   string          `json:"name"`
	Text   *string         `json:"text"`
	Bytes  []byte          `json:"bytes"`
	Repeat *repeat         `json:"repeat"`
	Map    json.RawMessage `json:"map"`

	Root   map[string]any   `json:"root"`
	Tools  []map[string]any `json:"tools"`
	Steps  []any            `json:"steps"`
	Output any              `json:"output"`

	Place  lint.Place `json:"place"`
	Expect [][]string `json:"expect"` // rule, or rule and pointer
	Schema string     `json:"schema"` // passes or fails by actions.schema.json; "" where it may do either
}

type repeat struct {
	Head, Part, Tail string
	Count            int
}

func (v vector) text(t *testing.T) []byte {
	t.Helper()
	switch {
	case v.Text != nil:
		return []byte(*v.Text)
	case v.Bytes != nil:
		return v.Bytes
	case v.Repeat != nil:
		return []byte(v.Repeat.Head + strings.Repeat(v.Repeat.Part, v.Repeat.Count) + v.Repeat.Tail)
	case v.Map != nil:
		return v.Map
	}
	tools := v.Tools
	if v.Steps != nil {
		if len(tools) == 0 {
			tools = []map[string]any{{}}
		}
		flow := map[string]any{"version": 1, "expression_language": "jsonata", "steps": v.Steps}
		if v.Output != nil {
			flow["output"] = v.Output
		}
		tools[0]["workflow"] = flow
	}
	whole := []any{}
	for _, given := range tools {
		full := map[string]any{"name": "a.b", "description": "d", "input_schema": map[string]any{"type": "object"}}
		if given["workflow"] == nil && given["x_actions"] == nil {
			full["x_actions"] = map[string]any{"static_output": 1}
		}
		maps.Copy(full, given)
		whole = append(whole, full)
	}
	root := map[string]any{"protocol": "actions.json", "version": 1, "tools": whole}
	maps.Copy(root, v.Root)
	text, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// vectors returns every case of the shared files, named after group and case.
func vectors(t *testing.T, each func(t *testing.T, v vector, exact bool)) {
	t.Helper()
	files, err := filepath.Glob("../../test/vectors/maps/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	total := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var group vectorGroup
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&group); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		total += len(group.Cases)
		for _, v := range group.Cases {
			t.Run(strings.TrimSuffix(filepath.Base(name), ".json")+"/"+v.Name, func(t *testing.T) { each(t, v, group.Exact) })
		}
	}
	if total < 150 {
		t.Errorf("only %d vectors", total)
	}
}

// noNetwork fails whoever asks for a page.
type noNetwork struct{ t *testing.T }

func (n noNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	n.t.Errorf("%s was asked for", r.URL)
	return nil, errors.New("no network here")
}

func TestVectors(t *testing.T) {
	// Ensure each hostile or broken map gives the findings that it is listed
	// with, strict rules nothing else, and that nothing panics or reaches out.
	known := primitive.Load()
	before := http.DefaultTransport
	http.DefaultTransport = noNetwork{t}
	t.Cleanup(func() { http.DefaultTransport = before })
	met := map[string]bool{}
	vectors(t, func(t *testing.T, v vector, exact bool) {
		text := v.text(t)
		findings := actionmap.Validate(text, known)
		strict := len(findings)
		for _, f := range lint.Map(text, v.Place, known) {
			findings = append(findings, f.Finding)
		}
		left := slices.Clone(v.Expect)
		for i, f := range findings {
			met[f.Rule] = true
			if f.Line < 1 || f.Column < 1 || f.Hint == "" || f.Message == "" {
				t.Errorf("says too little: %+v", f)
			}
			at := slices.IndexFunc(left, func(e []string) bool { return e[0] == f.Rule && (len(e) == 1 || e[1] == f.Pointer) })
			if at >= 0 {
				left = slices.Delete(left, at, at+1)
			} else if exact || i < strict {
				t.Errorf("is not expected: %v", f)
			}
		}
		for _, e := range left {
			t.Errorf("%v is not found in %v", e, findings)
		}
		if m, err := actionmap.Parse(text); err == nil {
			for _, tool := range m.Tools {
				_, _ = tool.Compiled(known)
				_ = tool.CheckArguments(json.RawMessage(`{"q":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}`))
				_ = tool.Authority(known)
			}
		}
	})
	for _, rule := range append(slices.Clone(actionmap.Rules), lint.Rules()...) {
		if !met[rule.ID] && !slices.Contains(elsewhere, rule.ID) {
			t.Errorf("no vector has %s", rule.ID)
		}
	}
}

// elsewhere are the codes that need a folder or a kind of host; TestFolder and
// the tests of pkg/actionmap have them.
var elsewhere = []string{"shadowed_name", "copied_import", "missing_declared_file", "stale_accepted_gap", "invalid_accepted_gap", "capability_unavailable"}
