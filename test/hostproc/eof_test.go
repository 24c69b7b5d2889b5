package hostproc

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// hangUp closes the browser's end and waits for the host's end, whose status says that
// it came within the host's own limit.
func hangUp(t *testing.T, p *harness.Process) {
	t.Helper()
	p.Stdin.Close()
	p.Ended(t)
	if status := p.Cmd.ProcessState.ExitCode(); status != 0 {
		t.Errorf("exit status %d", status)
	}
}

func TestEndOfFileDuringACall(t *testing.T) {
	// Ensure that the host ends at once with the browser although a call is under way, that the caller gets an envelope which says what is known, and that no intent stays open.
	t.Parallel()
	for name, c := range map[string]struct {
		blocks     string // the primitive that the page never answers
		args       []string
		codes      []fault.Code
		dispatched fault.Dispatched
	}{
		"an acting call":      {"pointer.click", []string{"call", "pointer.click", `{"x":1,"y":1}`}, []fault.Code{fault.OutcomeUnknown}, fault.DispatchedUnknown},
		"a reading call":      {"page.info", []string{"call", "page.info"}, []fault.Code{fault.TransportFailed}, fault.DispatchedUnknown},
		"a step that acts":    {"pointer.click", []string{"site", "call", "flow.click"}, []fault.Code{fault.OutcomeUnknown}, fault.DispatchedUnknown},
		"a step that reads":   {"page.info", []string{"site", "call", "flow.read"}, []fault.Code{fault.WorkflowStepFailed, fault.Cancelled}, fault.DispatchedUnknown},
		"a handler that acts": {"pointer.click", []string{"site", "call", "handler.click"}, []fault.Code{fault.OutcomeUnknown}, fault.DispatchedUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := harness.NewHome(t)
			home.Map(t, "public", "shop.example.com", "s", `{"protocol":"actions.json","version":1,"tools":[`+
				tool("flow.click", workflow("", step("go", "pointer.click", `,"args":{"x":1,"y":1}`), step("then", "page.info", "")))+`,`+
				tool("flow.read", workflow("", step("look", "page.info", ""), step("go", "pointer.click", `,"args":{"x":1,"y":1}`)))+`,`+
				tool("handler.click", `"x_actions":{"handler":"pointer.click"},"binding":{"arguments":{"x":1,"y":1}}`)+`]}`)
			page, started, _ := blocking(c.blocks)
			b := &fakes.Browser{Page: page}
			p := home.Ready(t, b, shop)
			answer := terminal(t, home, append(c.args, "--json")...)
			wait(t, "the page gets the call", started)
			hangUp(t, p)
			e := envelopeOf(t, wait(t, "the caller gets an answer", answer))
			if e.Error == nil || !slices.Contains(c.codes, e.Error.Code) {
				t.Fatalf("want %v, got %+v", c.codes, e.Error)
			}
			f := wantCode(t, e, e.Error.Code)
			if !strings.Contains(f.Message, "connection ended") && !strings.Contains(f.Message, "ended the connection") {
				t.Errorf("the message does not name the cause: %+v", f)
			}
			if f.Dispatched != c.dispatched || e.CallID == "" {
				t.Errorf("%+v %+v", e, f)
			}
			if f.Retryable && c.blocks == "pointer.click" {
				t.Error("an acting call with an unknown outcome is called retryable")
			}
			if len(b.Calls()) != 1 {
				t.Errorf("the page saw %+v", b.Calls())
			}
			wantClosed(t, records(t, home))
			if dump := home.Run(t, "log", "dump", "--json"); dump.Exit != 0 || dump.Stdout == "" {
				t.Errorf("log dump from the file: %+v", dump)
			}
		})
	}
}

func TestEndOfFileDuringADelay(t *testing.T) {
	// Ensure that a workflow which waits in delay_ms ends with the browser, runs no further step and says which steps have acted.
	t.Parallel()
	home := harness.NewHome(t)
	home.Map(t, "public", "shop.example.com", "s", mapOf("flow.wait", workflow("",
		step("go", "pointer.click", `,"args":{"x":1,"y":1},"settle_after":{"delay_ms":100000}`), step("again", "pointer.click", `,"args":{"x":1,"y":1}`))))
	b := &fakes.Browser{Page: page}
	p := home.Ready(t, b, shop)
	answer := terminal(t, home, "site", "call", "flow.wait", "--json")
	c := dial(t, home)
	harness.Until(t, "the first click is done", func() bool {
		var part control.LogPage
		if err := c.Call(patient(t), control.MethodLog, control.LogParams{From: 1}, &part); err != nil {
			t.Fatal(err)
		}
		for _, r := range part.Records {
			if r.Type == journal.TypeOutcome && r.Name == "pointer.click" {
				return true
			}
		}
		return false
	})
	hangUp(t, p)
	f := envelopeOf(t, wait(t, "the caller gets an answer", answer)).Error
	if f == nil || f.Retryable || f.Dispatched != fault.WasDispatched || f.Evidence["acted_steps"] == nil {
		t.Errorf("the caller is told %+v", f)
	}
	if len(b.Calls()) != 1 {
		t.Errorf("the page saw %+v", b.Calls())
	}
	wantClosed(t, records(t, home))
}

func TestEndOfFileBeforeTheLane(t *testing.T) {
	// Ensure that calls which wait for their tab's lane end with the browser and say that they were not sent.
	t.Parallel()
	home := harness.NewHome(t)
	page, started, _ := blocking("pointer.click")
	b := &fakes.Browser{Page: page}
	p := home.Ready(t, b, shop)
	first := terminal(t, home, "call", "pointer.click", `{"x":1,"y":1}`, "--json")
	wait(t, "the page gets the call", started)
	c := dial(t, home)
	answers := make(chan error, 3)
	envelopes := make(chan string, 3)
	for range 3 {
		go func() {
			var e struct {
				OK    bool            `json:"ok"`
				Error json.RawMessage `json:"error"`
			}
			var raw json.RawMessage
			err := c.Call(patient(t), control.MethodCall, clickCall(), &raw)
			if err == nil {
				err = json.Unmarshal(raw, &e)
			}
			answers <- err
			envelopes <- string(e.Error)
		}()
	}
	// An answer on the same connection: the calls before it have arrived.
	var status control.Status
	if err := c.Call(patient(t), control.MethodStatus, control.Empty{}, &status); err != nil {
		t.Fatal(err)
	}
	hangUp(t, p)
	for range 3 {
		if err := wait(t, "the waiting call ends", answers); err != nil && !fault.Is(err, fault.TransportFailed) {
			t.Errorf("the waiting call ended with %v", err)
		}
		var f fault.Error
		if text := <-envelopes; text != "" && (json.Unmarshal([]byte(text), &f) != nil || f.Dispatched != fault.NotDispatched) {
			t.Errorf("the waiting call is told %s", text)
		}
	}
	wantCode(t, envelopeOf(t, wait(t, "the first call ends", first)), fault.OutcomeUnknown)
	if len(b.Calls()) != 1 {
		t.Errorf("the page saw %+v", b.Calls())
	}
	wantClosed(t, records(t, home))
}

func TestEndOfFileDuringTheHandshake(t *testing.T) {
	// Ensure that a host which waits for its database does not outlive the browser.
	t.Parallel()
	home := harness.NewHome(t)
	lock(t, home)
	r := spawn(t, home, ourOrigin)
	r.frame(hello(t, "hello", nil))
	r.in.Close()
	r.ends()
	if n := len(r.frames); n != 0 {
		t.Errorf("it answered first: %+v", r.next())
	}
}

func TestSilentClientDoesNotHoldTheHost(t *testing.T) {
	// Ensure that a client which never reads its answers does not keep the host from ending.
	t.Parallel()
	home := harness.NewHome(t)
	b := &fakes.Browser{Page: func(context.Context, protocol.ActionCall) (any, error) {
		return fakes.Answer(protocol.ActionCall{Name: "page.info"})
	}}
	p := home.Ready(t, b, shop)
	silent(t, home, 3000)
	harness.Until(t, "some calls are answered", func() bool { return len(b.Calls()) > 10 })
	hangUp(t, p)
	wantClosed(t, records(t, home))
}

// lock holds the profile's database as another process would.
func lock(t *testing.T, home *harness.Home) *bbolt.DB {
	t.Helper()
	db, err := openBolt(home)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
