package projection

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestRunState(t *testing.T) {
	// Ensure a whole state comes with its hash, markers and diagnostics, and the page's claims are judged anew.
	p := parse(t, boardProjection)
	in := extraction
	in.Diagnostics = Diagnostics{MissingRequiredFields: []string{"lists.0.name"}, Complete: true}
	r := mustRun(t, p, in, Options{})
	wantJSON(t, r.State, `{"url":"https://trello.test/b/x","title":"Board","by":"board","lists":[
		{"id":1,"name":"To do","cards":[{"id":"a","title":"Tea","due":null}]},{"id":2,"name":"Done","cards":[]}]}`)
	wantJSON(t, r.Markers, `[{"id":"first","type":"pointer","anchor":{"x":1,"y":2,"near":"h2"},"recipe":[{"primitive":"locator.element_info","args":{"locator":{"selector":".card"}}}]}]`)
	wantJSON(t, r.Diagnostics, `{"missing_required_fields":["lists.0.name"],"missing_required_count":1,"selector_counts":{},"complete":false,"truncated":false,"schema_valid":true}`)
	if r.Projection != "board" || r.ObservedAt.IsZero() || !strings.HasPrefix(r.StateHash, "sha256:") || len(r.StateHash) != 23 {
		t.Errorf("reading %+v", r)
	}
	if r := mustRun(t, p, extraction, Options{}); !r.Diagnostics.Complete {
		t.Error("nothing is missing, but the state is not complete")
	}
	in.Diagnostics = Diagnostics{Truncated: true, Complete: true}
	if r := mustRun(t, p, in, Options{}); r.Diagnostics.Complete {
		t.Error("a truncated extraction is complete")
	}
}

func TestRunSummary(t *testing.T) {
	// Ensure a summary stands in place of the state (P6) and its budget is kept.
	p := parse(t, boardProjection)
	r := mustRun(t, p, extraction, Options{Summary: DefaultSummary})
	if r.State != nil || r.SummaryName != DefaultSummary || r.StateHash != mustRun(t, p, extraction, Options{}).StateHash {
		t.Errorf("reading %+v", r)
	}
	wantJSON(t, r.Summary, `{"lists":2,"cards":1,"on":"https://trello.test/b/x","of":"board"}`)
	fails := func(name string, maxBytes int, code fault.Code) *fault.Error {
		t.Helper()
		_, err := p.Run(t.Context(), extraction, Options{Summary: name, MaxBytes: maxBytes})
		return wantFault(t, err, code)
	}
	wantJSON(t, fails("none", 0, fault.StateSummaryNotFound).Evidence["available_summaries"], `["agent_context","broken","nothing","long"]`)
	wantJSON(t, fails("broken", 0, fault.StateSummaryFailed).Evidence["cause"], `"expression_evaluation_failed"`)
	fails("nothing", 0, fault.StateSummaryFailed)
	fails(DefaultSummary, 20, fault.StatePayloadTooLarge)
	// Nobody raises a summary above the ceiling.
	wantJSON(t, fails("long", 0, fault.StatePayloadTooLarge).Evidence["max_bytes"], `32000`)
}

func TestRunBudget(t *testing.T) {
	// Ensure a state over its budget names the summaries (P7), and the whole 48,000 bytes can be reached, where the reference stops at 32,000.
	p := parse(t, boardProjection)
	_, err := p.Run(t.Context(), extraction, Options{MaxBytes: 20})
	f := wantFault(t, err, fault.StatePayloadTooLarge)
	wantJSON(t, f.Evidence["available_summaries"], `["agent_context","broken","nothing","long"]`)
	in := extraction
	sized := func(n int) Extraction {
		in.Records = json.RawMessage(`{"lists":[{"id":1,"name":"` + strings.Repeat("x", n) + `"}]}`)
		return in
	}
	base := len(mustRun(t, p, sized(0), Options{}).State)
	if got := len(mustRun(t, p, sized(MaxStateBytes-base), Options{}).State); got != MaxStateBytes {
		t.Errorf("%d bytes", got)
	}
	_, err = p.Run(t.Context(), sized(MaxStateBytes-base+1), Options{})
	wantFault(t, err, fault.StatePayloadTooLarge)
	if got := len(mustRun(t, p, sized(MaxStateBytes), Options{Internal: true}).State); got <= MaxStateBytes {
		t.Errorf("%d bytes", got)
	}
	mustRun(t, p, sized(3_000_000), Options{Summary: DefaultSummary})
	_, err = p.Run(t.Context(), sized(maxInternalBytes), Options{Summary: DefaultSummary})
	wantJSON(t, wantFault(t, err, fault.StatePayloadTooLarge).Evidence["available_summaries"], `[]`)
}

func TestRunFailures(t *testing.T) {
	// Ensure each stage fails with its own code and says what failed.
	long := `[{"id":1,"name":5}` + strings.Repeat(`,{"id":"x","name":"n"}`, 50) + `]`
	cases := []struct {
		name, old, new, records string
		code                    fault.Code
	}{
		{"the records are no JSON", `"name":"board"`, `"name":"board"`, `{`, fault.StateProjectionFailed},
		{"the expression fails", `[records.lists]`, `$number(url)`, `{}`, fault.StateProjectionFailed},
		{"the expression gives nothing", `{% {`, `{% records.none ? {`, `{}`, fault.StateProjectionFailed},
		{"a banned function", `[records.lists]`, `$now()`, `{}`, fault.StateProjectionFailed},
		{"a wrong state", `"name":"board"`, `"name":"board"`, `{"lists":` + long + `}`, fault.StateSchemaValidationFailed},
		{"a number that is no integer", `"name":"board"`, `"name":"board"`, `{"lists":[{"id":1.5,"name":"n"}]}`, fault.StateSchemaValidationFailed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text := edited(t, boardProjection, c.old, c.new)
			text = strings.Replace(text, `[records.lists] } %}`, `[records.lists] } : $$.none %}`, strings.Count(text, "records.none"))
			_, err := parse(t, text).Run(t.Context(), Extraction{Records: json.RawMessage(c.records)}, Options{})
			f := wantFault(t, err, c.code)
			if c.code == fault.StateSchemaValidationFailed {
				text, err := json.Marshal(f.Evidence["errors"])
				if err != nil || !strings.HasPrefix(string(text), `[{"path":"/lists/0/`) || strings.Count(string(text), "path") > 20 {
					t.Errorf("errors %s %v", text, err)
				}
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := parse(t, boardProjection).Run(ctx, extraction, Options{})
	wantFault(t, err, fault.Cancelled)
}

func TestRunMarkers(t *testing.T) {
	// Ensure an expression's markers are checked when it has run (M3); one marker alone and none at all are lists too.
	start := strings.Index(boardProjection, `"markers":`)
	run := func(expression string) (Reading, error) {
		text, err := json.Marshal(expression)
		if err != nil {
			t.Fatal(err)
		}
		p := parse(t, boardProjection[:start]+`"markers":`+string(text)+`}`)
		return p.Run(t.Context(), extraction, Options{})
	}
	const recipe = `"type":"cursor","recipe":[{"primitive":"pointer.click","args":{"x":1,"y":2}}]`
	for expression, ids := range map[string]string{
		`{% state.lists.{"id": "list-" & id, ` + recipe + `} %}`:              "list-1 list-2",
		`state.lists[id=1].{"id": "list-" & projection.name, ` + recipe + `}`: "list-",
		`state.none`: "",
		`null`:       "",
		`[]`:         "",
	} {
		r, err := run(expression)
		var got []string
		for _, m := range r.Markers {
			got = append(got, m.ID)
		}
		if err != nil || strings.Join(got, " ") != ids {
			t.Errorf("%s: %v %v, want %s", expression, got, err, ids)
		}
	}
	for expression, code := range map[string]fault.Code{
		`state.lists.{"id": "same", ` + recipe + `}`: fault.InvalidStateMarkers,
		`{"id": "x", "type": "gaze", "recipe": []}`:  fault.InvalidStateMarkers,
		`url`:                         fault.InvalidStateMarkers,
		`$number(url)`:                fault.StateMarkersFailed,
		`$join([1..7000].("xxxxxx"))`: fault.StateMarkersFailed,
	} {
		_, err := run(expression)
		wantFault(t, err, code)
	}
}

func TestHash(t *testing.T) {
	// Ensure the hash follows the value and not the order of members, and differs for different states.
	same := []string{`{"a":1,"b":{"c":[1,2],"d":"é"}}`, ` { "b" : {"d":"\u00e9","c":[1.0,2]}, "a" : 1 }`}
	first, err := Hash(json.RawMessage(same[0]))
	if err != nil {
		t.Fatal(err)
	}
	if second, err := Hash(json.RawMessage(same[1])); err != nil || first != second {
		t.Errorf("%s and %s, %v", first, second, err)
	}
	if other, err := Hash(json.RawMessage(`{"a":1,"b":{"c":[2,1],"d":"é"}}`)); err != nil || other == first {
		t.Errorf("another state has the hash %s, %v", other, err)
	}
	_, err = Hash(json.RawMessage(`{`))
	wantFault(t, err, fault.InvalidInput)
}
