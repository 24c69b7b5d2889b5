package site_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// counted is a shop whose action adds to a count, with a postcondition of the members.
func counted(t *testing.T, condition string) *rig {
	t.Helper()
	return newRig(t, map[string]string{"public/sites/shop.example.com/cart": mapOf(
		`"state_projections":[{"name":"cart","scope":{"url_matches":"*/cart*"},"snapshot":{"version":1,"source":"dom","extract":[{"id":"n","selector":"#n"}],
			"projection":{"language":"jsonata","expression":"{'n': $number(records.n = 'huge' ? $count([1..9000000]) : records.n)}"}},"postconditions":{"add":{`+condition+`,"settle_ms":0}}}],`,
		tool("add", workflow(`{"id":"a","primitive":"pointer.click","args":{"x":1,"y":1}}`)))})
}

func TestAlready(t *testing.T) {
	// Ensure that the state before an action is read once and only for a postcondition that needs it, that an action which
	// found everything done says so, that a demanded change which is missing fails, that a page without a required field is a state before
	// and no proof, and that what cannot be compared does not run.
	const holds = `"verify":{"expression":"state.n >= 1"}`
	failed := fault.New(fault.StateDocumentUnavailable, "the page is loading")
	for name, c := range map[string]struct {
		condition string
		// n is the count before, "gone" where the page has no state, "failing" where it cannot be read, "huge" where a limit
		// ends its evaluation, "long" where it is cut off, "-1" where a required field is missing.
		n    string
		adds int
		url  string

		ran  []string
		meta string
		code fault.Code
	}{
		"plain":              {condition: holds, n: "1", ran: []string{"pointer.click", "state.extract"}, meta: `{"ok":true,"projection":"cart"}`},
		"plain, failing":     {condition: holds, n: "0", ran: []string{"pointer.click", "state.extract"}, meta: `{"ok":false,"projection":"cart"}`, code: fault.StatePostconditionFailed},
		"done already":       {condition: holds + `,"changed":"or_already"`, n: "1", ran: []string{"state.extract", "pointer.click", "state.extract"}, meta: `{"already":true,"changed":false,"ok":true,"projection":"cart"}`},
		"done now":           {condition: holds + `,"changed":"or_already"`, n: "0", adds: 1, ran: []string{"state.extract", "pointer.click", "state.extract"}, meta: `{"changed":true,"ok":true,"projection":"cart"}`},
		"done in the middle": {condition: `"verify":{"expression":"state.n = before.n + 2"}`, n: "5", adds: 2, ran: []string{"state.extract", "pointer.click", "state.extract"}, meta: `{"changed":true,"ok":true,"projection":"cart"}`},
		"must change":        {condition: holds + `,"changed":true`, n: "1", ran: []string{"state.extract", "pointer.click", "state.extract"}, meta: `{"changed":false,"ok":false,"projection":"cart"}`, code: fault.StatePostconditionFailed},
		"must change, does":  {condition: holds + `,"changed":true`, n: "1", adds: 1, ran: []string{"state.extract", "pointer.click", "state.extract"}, meta: `{"changed":true,"ok":true,"projection":"cart"}`},
		"no state before":    {condition: holds + `,"changed":true`, n: "gone", adds: 1, ran: []string{"state.extract", "pointer.click", "state.extract"}, meta: `{"changed":true,"ok":true,"projection":"cart"}`},
		"another page":       {condition: holds + `,"changed":true`, n: "1", url: "https://shop.example.com/list", ran: []string{"pointer.click", "state.extract"}, meta: `{"changed":true,"ok":true,"projection":"cart"}`},
		"required later":     {condition: `"verify":{"expression":"state.n = before.n + 2"}`, n: "-1", adds: 2, ran: []string{"state.extract", "pointer.click", "state.extract"}, meta: `{"changed":true,"ok":true,"projection":"cart"}`},
		"required, missing":  {condition: `"verify":{"expression":"state.n < 1"}`, n: "-1", ran: []string{"pointer.click", "state.extract"}, meta: `{"ok":false,"projection":"cart"}`, code: fault.StatePostconditionFailed},
		"cut off before":     {condition: holds + `,"changed":true`, n: "long", ran: []string{"state.extract"}, code: fault.StatePayloadTooLarge, meta: `null`},
		"unreadable before":  {condition: holds + `,"changed":true`, n: "failing", ran: []string{"state.extract"}, code: fault.StateDocumentUnavailable, meta: `null`},
		"refused by a limit": {condition: holds + `,"changed":true`, n: "huge", ran: []string{"state.extract"}, code: fault.StateProjectionFailed, meta: `null`},
	} {
		t.Run(name, func(t *testing.T) {
			r := counted(t, c.condition)
			if c.url != "" {
				r.url = c.url
			}
			n := c.n
			r.step = func(name string, _ json.RawMessage) (json.RawMessage, error) {
				switch {
				case name == "pointer.click":
					r.url = page
					before := 0
					_, _ = fmt.Sscan(n, &before)
					n = fmt.Sprint(before + c.adds)
					return json.RawMessage(`{}`), nil
				case n == "failing":
					return nil, failed
				case n == "long":
					return json.RawMessage(fmt.Sprintf(`{"url":%q,"title":"","records":{"n":"1"},"diagnostics":{"truncated":true}}`, page)), nil
				case n == "-1":
					return json.RawMessage(fmt.Sprintf(`{"url":%q,"title":"","records":{"n":"-1"},"diagnostics":{"missing_required_count":1}}`, page)), nil
				}
				return json.RawMessage(fmt.Sprintf(`{"url":%q,"title":"","records":{"n":%q},"diagnostics":{"complete":true}}`, page, n)), nil
			}
			_, err := r.call(t, "add", `{}`)
			if f := fault.From(err); c.code == "" && err != nil || c.code != "" && (err == nil || f.Code != c.code) {
				t.Fatalf("error %v", err)
			} else if (c.n == "failing" || c.n == "huge") && f.Dispatched != fault.NotDispatched {
				t.Errorf("dispatched %q", f.Dispatched)
			}
			var ran []string
			for _, one := range r.ran {
				ran = append(ran, one.Name)
			}
			if !slices.Equal(ran, c.ran) {
				t.Errorf("ran %v", ran)
			}
			text, err := json.Marshal(r.meta.Postcondition)
			if diff := cmp.Diff(c.meta, string(text)); err != nil || diff != "" {
				t.Error(diff)
			}
			if already := c.n == "1" && c.meta == `{"already":true,"changed":false,"ok":true,"projection":"cart"}`; r.meta.Already != already {
				t.Errorf("already: %v", r.meta.Already)
			}
		})
	}
}

func TestAlreadyIsOfOneAction(t *testing.T) {
	// Ensure that an action which a check runs, and which found everything done, does not make the whole check one that did nothing.
	r := newRig(t, map[string]string{"public/sites/shop.example.com/cart": mapOf(
		`"checks":[{"id":"c","steps":[{"type":"call","tool":"add","arguments":{}}]}],
		"state_projections":[{"name":"cart","scope":{"url_matches":"*/cart*"},"snapshot":{"version":1,"source":"dom","extract":[{"id":"n","selector":"#n"}],
			"projection":{"language":"jsonata","expression":"{'n': $number(records.n)}"}},"postconditions":{"add":{"verify":{"expression":"state.n >= 1"},"changed":"or_already","settle_ms":0}}}],`,
		tool("add", workflow(`{"id":"a","primitive":"pointer.click","args":{"x":1,"y":1}}`)))})
	r.step = func(name string, _ json.RawMessage) (json.RawMessage, error) {
		if name == "pointer.click" {
			return json.RawMessage(`{}`), nil
		}
		return json.RawMessage(fmt.Sprintf(`{"url":%q,"title":"","records":{"n":"1"},"diagnostics":{"complete":true}}`, page)), nil
	}
	out, err := r.handle(t, `{"mode":"check","run":true}`)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.ran, func(one ran) bool { return one.Name == "pointer.click" }) {
		t.Fatalf("nothing ran: %s", out)
	}
	if r.meta.Already || r.meta.Steps != nil || r.meta.Postcondition != nil {
		t.Errorf("the check has %+v", r.meta)
	}
}
