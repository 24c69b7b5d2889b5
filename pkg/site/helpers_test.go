package site_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/site"
	"github.com/actionsjson/actions-host/pkg/storage"
)

const page = "https://shop.example.com/cart"

// ran is one primitive that reached the call path.
type ran struct{ Name, Args string }

// path is a call path whose primitives are a function.
type path struct {
	mu         sync.Mutex
	ran        []ran
	authorized []string // "action: primitives", in order
	refuse     error    // what Authorize answers
	step       func(name string, args json.RawMessage) (json.RawMessage, error)
	moved      func(err error) bool
	decided    policy.Decision // what ExplainAction answers; allow without it
}

func (p *path) Authorize(_ context.Context, action policy.Action, _ func() policy.Plan) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.authorized = append(p.authorized, action.Name+": "+strings.Join(action.Primitives, " "))
	return p.refuse
}

func (p *path) Confirm(ctx context.Context, action policy.Action, _ json.RawMessage, plan func() policy.Plan) error {
	return p.Authorize(ctx, action, plan)
}

func (p *path) ExplainAction(_ context.Context, _ policy.Action) (policy.Decision, string, error) {
	if p.decided.Verdict == "" {
		p.decided.Verdict, p.decided.Rule = policy.Allow, "effects"
	}
	return p.decided, "https://shop.example.com", nil
}

type lookingKey struct{}

func (p *path) OnlyLook(ctx context.Context) context.Context {
	return context.WithValue(ctx, lookingKey{}, true)
}

func (p *path) InternalStep(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	if ctx.Value(lookingKey{}) == nil {
		return nil, fault.New(fault.InternalError, "%s may do more than look", name)
	}
	return p.Step(ctx, name, args)
}

func (p *path) Typed(context.Context, json.RawMessage, func(string) bool) {}

func (p *path) Step(_ context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	p.mu.Lock()
	p.ran = append(p.ran, ran{name, string(args)})
	p.mu.Unlock()
	if p.step == nil {
		return json.RawMessage(`{"done":true}`), nil
	}
	return p.step(name, args)
}

func (p *path) OnlyStep(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	return p.Step(ctx, name, args)
}

func (p *path) Moved(_ context.Context, _ int, _ string, err error) bool {
	return p.moved != nil && p.moved(err)
}

// rig is actions.site on a real storage folder and a claimed tab.
type rig struct {
	*path
	site *site.Site
	root string
	url  string // where the tab is; "" when it is gone
	meta primitive.Meta
}

func newRig(t *testing.T, maps map[string]string) *rig {
	t.Helper()
	r := &rig{path: &path{}, root: t.TempDir(), url: page}
	for place, text := range maps {
		name := filepath.Join(r.root, "scopes", filepath.FromSlash(place), "actions.json")
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	store, err := storage.Open(r.root)
	if err != nil {
		t.Fatal(err)
	}
	r.site = &site.Site{Store: store, Path: r.path, Catalogue: primitive.Load(), URL: func(int) (string, bool) { return r.url, r.url != "" }}
	return r
}

// shop is a rig with one public map of the shop.
func shop(t *testing.T, tools string) *rig {
	t.Helper()
	return newRig(t, map[string]string{"public/sites/shop.example.com/cart": mapOf("", tools)})
}

// mapOf makes a map of root members and tools.
func mapOf(members, tools string) string {
	return `{"protocol":"actions.json","version":1,` + members + `"tools":[` + tools + `]}`
}

// tool makes one of a name and further members.
func tool(name, members string) string {
	return `{"name":"` + name + `","description":"About ` + name + `.",` + members + `}`
}

const (
	open     = `"input_schema":{"type":"object"},`
	greeting = `"x_actions":{"static_output":"hello"}`
)

func workflow(steps string) string {
	return open + `"workflow":{"version":1,"expression_language":"jsonata","steps":[` + steps + `]}`
}

// handle makes a call with the primitive's own arguments.
func (r *rig) handle(t *testing.T, args string) (string, error) {
	t.Helper()
	r.meta = primitive.Meta{}
	out, err := r.site.Handle(t.Context(), primitive.Call{TabID: 1, URL: page, Arguments: json.RawMessage(args), Meta: &r.meta})
	return string(out), err
}

// call calls an action.
func (r *rig) call(t *testing.T, action, args string) (string, error) {
	t.Helper()
	return r.handle(t, `{"mode":"call","action":"`+action+`","arguments":`+args+`}`)
}

// stepFails is a page in which nothing works.
func stepFails(string, json.RawMessage) (json.RawMessage, error) {
	return nil, fault.New(fault.TargetNotFound, "nothing is there")
}

func wantCode(t *testing.T, err error, code fault.Code) *fault.Error {
	t.Helper()
	f := fault.From(err)
	if f == nil || f.Code != code {
		t.Fatalf("want %s, got %v", code, err)
	}
	return f
}

// wantJSON compares two JSON texts by their values.
func wantJSON(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(value(t, want), value(t, got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// wantWithin is wantJSON for an output that may grow: its objects may have
// members that the wanted ones have not.
func wantWithin(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(value(t, want), common(value(t, want), value(t, got))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// common leaves out of got the members that want does not have.
func common(want, got any) any {
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		kept := map[string]any{}
		for name := range w {
			if v, ok := g[name]; ok {
				kept[name] = common(w[name], v)
			}
		}
		return kept
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			return got
		}
		kept := make([]any, len(g))
		for i := range g {
			kept[i] = common(w[i], g[i])
		}
		return kept
	}
	return got
}

func value(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}
