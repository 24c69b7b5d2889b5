// Package hostproc tests the real host process, the built binary, against a
// browser that is test/fakes.Browser at the other end of the process's pipes:
// faults of every kind in seconds, without Chromium.
//
// Rules of this package:
//   - The process is started, talked to and ended as a browser does it; clients
//     come over its socket or are the program itself in a terminal.
//   - Only what lies behind the extension's protocol is made up.
//   - What is on record is read from the database file, not asked of the host.
package hostproc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

const shop = "https://shop.example.com/"

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Clean()
	os.Exit(code)
}

// patient is a context that ends when a test has waited long enough.
func patient(t testing.TB) context.Context { return harness.Patient(t) }

func database(home *harness.Home) string { return home.Database() }

func dial(t testing.TB, home *harness.Home) *control.Client {
	t.Helper()
	return home.Dial(t)
}

// direct is a call of a primitive with the report that it needs.
func direct(name, args string) control.CallParams { return harness.Direct(name, args) }

// at names the tab of a call.
func at(p control.CallParams, tabID int) control.CallParams {
	p.Target.TabID = tabID
	return p
}

func clickCall() control.CallParams { return direct("pointer.click", `{"x":1,"y":2}`) }

// call makes one call and returns its envelope.
func call(t testing.TB, c *control.Client, p control.CallParams) dispatch.Envelope {
	t.Helper()
	var e dispatch.Envelope
	if err := c.Call(patient(t), control.MethodCall, p, &e); err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	return e
}

// wantCode fails the test unless the envelope failed with the code and tells
// what to do.
func wantCode(t testing.TB, e dispatch.Envelope, code fault.Code) *fault.Error {
	t.Helper()
	if e.OK || e.Error == nil || e.Error.Code != code {
		t.Fatalf("%s: want %s, got %+v %s", e.Name, code, e.Error, e.Output)
	}
	if e.Error.Message == "" || e.Error.NextStep == "" {
		t.Fatalf("%s says too little: %+v", code, e.Error)
	}
	return e.Error
}

// terminal runs the program in the background, as a user in a second terminal
// would, and returns its result when it has ended.
func terminal(t testing.TB, home *harness.Home, args ...string) <-chan harness.Result {
	t.Helper()
	done := make(chan harness.Result, 1)
	go func() { done <- home.Run(t, args...) }()
	return done
}

// envelopeOf decodes what a command with --json printed.
func envelopeOf(t testing.TB, r harness.Result) dispatch.Envelope {
	t.Helper()
	var e dispatch.Envelope
	if err := json.Unmarshal([]byte(r.Stdout), &e); err != nil {
		t.Fatalf("stdout %q, stderr %q: %v", r.Stdout, r.Stderr, err)
	}
	return e
}

// records reads the whole log from the file, after the host has ended, and
// checks its chain.
func records(t testing.TB, home *harness.Home) []journal.Record {
	t.Helper()
	return home.Records(t)
}

// wantClosed fails the test when the log has an intent without an end.
func wantClosed(t testing.TB, all []journal.Record) {
	t.Helper()
	open := map[string]string{}
	for _, r := range all {
		switch r.Type {
		case journal.TypeIntent:
			open[r.CallID] = r.Name
		case journal.TypeOutcome, journal.TypeInterrupted:
			delete(open, r.CallID)
		}
	}
	if len(open) > 0 {
		t.Errorf("open intents: %v", open)
	}
}

// blocking is a page that answers the named primitive only when the call is
// cancelled; every other one at once. Started and cancelled tell of each.
func blocking(name string) (page func(context.Context, protocol.ActionCall) (any, error), started, cancelled chan struct{}) {
	started, cancelled = make(chan struct{}, 100), make(chan struct{}, 100)
	return func(ctx context.Context, c protocol.ActionCall) (any, error) {
		if c.Name != name {
			return fakes.Answer(c)
		}
		started <- struct{}{}
		<-ctx.Done()
		cancelled <- struct{}{}
		return nil, ctx.Err()
	}, started, cancelled
}

// wait waits for one signal.
func wait[T any](t testing.TB, what string, signal <-chan T) T {
	t.Helper()
	select {
	case v := <-signal:
		return v
	case <-patient(t).Done():
		t.Fatalf("it did not happen: %s", what)
		panic("not reached")
	}
}

// mapOf makes a map of one tool with the workflow, or whatever kind of tool
// the body says.
func mapOf(name, body string) string {
	return `{"protocol":"actions.json","version":1,"tools":[` + tool(name, body) + `]}`
}

func tool(name, body string) string {
	return fmt.Sprintf(`{"name":%q,"description":"A tool of the test.","input_schema":{"type":"object","properties":{
		"n":{"type":"integer"},"text":{"type":"string"}},"additionalProperties":false},%s}`, name, body)
}

func workflow(output string, steps ...string) string {
	if output != "" {
		output = fmt.Sprintf(`"output":%q,`, output)
	}
	return `"workflow":{"version":1,"expression_language":"jsonata",` + output + `"steps":[` + strings.Join(steps, ",") + `]}`
}

func step(id, primitive, rest string) string {
	return fmt.Sprintf(`{"id":%q,"primitive":%q%s}`, id, primitive, rest)
}

// page is an ordinary page.
func page(_ context.Context, c protocol.ActionCall) (any, error) { return fakes.Answer(c) }

// siteCall is a call of a stored action.
func siteCall(action, arguments string) control.CallParams {
	return control.CallParams{
		Session: control.SessionParams{Kind: policy.SessionCLI}, Name: dispatch.SiteTool,
		Arguments: json.RawMessage(fmt.Sprintf(`{"mode":"call","action":%q,"arguments":%s}`, action, arguments)),
	}
}

// output takes what a command prints.
type output struct{ stdout, stderr bytes.Buffer }

// says checks that the command printed the code: as JSON on stdout, or for a
// person on stderr.
func (o *output) says(t testing.TB, asJSON bool, code string) {
	t.Helper()
	where := o.stderr.String()
	if asJSON {
		where = o.stdout.String()
		if !json.Valid([]byte(where)) {
			t.Errorf("stdout is not JSON: %q", where)
		}
	}
	if !strings.Contains(where, code) {
		t.Errorf("it says nothing of %s: stdout %q, stderr %q", code, o.stdout.String(), o.stderr.String())
	}
}
