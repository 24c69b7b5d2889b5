package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/session"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/pkg/task"
	"github.com/actionsjson/actions-host/pkg/transfer"
	"github.com/actionsjson/actions-host/test/callpath"
)

// rig is a real call path on a real database; its page takes every text.
type rig struct {
	*session.Sessions

	mu      sync.Mutex
	typed   []string
	typedAt []time.Time
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{}
	parts := callpath.New(t, "p", tabs.Tab{TabID: 1, URL: "https://site1.test/"}, tabs.Tab{TabID: 2, URL: "https://site2.test/"})
	handlers := &primitive.Registry{Named: map[string]primitive.Handler{}, Page: r.page}
	path := &dispatch.Dispatcher{
		Catalogue: parts.Catalogue, Handlers: handlers, Tabs: parts.Tabs, Policy: parts.Policy, Approvals: parts.Approvals, Journal: parts.Journal,
		Blocked: func(string) []string { return nil },
	}
	tasks, err := task.Open(parts.Journal.Bolt(), nil)
	if err != nil {
		t.Fatal(err)
	}
	buffer, err := transfer.Open(parts.Journal.Bolt(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Sessions = &session.Sessions{Path: path, Tasks: tasks, Buffer: buffer}
	for name, handler := range r.Handlers() {
		handlers.Named[name] = handler
	}
	return r
}

func (r *rig) page(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	if c.Record.Name != "text.insert" {
		return json.RawMessage(`{"url":"https://site1.test/","title":"t"}`), nil
	}
	var args struct{ Text string }
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.typed, r.typedAt = append(r.typed, args.Text), append(r.typedAt, time.Now())
	return json.RawMessage(`{"inserted":true,"inserted_length":1,"input_method":"native-setter","verified":true,"selected_text_length":0,
		"selection_sync":true,"tag_name":"input","sensitive":false}`), nil
}

// in makes a direct call in a session and a tab.
func (r *rig) in(t *testing.T, caller session.Caller, tab int, name, args string) dispatch.Envelope {
	t.Helper()
	s, err := r.Open(caller)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal([]byte(args), &members); err != nil {
		t.Fatal(err)
	}
	members["policy_exception_report"] = policy.Report{Kind: policy.KindGeneric, IntendedTool: name, ActionsJSONPath: "none", Reason: "a test"}
	raw, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	checked, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Path.Call(t.Context(), s, dispatch.Call{Name: name, Arguments: checked, Target: tabs.Target{TabID: tab}})
}

func ok(t *testing.T, e dispatch.Envelope) map[string]any {
	t.Helper()
	if !e.OK {
		t.Fatalf("%s: %+v", e.Name, e.Error)
	}
	var out map[string]any
	if err := json.Unmarshal(e.Output, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func wantCode(t *testing.T, e dispatch.Envelope, code fault.Code) {
	t.Helper()
	if e.OK || e.Error.Code != code {
		t.Fatalf("%s: want %s, got %+v %s", e.Name, code, e.Error, e.Output)
	}
}

var (
	one   = session.Caller{Kind: policy.SessionMCP, ID: "one"}
	other = session.Caller{Kind: policy.SessionMCP, ID: "other"}
)

func TestSessionsAreApart(t *testing.T) {
	// Ensure that queues belong to session and tab, and values to the session in all of its tabs, whatever its rights.
	r := newRig(t)
	ok(t, r.in(t, one, 1, "task.add", `{"text":"x"}`))
	ok(t, r.in(t, one, 1, "transfer.write", `{"label":"v","format":"text/plain","value":"from one"}`))
	for _, c := range []struct {
		caller session.Caller
		tab    int
		total  float64
	}{{one, 1, 1}, {one, 2, 0}, {other, 1, 0}} {
		if out := ok(t, r.in(t, c.caller, c.tab, "task.list", `{}`)); out["total"] != c.total {
			t.Errorf("%+v in tab %d has %v tasks", c.caller, c.tab, out["total"])
		}
	}
	asking := one
	asking.Mode = policy.ModeAsk
	if out := ok(t, r.in(t, asking, 2, "transfer.read", `{"label":"v","include_value":true}`)); out["value"] != "from one" {
		t.Errorf("in the other tab: %v", out)
	}
	wantCode(t, r.in(t, other, 1, "transfer.read", `{"label":"v"}`), fault.TransferLabelNotFound)
	wantCode(t, r.in(t, other, 1, "transfer.insert", `{"label":"v"}`), fault.TransferLabelNotFound)
	wantCode(t, r.in(t, one, 3, "transfer.read", `{"label":"v"}`), fault.TabNotClaimed)
}

func TestEnd(t *testing.T) {
	// Ensure that the end of a session takes its queues, values, grants, name and current tab, and nothing of another one.
	r := newRig(t)
	for _, c := range []session.Caller{one, other} {
		ok(t, r.in(t, c, 1, "task.add", `{"text":"x"}`))
		ok(t, r.in(t, c, 1, "transfer.write", `{"label":"v","format":"text/plain","value":"x"}`))
		ok(t, r.in(t, c, 1, "runtime.session.name", `{"name":"n"}`))
		if err := r.Path.Policy.Grant(policy.Grant{Origin: "https://site1.test", Effect: policy.EffectInput, Scope: policy.ScopeSession, SessionID: "mcp:" + c.ID}); err != nil {
			t.Fatal(err)
		}
	}
	if named := r.Named(); len(named) != 2 {
		t.Errorf("named %v", named)
	}
	r.Observe(session.Observer{})
	if err := r.End(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	if named := r.Named(); len(named) != 1 || named[0].ID != "mcp:other" {
		t.Errorf("named %v", named)
	}
	if grants := r.Path.Policy.Grants(); len(grants) != 1 || grants[0].SessionID != "mcp:other" {
		t.Errorf("grants %v", grants)
	}
	for c, total := range map[session.Caller]float64{one: 0, other: 1} {
		if out := ok(t, r.in(t, c, 1, "task.list", `{}`)); out["total"] != total {
			t.Errorf("%s has %v tasks", c.ID, out["total"])
		}
	}
	wantCode(t, r.in(t, one, 1, "transfer.read", `{"label":"v"}`), fault.TransferLabelNotFound)
	ok(t, r.in(t, other, 1, "transfer.read", `{"label":"v"}`))
	out := ok(t, r.in(t, other, 1, "runtime.session.log", `{"session_id":"mcp:one","limit":3}`))
	if text := fmt.Sprint(out["events"]); !strings.Contains(text, journal.TypeSessionEnded) {
		t.Errorf("the log of the ended session: %s", text)
	}
}

func TestInsertIsPacedOnce(t *testing.T) {
	// Ensure that an insert waits for the session's pace once, though it hands its text to another paced primitive.
	r := newRig(t)
	ok(t, r.in(t, one, 1, "transfer.write", `{"label":"v","format":"text/plain","value":"x"}`))
	ok(t, r.in(t, one, 1, "runtime.configure_pacing", `{"min_interval_ms":200}`))
	ok(t, r.in(t, one, 1, "transfer.insert", `{"label":"v"}`))
	e := r.in(t, one, 1, "transfer.insert", `{"label":"v"}`)
	ok(t, e)
	if len(r.typed) != 2 {
		t.Fatalf("typed %q", r.typed)
	}
	if apart := r.typedAt[1].Sub(r.typedAt[0]); apart < 200*time.Millisecond || e.Meta.RateLimitWaitMS > 200 {
		t.Errorf("%v apart, waited %v ms", apart, e.Meta.RateLimitWaitMS)
	}
}

func TestPayloadsStayOutOfTheLog(t *testing.T) {
	// Ensure that a value is nowhere in the database file but in the buffer itself, on every way that it takes, unless its writer allowed it.
	r := newRig(t)
	const hidden, shown = "korallenriff", "zimtschnecke"
	value := func(label, word, redaction string) string {
		return fmt.Sprintf(`{"label":%q,"format":"application/json","value":["%s"]%s}`, label, word, redaction)
	}
	ok(t, r.in(t, one, 1, "transfer.write", value("h", hidden, "")))
	ok(t, r.in(t, one, 1, "transfer.write", value("h", hidden, `,"mode":"append"`)))
	ok(t, r.in(t, one, 1, "transfer.write", value("s", shown, `,"redaction":{"log_payload":true}`)))
	wantCode(t, r.in(t, one, 1, "transfer.write", value("h", hidden, `,"ttl_seconds":-1`)), fault.InvalidInput)
	wantCode(t, r.in(t, one, 1, "transfer.write", value(" ", hidden, "")), fault.TransferLabelRequired)
	wantCode(t, r.in(t, session.Caller{Kind: policy.SessionMCP, ID: "one", Mode: policy.ModeAsk}, 1, "transfer.write", value("h", hidden, "")), fault.PermissionDenied)
	for _, label := range []string{"h", "s"} {
		ok(t, r.in(t, one, 1, "transfer.read", fmt.Sprintf(`{"label":%q,"include_value":true}`, label)))
		ok(t, r.in(t, one, 1, "transfer.insert", fmt.Sprintf(`{"label":%q,"item_selector":{"index":0}}`, label)))
	}
	if err := r.Path.Journal.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(r.typed) != fmt.Sprint([]string{hidden, shown}) {
		t.Fatalf("the page got %q", r.typed)
	}
	found := map[string]int{}
	err := r.Path.Journal.Bolt().View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			return grep(b, func(text string) {
				for _, word := range []string{hidden, shown} {
					if strings.Contains(text, word) {
						found[word+" in "+string(name)]++
					}
				}
			})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if found[hidden+" in transfer"] == 0 || found[shown+" in journal_records"] < 3 {
		t.Errorf("the search finds too little: %v", found)
	}
	delete(found, hidden+" in transfer")
	for where := range found {
		if strings.HasPrefix(where, hidden) {
			t.Errorf("%s", where)
		}
	}
}

// grep shows everything in a bucket and in those within it.
func grep(b *bbolt.Bucket, show func(string)) error {
	return b.ForEach(func(key, value []byte) error {
		if value == nil {
			return grep(b.Bucket(key), show)
		}
		show(string(key) + " " + string(value))
		return nil
	})
}

func TestPaceIsSafe(t *testing.T) {
	// Ensure that the pace may change while calls wait for it.
	r := newRig(t)
	s, err := r.Open(one)
	if err != nil {
		t.Fatal(err)
	}
	ok(t, r.in(t, one, 1, "transfer.write", `{"label":"v","format":"text/plain","value":"x"}`))
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 5 {
				s.Pace(time.Duration(i) * time.Millisecond)
				ok(t, r.in(t, one, 1+i%2, "transfer.insert", `{"label":"v"}`))
			}
		})
	}
	all.Wait()
	if len(r.typed) != 20 {
		t.Errorf("%d inserts", len(r.typed))
	}
}

func TestRestrictedSessionReadsItsOwnLog(t *testing.T) {
	// Ensure that a session that was started for some origins, or may only look, reads its own log and not that of another session, which tells of other pages, and that the user's choice that none acts holds for all.
	r := newRig(t)
	ok(t, r.in(t, other, 2, "task.add", `{"text":"x"}`))
	asking := session.Caller{Kind: policy.SessionMCP, ID: "asking", Mode: policy.ModeAsk}
	wantCode(t, r.in(t, asking, 1, "runtime.session.log", `{"session_id":"mcp:other"}`), fault.PermissionDenied)
	if out := ok(t, r.in(t, asking, 1, "runtime.session.log", `{}`)); out["session_id"] != "mcp:asking" {
		t.Errorf("its own log is that of %v", out["session_id"])
	}
	ok(t, r.in(t, one, 1, "runtime.session.log", `{"session_id":"mcp:other"}`))
	choice := policy.ModeAsk
	r.Path.Choices = func() dispatch.Choices { return dispatch.Choices{Mode: choice} }
	wantCode(t, r.in(t, one, 1, "runtime.session.log", `{"session_id":"mcp:other"}`), fault.PermissionDenied)
	choice = policy.ModeAct
	limited := session.Caller{Kind: policy.SessionMCP, ID: "limited", Origins: "https://site1.test"}
	wantCode(t, r.in(t, limited, 1, "runtime.session.log", `{"session_id":"mcp:other"}`), fault.PermissionDenied)
	for _, args := range []string{`{}`, `{"session_id":"mcp:limited"}`} {
		if out := ok(t, r.in(t, limited, 1, "runtime.session.log", args)); out["session_id"] != "mcp:limited" {
			t.Errorf("%s gave the log of %v", args, out["session_id"])
		}
	}
	r.Path.Handlers.Page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		r.Path.Tabs.Update(tabs.Tab{TabID: 1, URL: "https://elsewhere.test/?id=7"})
		return r.page(t.Context(), c)
	}
	ok(t, r.in(t, limited, 1, "page.info", `{}`))
	out := ok(t, r.in(t, limited, 0, "runtime.session.log", `{}`))
	if text, err := json.Marshal(out); err != nil || strings.Contains(string(text), "elsewhere") || !strings.Contains(string(text), "page.info") {
		t.Errorf("where its tab went stands in its log: %s, %v", text, err)
	}
}

func TestLogOfAReasonThatIsDropped(t *testing.T) {
	// Ensure that a call whose report gives a data URL as the reason, of which the log holds the measure, is summarized as any other.
	r := newRig(t)
	s, err := r.Open(one)
	if err != nil {
		t.Fatal(err)
	}
	arguments, err := strictjson.Parse([]byte(`{"text":"x","policy_exception_report":{"kind":"generic","intended_tool":"task.add","actions_json_path":"none","reason":"data:,needed"}}`), strictjson.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	ok(t, r.Path.Call(t.Context(), s, dispatch.Call{Name: "task.add", Arguments: arguments, Target: tabs.Target{TabID: 1}}))
	out := ok(t, r.in(t, one, 1, "runtime.session.log", `{"limit":2}`))
	if text := fmt.Sprint(out["events"]); !strings.Contains(text, "ok:true") || !strings.Contains(text, "tab_id:1") {
		t.Errorf("the log has %s", text)
	}
}

func TestManyEndTogether(t *testing.T) {
	// Ensure that the end of many sessions takes as many transactions as that of one, none where a store holds nothing of them, and that each end is logged although the log would not take so many one by one.
	r := newRig(t)
	transaction := func() (id int) {
		t.Helper()
		if err := r.Path.Journal.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := r.Path.Journal.Bolt().View(func(tx *bbolt.Tx) error { id = tx.ID(); return nil }); err != nil {
			t.Fatal(err)
		}
		return id
	}
	many := make([]session.Caller, journal.MaxQueued+1)
	for i := range many {
		many[i] = session.Caller{Kind: policy.SessionMCP, ID: fmt.Sprint("s", i)}
	}
	before := transaction()
	if err := r.End(t.Context(), many...); err != nil {
		t.Fatal(err)
	}
	if n := transaction() - before; n != 1 { // the log's
		t.Errorf("%d transactions for sessions that kept nothing", n)
	}
	for _, c := range many[:50] {
		ok(t, r.in(t, c, 1, "task.add", `{"text":"x"}`))
		ok(t, r.in(t, c, 1, "transfer.write", `{"label":"v","format":"text/plain","value":"x"}`))
	}
	before = transaction()
	if err := r.End(t.Context(), many...); err != nil {
		t.Fatal(err)
	}
	if n := transaction() - before; n != 3 {
		t.Errorf("%d transactions for sessions that kept tasks and values", n)
	}
	for _, c := range []session.Caller{many[0], many[49]} {
		if out := ok(t, r.in(t, c, 1, "task.list", `{}`)); out["total"] != 0.0 {
			t.Errorf("%s has %v tasks", c.ID, out["total"])
		}
		wantCode(t, r.in(t, c, 1, "transfer.read", `{"label":"v"}`), fault.TransferLabelNotFound)
	}
	last := session.LogID(many[len(many)-1])
	if records, _, err := r.Path.Journal.Newest(t.Context(), last, 10); err != nil || len(records) != 2 || records[1].Type != journal.TypeSessionEnded {
		t.Errorf("the log of %s: %+v, %v", last, records, err)
	}
}
