package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// inserted is a page's answer about a text that it took.
func inserted(sensitive bool) json.RawMessage {
	raw, err := json.Marshal(map[string]any{"inserted": true, "inserted_length": 1, "input_method": "native-setter", "verified": true,
		"selected_text_length": 0, "selection_sync": true, "tag_name": "input", "sensitive": sensitive})
	if err != nil {
		panic(err)
	}
	return raw
}

func TestArgumentsOfStoredActions(t *testing.T) {
	// Ensure that the outcome of a stored action keeps its arguments: what nothing types, and what was typed into a field that is not sensitive; and that what went into a sensitive or an unknown field, in whichever form, what may still have been meant for one, and what else the log withholds stays a length, in the intent everything. Redaction by name comes on top.
	const input = `{"user":"Bob","pass":"Hunter-2","n":3,"ok":true,"none":null,"list":[{"k":"v"}],"site":"shop"}`
	typesAll := func(string) bool { return true }
	types := func(names ...string) func(string) bool {
		return func(name string) bool { return strings.Contains(" "+strings.Join(names, " ")+" ", " "+name+" ") }
	}
	const hiddenAll = `{"user":{"length":3},"pass":{"length":8},"n":{"length":1},"ok":true,"none":null,"list":[{"length":9}],"site":{"length":4}}`
	type step struct{ text, target string }
	for name, c := range map[string]struct {
		typed func(string) bool
		steps []step
		want  string // the arguments of the action; empty: none are kept
	}{
		"no action":         {nil, nil, ""},
		"nothing is typed":  {types(), nil, strings.Replace(input, "Hunter-2", "[redacted]", 1)},
		"not typed yet":     {types("user", "pass"), nil, `{"user":{"length":3},"pass":{"length":8},"n":3,"ok":true,"none":null,"list":[{"k":"v"}],"site":"shop"}`},
		"typed":             {types("user", "pass"), []step{{"Bob", "#plain"}, {"Hunter-2", "#password"}}, `{"user":"Bob","pass":{"length":8},"n":3,"ok":true,"none":null,"list":[{"k":"v"}],"site":"shop"}`},
		"in other words":    {types("user", "pass"), []step{{"Dear  BOB,", "#plain"}, {"HUNTER-2!", "#password"}}, `{"user":"Bob","pass":{"length":8},"n":3,"ok":true,"none":null,"list":[{"k":"v"}],"site":"shop"}`},
		"in pieces":         {types("user", "pass"), []step{{"Hunt", "#password"}, {"er-2", "#password"}}, `{"user":{"length":3},"pass":{"length":8},"n":3,"ok":true,"none":null,"list":[{"k":"v"}],"site":"shop"}`},
		"both":              {types("user", "pass"), []step{{"Bob", "#plain"}, {"Bob", "#password"}}, `{"user":{"length":3},"pass":{"length":8},"n":3,"ok":true,"none":null,"list":[{"k":"v"}],"site":"shop"}`},
		"another's value":   {types("pass"), []step{{"my shop", "#password"}}, `{"user":"Bob","pass":{"length":8},"n":3,"ok":true,"none":null,"list":[{"k":"v"}],"site":{"length":4}}`},
		"unknown field":     {types("user"), []step{{"Bob", "#broken"}}, `{"user":{"length":3},"pass":"[redacted]","n":3,"ok":true,"none":null,"list":[{"k":"v"}],"site":"shop"}`},
		"field not there":   {types("user"), []step{{"Bob", "#none"}, {"Bob", "#plain"}}, `{"user":"Bob","pass":"[redacted]","n":3,"ok":true,"none":null,"list":[{"k":"v"}],"site":"shop"}`},
		"anything is typed": {typesAll, nil, hiddenAll},
		"lists and names":   {typesAll, []step{{"K: v, 3", "#plain"}}, `{"user":{"length":3},"pass":{"length":8},"n":3,"ok":true,"none":null,"list":[{"k":"v"}],"site":{"length":4}}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
				switch args := string(c.Arguments); {
				case strings.Contains(args, "#broken"):
					return nil, fault.New(fault.HandlerFailed, "something broke")
				case strings.Contains(args, "#none"):
					return nil, fault.New(fault.TargetNotFound, "there is no such field").WithDispatched(fault.NotDispatched)
				default:
					return inserted(strings.Contains(args, "#password")), nil
				}
			}
			r.Handlers.Named[SiteTool] = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
				if c.typed != nil {
					r.Typed(ctx, json.RawMessage(input), c.typed)
				}
				var failed error
				for _, s := range c.steps {
					args, err := json.Marshal(map[string]string{"text": s.text, "target": s.target})
					if err != nil {
						return nil, err
					}
					_, err = r.Step(ctx, "text.insert", args)
					failed = errors.Join(failed, err)
				}
				return json.RawMessage(`{}`), failed
			}
			r.Call(t.Context(), r.session, Call{Name: SiteTool, Arguments: value(`{"mode":"call","action":"a","arguments":` + input + `}`)})
			var intent, outcome struct{ Arguments map[string]json.RawMessage }
			for _, record := range r.records(t) {
				if record.Name != SiteTool {
					continue
				}
				into := &intent
				if record.Type == journal.TypeOutcome {
					into = &outcome
				}
				if err := json.Unmarshal(record.Data, into); err != nil {
					t.Fatal(err)
				}
			}
			if got := string(intent.Arguments["arguments"]); !strings.HasPrefix(got, `{"length":`) {
				t.Errorf("the intent holds %s", got)
			}
			if c.want == "" {
				if outcome.Arguments != nil {
					t.Errorf("the outcome holds %s", outcome.Arguments)
				}
				return
			}
			if string(outcome.Arguments["action"]) != `"a"` {
				t.Errorf("the outcome is of %s", outcome.Arguments["action"])
			}
			if got, want := compact(t, outcome.Arguments["arguments"]), compact(t, json.RawMessage(c.want)); got != want {
				t.Errorf("the outcome holds\n%s, not\n%s", got, want)
			}
		})
	}
}

// compact returns JSON in one order of members.
func compact(t *testing.T, text json.RawMessage) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
