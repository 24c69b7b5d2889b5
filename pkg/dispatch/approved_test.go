package dispatch

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/test/callpath"
)

// asking is a rig that asks before input, and counts what reaches the page.
func asking(t *testing.T) (r *rig, reached func() []string) {
	t.Helper()
	r = newRig(t)
	r.Policy.File = callpath.Asking(policy.EffectInput)
	var names []string
	r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		names = append(names, c.Record.Name)
		return json.RawMessage(`{}`), nil
	}
	return r, func() []string { return names }
}

// answer answers the question that the call meets.
func (r *rig) answer(t *testing.T, name, args string, allow bool) {
	t.Helper()
	id, _ := wantCode(t, r.call(t, name, args), fault.NeedsApproval).Evidence["id"].(string)
	if err := r.Answer(t.Context(), policy.Answer{ID: id, Allow: allow, Scope: policy.ScopeOnce, Face: policy.FacePopup}); err != nil {
		t.Fatal(err)
	}
}

func TestApprovalIsForOneCall(t *testing.T) {
	// Ensure that an approval given once lets the call through that the user saw, in whatever order its members stand, and neither other arguments nor another primitive with the same effect.
	r, reached := asking(t)
	r.answer(t, "pointer.click", `{"x":1,"y":2}`, true)
	wantCode(t, r.call(t, "pointer.click", `{"x":9,"y":2}`), fault.NeedsApproval)
	wantCode(t, r.call(t, "text.insert", `{"text":"a","target":"#q"}`), fault.NeedsApproval)
	if got := reached(); len(got) != 0 {
		t.Fatalf("reached the page: %v", got)
	}
	r.call(t, "pointer.click", `{"y":2,"x":1}`)
	if got := reached(); len(got) != 1 || got[0] != "pointer.click" {
		t.Fatalf("reached the page: %v", got)
	}
	wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":2}`), fault.NeedsApproval)
	if got := reached(); len(got) != 1 {
		t.Errorf("one approval let %v through", got)
	}
}

func TestGrantTellsNoArguments(t *testing.T) {
	// Ensure that the list of grants does not show what the approved call is to type.
	r, _ := asking(t)
	r.answer(t, "text.insert", `{"text":"hunter2","target":"#q"}`, true)
	raw, err := json.Marshal(r.Policy.Grants())
	if err != nil || strings.Contains(string(raw), "hunter2") || !strings.Contains(string(raw), `"scope":"once"`) {
		t.Errorf("the grants are %s %v", raw, err)
	}
}

func TestRefusalStands(t *testing.T) {
	// Ensure that a refusal, even given once, holds for every further call of that effect on the origin, since an agent would else ask until the user gives in, and for no other effect and no other origin.
	r, reached := asking(t)
	r.answer(t, "pointer.click", `{"x":1,"y":2}`, false)
	for range 2 {
		wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":2}`), fault.PermissionDenied)
		wantCode(t, r.call(t, "pointer.click", `{"x":9,"y":9}`), fault.PermissionDenied)
		wantCode(t, r.call(t, "text.insert", `{"text":"a","target":"#q"}`), fault.PermissionDenied)
	}
	if got := reached(); len(got) != 0 {
		t.Fatalf("reached the page: %v", got)
	}
	r.call(t, "page.info", `{}`)
	if got := reached(); len(got) != 1 {
		t.Errorf("a read was refused too: %v", got)
	}
	r.Tabs.Update(tabs.Tab{TabID: 1, URL: "https://other.example/"})
	wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":2}`), fault.NeedsApproval)
}

func TestApprovalShowsTheText(t *testing.T) {
	// Ensure that the user sees what is going to be typed before allowing it, and that the log, which is kept, does not hold it.
	r, _ := asking(t)
	const text = "pay 900 to Mallory"
	wantCode(t, r.call(t, "text.insert", `{"text":"`+text+`","target":"#q"}`), fault.NeedsApproval)
	waiting := r.Approvals.List()
	if len(waiting) != 1 || !strings.Contains(waiting[0].Summary, text) {
		t.Fatalf("the user sees %+v", waiting)
	}
	noted := false
	for _, rec := range r.records(t) {
		noted = noted || rec.Type == journal.TypePolicy && strings.Contains(string(rec.Data), waiting[0].ID)
		if strings.Contains(string(rec.Data), text) {
			t.Errorf("the record %s holds the text: %s", rec.Type, rec.Data)
		}
	}
	if !noted {
		t.Error("the question is not in the log")
	}
}

func TestTabThatMovedBeforeTheCall(t *testing.T) {
	// Ensure that an acting call whose tab went to another origin before it was sent fails and is not sent again, as it was meant for the page that is gone, a stored action, which may be another one there, least of all, while a read looks at the new page.
	for name, row := range map[string]struct {
		args  string
		again bool
	}{
		"pointer.click": {`{"x":1,"y":2}`, false},
		"text.insert":   {`{"text":"a","target":"#q"}`, false},
		"page.info":     {`{}`, true},
		SiteTool:        {`{"mode":"call","action":"a.b"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			var origins []string
			r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
				origins = append(origins, c.Origin)
				if len(origins) > 1 {
					return json.RawMessage(`{"url":"https://other.example/","title":"t"}`), nil
				}
				r.Tabs.Update(tabs.Tab{TabID: 1, URL: "https://other.example/"})
				return nil, fault.New(fault.StateMismatch, "the tab is elsewhere").WithDispatched(fault.NotDispatched)
			}
			r.Handlers.Named[SiteTool] = r.page
			e := r.call(t, name, row.args)
			if row.again {
				if !e.OK || len(origins) != 2 || origins[1] != "https://other.example" {
					t.Errorf("asked %v, got %+v", origins, e.Error)
				}
				return
			}
			if f := wantCode(t, e, fault.StateMismatch); f.Dispatched != fault.NotDispatched || len(origins) != 1 {
				t.Errorf("asked %v, got %+v", origins, f)
			}
		})
	}
}

func TestReadOfAMovedTabNamesItsNewPage(t *testing.T) {
	// Ensure that a read which looked again, at the page that its tab had gone to, answers and is logged with that page's address, also where the host heard of it late.
	r := newRig(t)
	reads := 0
	r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
		if reads++; reads > 1 {
			return json.RawMessage(`{"url":"https://other.example/","title":"t"}`), nil
		}
		time.AfterFunc(50*time.Millisecond, func() { r.Tabs.Update(tabs.Tab{TabID: 1, URL: "https://other.example/", RuntimeID: "r2"}) })
		return nil, fault.New(fault.StateMismatch, "the tab is elsewhere").WithDispatched(fault.NotDispatched)
	}
	e := r.call(t, "page.info", `{}`)
	if !e.OK || e.Meta.Tab.RuntimeID != "r2" || e.Meta.Tab.URL != "https://other.example/" {
		t.Errorf("%+v, %+v", e.Error, e.Meta.Tab)
	}
	var urls []string
	for _, record := range r.records(t) {
		var o journal.Outcome
		if record.Type == journal.TypeOutcome && json.Unmarshal(record.Data, &o) == nil {
			urls = append(urls, o.URL)
		}
	}
	if len(urls) != 2 || urls[1] != "https://other.example/" {
		t.Errorf("the log has %q", urls)
	}
}

func TestApprovalOfAnotherDocument(t *testing.T) {
	// Ensure that an approval for once is not good for the same call once the tab shows another document, of the same origin too.
	r, reached := asking(t)
	r.answer(t, "pointer.click", `{"x":1,"y":2}`, true)
	at, _ := r.Tabs.Get(1)
	next := at
	next.RuntimeID = "r2"
	r.Tabs.Update(next)
	wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":2}`), fault.NeedsApproval)
	r.Tabs.Update(at)
	r.call(t, "pointer.click", `{"x":1,"y":2}`)
	if got := reached(); len(got) != 1 {
		t.Errorf("reached the page: %v", got)
	}
}

func TestQuestionShowsHiddenCharactersOfTheCaller(t *testing.T) {
	// Ensure that a session's name in a question cannot turn the words around it, or begin a line.
	r, _ := asking(t)
	r.session.SetName("Claude\u202e\nCode")
	wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":2}`), fault.NeedsApproval)
	if waiting := r.Approvals.List(); len(waiting) != 1 || waiting[0].Caller != `Claude\u202e\u000aCode` {
		t.Errorf("the user sees %+v", waiting)
	}
}
