package webfetch

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/test/callpath"
)

// rig is the real call path with the tools on it, and a server that counts what reaches it.
type rig struct {
	*dispatch.Dispatcher
	tools   *Tools
	session *dispatch.Session
	server  *httptest.Server
	serve   http.HandlerFunc
	reached atomic.Int32
}

func newRig(t *testing.T) *rig {
	t.Helper()
	parts := callpath.New(t, "p")
	r := &rig{
		session: &dispatch.Session{ID: "cli", SessionKind: policy.SessionCLI, Mode: policy.ModeAct},
		tools:   &Tools{Client: Client{Private: loopback.Private}},
		serve:   func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "answered") },
	}
	r.Dispatcher = &dispatch.Dispatcher{
		Catalogue: parts.Catalogue, Tabs: parts.Tabs, Policy: parts.Policy, Approvals: parts.Approvals, Journal: parts.Journal,
		Handlers: &primitive.Registry{Named: r.tools.Handlers()}, Blocked: func(string) []string { return nil },
	}
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.reached.Add(1)
		r.serve(w, request)
	}))
	t.Cleanup(r.server.Close)
	return r
}

func (r *rig) call(t *testing.T, name string, args map[string]any) dispatch.Envelope {
	t.Helper()
	args["policy_exception_report"] = policy.Report{Kind: policy.KindGeneric, IntendedTool: name, ActionsJSONPath: "none", Reason: "a test"}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	checked, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Call(t.Context(), r.session, dispatch.Call{Name: name, Arguments: checked})
}

func (r *rig) fetch(t *testing.T, more map[string]any) dispatch.Envelope {
	t.Helper()
	args := map[string]any{"url": r.server.URL}
	for key, value := range more {
		args[key] = value
	}
	return r.call(t, fetchName, args)
}

func (r *rig) send(t *testing.T, body string) dispatch.Envelope {
	t.Helper()
	return r.call(t, sendName, map[string]any{"url": r.server.URL, "method": "POST", "body": body})
}

// asked checks that the call waits for the user, and gives the answer.
func (r *rig) asked(t *testing.T, e dispatch.Envelope, allow bool, scope policy.Scope) {
	t.Helper()
	wantCode(t, e, fault.NeedsApproval)
	waiting := r.Approvals.List()
	if len(waiting) != 1 || waiting[0].Origin != r.server.URL {
		t.Fatalf("asked %+v", waiting)
	}
	if err := r.Answer(t.Context(), policy.Answer{ID: waiting[0].ID, Allow: allow, Scope: scope, Face: policy.FacePopup}); err != nil {
		t.Fatal(err)
	}
}

// reaches checks how many requests have reached the server since it was asked last.
func (r *rig) reaches(t *testing.T, want int32) {
	t.Helper()
	if got := r.reached.Swap(0); got != want {
		t.Errorf("%d requests reached the server, want %d", got, want)
	}
}

func wantCode(t *testing.T, e dispatch.Envelope, code fault.Code) *fault.Error {
	t.Helper()
	if e.OK || e.Error.Code != code {
		t.Fatalf("want %s, got %s %v", code, e.Output, e.Error)
	}
	return e.Error
}

func good(t *testing.T, e dispatch.Envelope) (out output) {
	t.Helper()
	if !e.OK {
		t.Fatal(e.Error)
	}
	if err := json.Unmarshal(e.Output, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestFetchAsksOnceForAnOrigin(t *testing.T) {
	// Ensure that a session which only looks may read an address, that the user is asked before the first request of an origin and not again while the grant lasts, and that a refusal holds.
	r := newRig(t)
	r.session.Mode = policy.ModeAsk
	e := r.fetch(t, nil)
	r.reaches(t, 0)
	r.asked(t, e, true, policy.ScopeSession)
	for _, path := range []string{"/a", "/b"} {
		if out := good(t, r.fetch(t, map[string]any{"url": r.server.URL + path})); out.Text != "answered" || out.URL != r.server.URL+path {
			t.Errorf("%+v", out)
		}
	}
	r.reaches(t, 2)
	r.session.Origins = []string{"https://example.com"}
	if f := wantCode(t, r.fetch(t, nil), fault.PermissionDenied); f.Evidence["rule"] != "origins" {
		t.Errorf("%+v", f)
	}
	r.session = &dispatch.Session{ID: "mcp:b", SessionKind: policy.SessionMCP, Mode: policy.ModeAct}
	r.asked(t, r.fetch(t, nil), false, policy.ScopeSession)
	wantCode(t, r.fetch(t, nil), fault.PermissionDenied)
	r.reaches(t, 0)
}

func TestSendAsksEachTime(t *testing.T) {
	// Ensure that a request that writes is refused where the session only looks, that each one is asked about, that an answer is for the request that was shown alone, and that the session can let an origin's grant cover it and take that back.
	r := newRig(t)
	r.session.Mode = policy.ModeAsk
	if f := wantCode(t, r.send(t, "1"), fault.PermissionDenied); f.Evidence["rule"] != "mode" || f.Dispatched != fault.NotDispatched {
		t.Errorf("%+v", f)
	}
	r.session.Mode = policy.ModeAct
	r.asked(t, r.fetch(t, nil), true, policy.ScopeAlways)
	r.asked(t, r.send(t, "1"), true, policy.ScopeAlways)
	wantCode(t, r.send(t, "2"), fault.NeedsApproval)
	r.reaches(t, 0)
	good(t, r.send(t, "1"))
	wantCode(t, r.send(t, "1"), fault.NeedsApproval)
	r.reaches(t, 1)
	r.session.AllowAPI(true)
	good(t, r.send(t, "3"))
	r.reaches(t, 1)
	r.session.AllowAPI(false)
	wantCode(t, r.send(t, "3"), fault.NeedsApproval)
	r.reaches(t, 0)
}

func TestAllowAPIStillAsksForANewOrigin(t *testing.T) {
	// Ensure that where grants cover writes a new origin is asked about once, and that a refusal to write there outweighs a grant to read.
	r := newRig(t)
	r.session.AllowAPI(true)
	r.asked(t, r.send(t, "1"), true, policy.ScopeSession)
	good(t, r.send(t, "1"))
	good(t, r.send(t, "2"))
	r.reaches(t, 2)
	grants := func(effect policy.Effect, deny bool) {
		t.Helper()
		if err := r.Policy.Grant(policy.Grant{Origin: r.server.URL, Effect: effect, Scope: policy.ScopeAlways, Deny: deny}); err != nil {
			t.Fatal(err)
		}
	}
	grants(policy.EffectRead, false)
	grants(policy.EffectInput, true)
	wantCode(t, r.send(t, "3"), fault.PermissionDenied)
	r.reaches(t, 0)
}

func TestPrivateAddressAsksNobody(t *testing.T) {
	// Ensure that nobody is asked about a private address, however it is written or reached, and that nothing arrives there.
	r := newRig(t)
	closed := Client{}
	far := "http://rebinding.test" + r.server.URL[strings.LastIndex(r.server.URL, ":"):]
	r.tools.Client = closed
	for _, url := range []string{r.server.URL, "http://127.1/", "http://169.254.169.254/", "http://[::1]/", "http://localhost/"} {
		for name, more := range map[string]map[string]any{fetchName: {}, sendName: {"method": "POST"}} {
			more["url"] = url
			if f := wantCode(t, r.call(t, name, more), fault.PrivateAddress); f.Dispatched != fault.NotDispatched {
				t.Errorf("%s: %+v", url, f)
			}
		}
	}
	if waiting := r.Approvals.List(); len(waiting) != 0 {
		t.Fatalf("asked %+v", waiting)
	}
	r.tools.Client.resolver = &turning{public: 2} // when the user is asked, and when the call comes again
	e := r.fetch(t, map[string]any{"url": far})
	wantCode(t, e, fault.NeedsApproval)
	if err := r.Answer(t.Context(), policy.Answer{ID: r.Approvals.List()[0].ID, Allow: true, Scope: policy.ScopeSession, Face: policy.FacePopup}); err != nil {
		t.Fatal(err)
	}
	wantCode(t, r.fetch(t, map[string]any{"url": far}), fault.PrivateAddress)
	r.reaches(t, 0)
	r.tools.Client = Client{Private: loopback.Private}
	r.serve = func(w http.ResponseWriter, request *http.Request) {
		http.Redirect(w, request, "http://10.0.0.1/", http.StatusFound)
	}
	r.asked(t, r.fetch(t, nil), true, policy.ScopeSession)
	if f := wantCode(t, r.fetch(t, nil), fault.PrivateAddress); f.Evidence["status"] != 302 {
		t.Errorf("%+v", f)
	}
}

func TestReadingOnSendsNothing(t *testing.T) {
	// Ensure that the next page comes from the answer that was read, also where the grant was for one call, and that another session gets none of it.
	r := newRig(t)
	r.serve = func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("tea ", 2000)+"Sugar")
	}
	r.asked(t, r.fetch(t, nil), true, policy.ScopeOnce)
	first := good(t, r.fetch(t, nil))
	if len(first.Text) != 7000 || first.TotalChars != 8005 || first.Next == nil || first.Next.Name != fetchName {
		t.Fatalf("%d of %d, next %+v", len(first.Text), first.TotalChars, first.Next)
	}
	next := map[string]any{"url": first.Next.Arguments.URL, "offset": first.Next.Arguments.Offset}
	rest := good(t, r.call(t, fetchName, next))
	if first.Text+rest.Text != strings.Repeat("tea ", 2000)+"Sugar" || rest.Next != nil {
		t.Errorf("%d characters, next %v", len(first.Text+rest.Text), rest.Next)
	}
	r.reaches(t, 1)
	r.session = &dispatch.Session{ID: "mcp:b", SessionKind: policy.SessionMCP, Mode: policy.ModeAct}
	wantCode(t, r.call(t, fetchName, next), fault.NeedsApproval)
	r.reaches(t, 0)
}

func TestIntentIsOnDiskFirst(t *testing.T) {
	// Ensure that the intent of a request that writes is on disk when the server sees it, and that the log tells of what was sent and answered its size and status, and no text, body or key.
	r := newRig(t)
	const secret = "s3cr3t-words"
	var open []journal.Record
	r.serve = func(w http.ResponseWriter, _ *http.Request) {
		open, _ = r.Journal.OpenIntents()
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, secret+" answered")
	}
	calls := map[string]map[string]any{
		sendName:  {"method": "PUT", "body": secret + " sent", "headers": map[string]string{"Authorization": "Bearer " + secret, "X-Auth-Key": secret}},
		fetchName: {"find": "answered", "headers": map[string]string{"X-Auth-Key": secret}},
	}
	for name, args := range calls {
		args["url"] = r.server.URL + "/x?api_key=" + secret
		r.asked(t, r.call(t, name, args), true, policy.ScopeOnce)
		good(t, r.call(t, name, args))
		if (name == sendName) != (len(open) == 1) {
			t.Errorf("%s: %d open intents when it arrived", name, len(open))
		}
	}
	if err := r.Journal.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := r.Journal.Read(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	outcomes := 0
	for _, record := range all {
		if strings.Contains(string(record.Data), secret) {
			t.Errorf("%s of %s: %s", record.Type, record.Name, record.Data)
		}
		if record.Type == journal.TypeOutcome && strings.Contains(string(record.Data), `"status":202`) && strings.Contains(string(record.Data), `"total_chars":21`) {
			outcomes++
		}
	}
	if outcomes != 2 {
		t.Errorf("%d outcomes tell the status and the size", outcomes)
	}
}

func TestSummaryHasTheAddress(t *testing.T) {
	// Ensure that what a question shows of a request has its method and address whatever the rest is, as JSON that is not cut.
	address := "https://api.example/v1/accounts/4711/delete?confirm=yes&and=more"
	many := map[string]string{}
	for i := range 60 {
		many[fmt.Sprintf("X-Header-%02d", i)] = "1"
	}
	for name, r := range map[string]Request{
		"long name":          {Headers: map[string]string{"X-" + strings.Repeat("a", 450): "1"}},
		"many names":         {Headers: many},
		"control characters": {Body: strings.Repeat("\x01", 160)},
		"quotes and markup":  {Body: strings.Repeat(`<"&`, 2000), Headers: many},
		"secrets":            {Body: strings.Repeat("otp=1&", 60)},
		"not UTF-8":          {Body: strings.Repeat("\xff", 300)},
	} {
		r.Method, r.URL = "DELETE", address
		raw, err := json.Marshal(summarize(r))
		if err != nil {
			t.Fatal(err)
		}
		shown := redact.JSON(raw)
		var got summary
		if err := json.Unmarshal(shown, &got); err != nil || len(shown) > 500 || got.Method != "DELETE" || got.URL != address {
			t.Errorf("%s: %d bytes, %v: %s", name, len(shown), err, shown)
		}
	}
	raw, err := json.Marshal(summarize(Request{Method: "DELETE", URL: "https://api.example/?" + strings.Repeat("&", 300), Body: strings.Repeat("\x01", 160), Headers: many}))
	if err != nil || len(raw) > 500 || !strings.Contains(string(raw), "https://api.example/") {
		t.Errorf("a long address: %d bytes, %v: %s", len(raw), err, raw)
	}
}
