package site_test

import (
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// echo is a rig whose action "go" gives back what its handler was called with.
func echo(t *testing.T, schema string) *rig {
	t.Helper()
	return shop(t, tool("go", schema+`"x_actions":{"handler":"dom.snapshot_text"}`)+","+tool("stay", greeting))
}

func TestActionName(t *testing.T) {
	// Ensure that a call finds its action in every form that models use, and takes nothing of the arguments away that is one.
	for name, row := range map[string]struct{ call, args string }{
		"canonical":                {`{"mode":"call","action":"go","arguments":{"a":1}}`, `{"a":1}`},
		"action_name":              {`{"mode":"call","action_name":"go","arguments":{"a":1}}`, `{"a":1}`},
		"name":                     {`{"mode":"call","name":"go","arguments":{"a":1}}`, `{"a":1}`},
		"action goes first":        {`{"mode":"call","name":"stay","action_name":"stay","action":"go"}`, `{}`},
		"repeated inside":          {`{"mode":"call","action":"go","arguments":{"action":"go","a":1}}`, `{"a":1}`},
		"only inside":              {`{"mode":"call","arguments":{"action":"go","a":1}}`, `{"a":1}`},
		"another one inside":       {`{"mode":"call","action":"go","arguments":{"action":"stay"}}`, `{"action":"stay"}`},
		"something else inside":    {`{"mode":"call","action":"go","arguments":{"action":7}}`, `{"action":7}`},
		"no arguments":             {`{"mode":"call","action":"go"}`, `{}`},
		"null arguments":           {`{"mode":"call","action":"go","arguments":null}`, `{}`},
		"arguments as text":        {`{"mode":"call","action":"go","arguments":"{\"a\":1}"}`, `{"a":1}`},
		"text with the name in it": {`{"mode":"call","arguments":"{\"action\":\"go\",\"a\":1}"}`, `{"a":1}`},
		"exact numbers":            {`{"mode":"call","action":"go","arguments":{"a":12345678901234567890}}`, `{"a":12345678901234567890}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := echo(t, open)
			if _, err := r.handle(t, row.call); err != nil {
				t.Fatal(err)
			}
			if len(r.ran) != 1 || r.ran[0].Name != "dom.snapshot_text" || r.ran[0].Args != row.args {
				t.Errorf("ran %v, want the arguments %s", r.ran, row.args)
			}
		})
	}
}

func TestBadCalls(t *testing.T) {
	// Ensure that a call without a name or with arguments that are none runs nothing, says so, and shows what a call looks like.
	for name, call := range map[string]string{
		"no name":            `{"mode":"call"}`,
		"no name inside":     `{"mode":"call","arguments":{"a":1}}`,
		"a name of no text":  `{"mode":"call","arguments":{"action":1}}`,
		"text, not JSON":     `{"mode":"call","action":"go","arguments":"{\"a\":"}`,
		"text of a list":     `{"mode":"call","action":"go","arguments":"[1]"}`,
		"text of a text":     `{"mode":"call","action":"go","arguments":"\"{}\""}`,
		"empty text":         `{"mode":"call","action":"go","arguments":""}`,
		"text, a name twice": `{"mode":"call","action":"go","arguments":"{\"a\":1,\"a\":2}"}`,
		"a list":             `{"mode":"call","action":"go","arguments":[1]}`,
		"a number":           `{"mode":"call","action":"go","arguments":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := echo(t, open)
			_, err := r.handle(t, call)
			if f := wantCode(t, err, fault.InvalidInput); f.Dispatched != fault.NotDispatched || f.Evidence["example"] == nil {
				t.Errorf("got %+v", f)
			}
			if len(r.ran)+len(r.authorized) > 0 {
				t.Errorf("ran %v", r.ran)
			}
		})
	}
}

func TestArgumentsFollowTheSchema(t *testing.T) {
	// Ensure that an action with arguments outside of its schema is not decided about and not run, for every kind of action.
	schema := `"input_schema":{"type":"object","required":["q"],"properties":{"q":{"type":"string"},"n":{"type":"integer"}},"additionalProperties":false},`
	for kind, how := range map[string]string{
		"handler":  `"x_actions":{"handler":"dom.snapshot_text"}`,
		"static":   greeting,
		"workflow": `"workflow":{"version":1,"expression_language":"jsonata","steps":[{"id":"a","primitive":"page.info"}]}`,
	} {
		for _, args := range []string{`{}`, `{"q":1}`, `{"q":"x","n":1.5}`, `{"q":"x","more":1}`, `"{}"`} {
			r := shop(t, tool("go", schema+how))
			_, err := r.call(t, "go", args)
			if f := wantCode(t, err, fault.InvalidInput); f.Dispatched != fault.NotDispatched || f.Evidence["violations"] == nil {
				t.Errorf("%s %s: %+v", kind, args, f)
			}
			if len(r.ran)+len(r.authorized) > 0 {
				t.Errorf("%s %s ran %v", kind, args, r.ran)
			}
		}
	}
	r := shop(t, tool("go", greeting)) // without a schema nothing is known of the arguments
	_, err := r.call(t, "go", `{"a":1}`)
	wantCode(t, err, fault.InvalidInput)
}
