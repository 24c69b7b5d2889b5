// Package storedcall runs the real actions.site on the real call path; only the page is a function.
package storedcall

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/site"
	"github.com/actionsjson/actions-host/pkg/storage"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/test/callpath"
)

const clicked = `{"clicked":true,"x":1,"y":1,"button":"left","modifiers":[],"focused":true,"target":{"tag_name":"button","id":"","class_name":"","role":null,"data_testid":null,"type":null,"text":"","disabled":false,"aria_disabled":false,"bounding_box":{"x":0,"y":0,"width":9,"height":9,"left":0,"top":0,"right":9,"bottom":9},"viewport":{"width":9,"height":9}}}`

// tool is an action that clicks at x.
func tool(name, x string) string {
	return `{"name":"` + name + `","description":"d","input_schema":{"type":"object"},"workflow":{"version":1,"expression_language":"jsonata","steps":[{"id":"a","primitive":"pointer.click","args":{"x":` + x + `,"y":1}}]}}`
}

// projection has a postcondition that reads the page once.
const projection = `"state_projections":[{"name":"cart","scope":{"url_matches":"*/cart*"},"snapshot":{"version":1,"source":"dom","extract":[{"id":"n","selector":"#n"}],"projection":{"language":"jsonata","expression":"{'n': $number(records.n)}"}},"postconditions":{"pay":{"verify":{"expression":"state.n >= 1"},"settle_ms":0}}}],`

type rig struct {
	*dispatch.Dispatcher
	session *dispatch.Session
	clicks  []string
	extract func() (json.RawMessage, error)
}

func newRig(t *testing.T, at string, maps map[string]string) *rig {
	t.Helper()
	root := t.TempDir()
	for place, text := range maps {
		name := filepath.Join(root, "scopes", filepath.FromSlash(place), "actions.json")
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	store, err := storage.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	parts := callpath.New(t, "p", tabs.Tab{TabID: 1, URL: at, RuntimeID: "r1"})
	r := &rig{session: &dispatch.Session{ID: "cli", SessionKind: policy.SessionCLI, Mode: policy.ModeAct}}
	r.Dispatcher = &dispatch.Dispatcher{
		Catalogue: parts.Catalogue, Tabs: parts.Tabs, Policy: parts.Policy, Approvals: parts.Approvals, Journal: parts.Journal,
		Blocked: func(string) []string { return nil },
	}
	s := &site.Site{Store: store, Path: r.Dispatcher, Catalogue: parts.Catalogue, URL: func(id int) (string, bool) {
		tab, ok := r.Tabs.Get(id)
		return tab.URL, ok
	}}
	r.Handlers = &primitive.Registry{Named: map[string]primitive.Handler{dispatch.SiteTool: s.Handle}, Page: func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		switch c.Record.Name {
		case "pointer.click":
			r.clicks = append(r.clicks, string(c.Arguments))
			return json.RawMessage(clicked), nil
		case "state.extract":
			return r.extract()
		}
		return nil, fault.New(fault.TargetNotFound, "nothing is there")
	}}
	return r
}

func (r *rig) call(t *testing.T, action string) dispatch.Envelope {
	t.Helper()
	args, err := strictjson.Parse([]byte(`{"mode":"call","action":"`+action+`"}`), strictjson.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Call(t.Context(), r.session, dispatch.Call{Name: dispatch.SiteTool, Arguments: args})
}

func shop(members, tools string) string {
	return `{"protocol":"actions.json","version":1,` + members + `"tools":[` + tools + `]}`
}

// paying is a shop whose action pays and then reads the cart, which extract answers.
func paying(t *testing.T, extract func(r *rig) (json.RawMessage, error)) *rig {
	t.Helper()
	r := newRig(t, "https://shop.example.com/cart", map[string]string{"public/sites/shop.example.com/cart": shop(projection, tool("pay", "1"))})
	r.extract = func() (json.RawMessage, error) { return extract(r) }
	return r
}

func TestReadThatFailsAfterTheAction(t *testing.T) {
	// Ensure that an action which has clicked says so, and asks nobody to call again, whatever becomes of the read that is to prove it.
	for name, failure := range map[string]*fault.Error{
		"the next page loads slowly": fault.New(fault.RuntimeNotReady, "the page is loading").WithDispatched(fault.NotDispatched),
		"the connection is lost":     fault.New(fault.TransportFailed, "the connection was lost"),
	} {
		t.Run(name, func(t *testing.T) {
			r := paying(t, func(*rig) (json.RawMessage, error) { return nil, failure })
			e := r.call(t, "pay")
			if len(r.clicks) != 1 || e.Error == nil {
				t.Fatalf("%d clicks, %+v", len(r.clicks), e.Error)
			}
			if e.Error.Dispatched == fault.NotDispatched || e.Error.Retryable {
				t.Errorf("it clicked, and the answer says dispatched %q, retryable %t", e.Error.Dispatched, e.Error.Retryable)
			}
		})
	}
}

func TestActionRunsOnceWhereItsPageMoves(t *testing.T) {
	// Ensure that an action whose click leads to another origin of its map is not run again because the read after it met the new page.
	reads := 0
	r := paying(t, func(r *rig) (json.RawMessage, error) {
		if reads++; reads == 1 {
			r.Tabs.Update(tabs.Tab{TabID: 1, URL: "https://www.shop.example.com/cart", RuntimeID: "r2"})
			return nil, fault.New(fault.StateMismatch, "the tab shows a page of another origin now").WithDispatched(fault.NotDispatched)
		}
		return json.RawMessage(`{"url":"https://www.shop.example.com/cart","title":"","records":{"n":"1"},"diagnostics":{"complete":true,"missing_required_count":0,"missing_required_fields":[],"selector_counts":{},"truncated":false}}`), nil
	})
	if e := r.call(t, "pay"); len(r.clicks) != 1 {
		t.Errorf("one call clicked %d times (ok %t, %v)", len(r.clicks), e.OK, e.Error)
	}
}

func TestApprovalIsForOneAction(t *testing.T) {
	// Ensure that an approval for an action holds for no other of its name: a page can come under another map without a new document.
	r := newRig(t, "https://shop.example.com/cart", map[string]string{
		"public/sites/shop.example.com/cart": shop(`"surface":{"url_patterns":["*/cart*"]},`, tool("go", "1")),
		"public/sites/shop.example.com/pay":  shop(`"surface":{"url_patterns":["*/pay*"]},`, tool("go", "99")),
	})
	r.Policy.File = callpath.Asking(policy.EffectInput)
	e := r.call(t, "go")
	if !fault.Is(e.Error, fault.NeedsApproval) {
		t.Fatalf("%+v", e.Error)
	}
	if err := r.Answer(t.Context(), policy.Answer{ID: e.Error.Evidence["id"].(string), Allow: true, Face: policy.FacePopup}); err != nil {
		t.Fatal(err)
	}
	r.Tabs.Update(tabs.Tab{TabID: 1, URL: "https://shop.example.com/pay", RuntimeID: "r1"}) // the page's own history.pushState
	if e = r.call(t, "go"); len(r.clicks) > 0 || !fault.Is(e.Error, fault.NeedsApproval) {
		t.Errorf("the action of /pay: %v, clicks %v", e.Error, r.clicks)
	}
	r.Tabs.Update(tabs.Tab{TabID: 1, URL: "https://shop.example.com/cart", RuntimeID: "r1"})
	if e = r.call(t, "go"); len(r.clicks) != 1 {
		t.Errorf("the action that was allowed: %v, clicks %v", e.Error, r.clicks)
	}
}
