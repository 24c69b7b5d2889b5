package obedient

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/harness"
)

// shellTries is how often the agent with a shell tries to answer itself.
const shellTries = 200

// shell is an agent that has the user's terminal beside its tools.
type shell struct {
	*testing.T
	home    *harness.Home
	socket  *control.Client
	tab     int
	session control.SessionParams
	seen    strings.Builder // all that it has read
}

func TestShellAnswersNothing(t *testing.T) {
	// Ensure that an agent with a shell and a raw connection answers none of its own questions in 200 tries: by the command, by the socket in every form, by guesses, and in the place of a client's form; and that nothing which it can read holds a code.
	var pressed atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/did" {
			pressed.Add(1)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>t</title><button onclick="fetch('/did')">Go on</button>`)
	}))
	defer server.Close()
	harness.TakeTurn(t)
	p := newProfile(t, `{"ask_effects":["input"]}`, strings.Replace(server.URL, "127.0.0.1", "localhost", 1))
	clients, err := control.Await(t.Context(), p.Sockets())
	if err != nil || len(clients) != 1 {
		t.Fatalf("%d hosts, %v", len(clients), err)
	}
	defer clients[0].Close()
	s := &shell{T: t, home: p.Home, socket: clients[0], tab: p.browser.Tabs[0].TabID}
	var codes []string
	for i := range shellTries {
		s.session = control.SessionParams{Kind: policy.SessionMCP, ID: fmt.Sprint("shell-", i/5), Form: i%2 == 0, NoLoopGuard: true}
		id := s.press(i)
		if id == "" {
			continue // three wrong codes have refused it for a while
		}
		if i%10 == 0 {
			codes = append(codes, p.Code(t, id)) // as the person sees it
		}
		s.try(i, id)
	}
	var rules control.Approvals
	if err := s.socket.Call(t.Context(), control.MethodApprovals, control.Empty{}, &rules); err != nil {
		t.Fatal(err)
	}
	for _, g := range rules.Grants {
		if !g.Deny {
			t.Errorf("it has granted itself %+v", g)
		}
	}
	if pressed.Load() != 0 || len(codes) < shellTries/20 {
		t.Errorf("it pressed %d times; %d codes were shown", pressed.Load(), len(codes))
	}
	s.run("log", "dump", "--json")
	for _, code := range codes {
		if strings.Contains(strings.ToLower(s.seen.String()), `"`+code+`"`) || strings.Contains(s.seen.String(), " "+code) {
			t.Errorf("it has read the code %s", code)
		}
	}

	// What a person answers in the popup runs: for a terminal too many codes were wrong just now.
	s.session = control.SessionParams{Kind: policy.SessionCLI, ID: "person"}
	id := s.press(shellTries)
	if r := p.Run(t, "approvals", "allow", id, "--code", p.Code(t, id)); r.Exit == 0 {
		t.Error("the guesses had no end")
	}
	harness.Eval[bool](t, p.own, fmt.Sprintf(`new Promise((done) => {
		const port = chrome.runtime.connect({name: "agent"});
		port.onMessage.addListener((m) => {
			if (m.kind === "view") port.postMessage({kind: "request", id: 1, method: "agent_approve", params: {id: %q, verdict: "allow", scope: "once"}});
			if (m.kind === "answer") done(!m.error);
		});
		port.postMessage({kind: "hello"});
	})`, id))
	if s.press(shellTries) != "" {
		t.Error("it is asked again")
	}
	if log := p.Run(t, "log", "dump", "--json").Stdout; !strings.Contains(log, `"face":"popup"`) {
		t.Error("the log does not say where it was answered")
	}
	harness.Until(t, "the press arrives", func() bool { return pressed.Load() == 1 })
}

// press has the button pressed, and returns the question that this raises.
func (s *shell) press(i int) string {
	s.Helper()
	args, err := json.Marshal(map[string]any{"locator": map[string]any{"selector": "button"}, "timeout_ms": 5000 + i, "policy_exception_report": reportFor("locator.click")})
	if err != nil {
		s.Fatal(err)
	}
	var raw json.RawMessage
	params := control.CallParams{Session: s.session, Name: "locator.click", Arguments: args, Target: control.TargetParams{TabID: s.tab}}
	if err := s.socket.Call(s.Context(), control.MethodCall, params, &raw); err != nil {
		s.Fatal(err)
	}
	var e dispatch.Envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		s.Fatal(err)
	}
	s.seen.Write(raw)
	if e.OK {
		return ""
	}
	if e.Error.Code == fault.NeedsApproval && (!strings.Contains(e.Error.NextStep, "popup") || strings.Contains(e.Error.NextStep, "approvals")) {
		s.Errorf("it is told to %q", e.Error.NextStep)
	}
	id, _ := e.Error.Evidence["id"].(string)
	return id
}

// try tries one of its ways to answer the question.
func (s *shell) try(i int, id string) {
	s.Helper()
	guess := fmt.Sprintf("%05d", i)
	switch i % 8 {
	case 0:
		s.refused(id, s.run("approvals", "allow", id))
		s.run("approvals", "list", "--json")
	case 1:
		for _, code := range []string{guess, id, "22222"} {
			s.refused(id, s.run("approvals", "allow", id, "--code", code, "--scope", "always"))
		}
	case 2:
		s.call(control.MethodAnswer, control.Answer{ID: id, Allow: true, Scope: policy.ScopeAlways})
	case 3:
		s.call(control.MethodAnswer, control.Answer{ID: id, Allow: true, Code: guess})
	case 4:
		s.call(control.MethodFormAnswer, control.FormAnswer{Session: s.session, ID: id, Answer: "session"})
	case 5:
		s.call(control.MethodAnswer, map[string]any{"id": id, "allow": true, "face": "popup", "verdict": "allow", "scope": "once"})
	case 6:
		for _, method := range []string{"agent_approve", "agent_view", "agent_changed", "ui_view", "question_pages", "ui_settings", "settings_set"} {
			s.call(method, map[string]any{"id": id, "verdict": "allow", "scope": "always", "face": "popup", "changes": map[string]any{"ask_effects": []string{}}})
		}
	case 7:
		s.call("debugger_command", map[string]any{"tab_id": s.tab, "method": "Target.getTargets"})
		s.call(control.MethodAnswer, []any{id, true})
	}
}

func (s *shell) call(method string, params any) {
	s.Helper()
	var answer json.RawMessage
	err := s.socket.Call(s.Context(), method, params, &answer)
	if err == nil {
		s.Errorf("%s %v is done: %s", method, params, answer)
	}
	fmt.Fprintln(&s.seen, string(answer), err)
}

func (s *shell) run(args ...string) harness.Result {
	s.Helper()
	r := s.home.Run(s.T, args...)
	fmt.Fprintln(&s.seen, r.Stdout, r.Stderr)
	return r
}

func (s *shell) refused(id string, r harness.Result) {
	s.Helper()
	if r.Exit == 0 {
		s.Errorf("the question %s is answered: %+v", id, r)
	}
}
