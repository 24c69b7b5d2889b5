package compile_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/compile"
	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestOnPage(t *testing.T) {
	// Ensure that a locator is right on the open page only where it finds what the target's selector finds, alone; and that one of another page stays unchecked.
	const (
		other = `{"label":"Name","strict":true}`
		both  = `{"label":"Name","selector":"#name","strict":true}`
		own   = `{"selector":"#name","strict":true}`
	)
	target := &compile.Met{Tag: "input", Selector: "#name"}
	for _, test := range []struct {
		name    string
		address string
		finds   map[string]error // by locator; any other finds nothing
		target  *compile.Met
		want    compile.Verdict
	}{
		{"it alone", shop + "?q=1#x", map[string]error{other: nil, both: nil, own: nil}, target, compile.One},
		{"several", shop, map[string]error{other: fault.New(fault.MultipleTargets, "m")}, target, compile.Several},
		{"nothing", shop, nil, target, compile.None},
		{"another element", shop, map[string]error{other: nil, own: nil}, target, compile.None},
		{"the selector finds nothing any more", shop, map[string]error{other: nil}, target, compile.One},
		{"a selector by places is no proof", shop, map[string]error{other: nil, own: nil}, &compile.Met{Tag: "a", Selector: "a:nth-of-type(1)"}, compile.One},
		{"without a description", shop, map[string]error{other: nil}, nil, compile.One},
		{"another page", "https://tea.example/cart", map[string]error{other: nil}, target, compile.Unchecked},
		{"a page that cannot be read", shop, map[string]error{other: fault.New(fault.PermissionDenied, "m")}, target, compile.Unchecked},
	} {
		t.Run(test.name, func(t *testing.T) {
			check := compile.OnPage(t.Context(), shop, func(_ context.Context, name string, raw json.RawMessage) (json.RawMessage, error) {
				var args struct{ Locator json.RawMessage }
				if err := json.Unmarshal(raw, &args); err != nil || name != "locator.wait_for" {
					t.Fatal(name, err)
				}
				if err, found := test.finds[string(args.Locator)]; found {
					return json.RawMessage(`{}`), err
				}
				return nil, fault.New(fault.Timeout, "nothing")
			})
			if got := check(test.address, json.RawMessage(`{"label":"Name"}`), test.target); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
