package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/mcpserver"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/fakes"
)

// formRevisions are the revisions whose clients show forms in ways of their own.
var formRevisions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

// askingHost starts a host that asks about input, and returns a client of its socket.
func askingHost(t *testing.T) (*fakes.Browser, *control.Client) {
	t.Helper()
	mcpHome(t)
	if err := os.MkdirAll(paths.Data(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(paths.Data(), "settings.json"), []byte(`{"ask_effects":["input"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	b := &fakes.Browser{Page: func(_ context.Context, call protocol.ActionCall) (any, error) { return fakes.Answer(call) }}
	startHost(t, b, firstID, "Work", "https://one.test/")
	clients, err := control.Discover(t.Context(), paths.Sockets())
	if err != nil || len(clients) != 1 {
		t.Fatalf("%d hosts, %v", len(clients), err)
	}
	t.Cleanup(func() { clients[0].Close() })
	return b, clients[0]
}

type fill func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)

func chosen(answer any) fill {
	return func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": answer}}, nil
	}
}

func with(action string) fill {
	return func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: action}, nil
	}
}

// Ensure that a client of each revision asks its user in its own form, that what the user chose there
// counts as it says, that anything else lets nothing through and leaves the question open, and that the
// log names the form.
func TestMCPForm(t *testing.T) {
	for _, revision := range formRevisions {
		for name, test := range map[string]struct {
			fill   fill
			code   fault.Code // empty: it ran
			open   int        // questions left
			clicks int        // of two calls
			logged string
		}{
			"once":            {chosen("once"), "", 0, 2, `"face":"client","origin":"https://one.test","scope":"once"`},
			"for the session": {chosen("session"), "", 0, 2, `"face":"client","origin":"https://one.test","scope":"session"`},
			"denied":          {chosen("deny"), fault.PermissionDenied, 0, 0, `"allow":false,"approval"`},
			"declined":        {with("decline"), fault.PermissionDenied, 0, 0, `"allow":false,"approval"`},
			"closed":          {with("cancel"), fault.NeedsApproval, 1, 0, ""},
			"nothing":         {with("accept"), fault.InvalidArguments, 1, 0, "answer_not_offered"},
			"no form": {func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return nil, errors.New("no window")
			}, fault.NeedsApproval, 1, 0, ""},
		} {
			if name == "no form" && revision >= "2026-07-28" {
				continue // the client itself fails its call
			}
			t.Run(revision+" "+name, func(t *testing.T) {
				b, socket := askingHost(t)
				forms := 0
				c := mcpClientOf(t, revision, &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					forms++
					schema, _ := json.Marshal(req.Params.RequestedSchema)
					if !strings.Contains(req.Params.Message, "pointer.click on https://one.test") || strings.Contains(string(schema), "always") || !strings.Contains(string(schema), `"session"`) {
						t.Errorf("the form says %q and offers %s", req.Params.Message, schema)
					}
					return test.fill(ctx, req)
				}}, mcpserver.Options{})
				for range 2 {
					if a := direct(t, c, "pointer.click", `"x":1,"y":2,`); test.code == "" {
						wantOK(t, a)
					} else {
						wantFault(t, a, test.code)
					}
				}
				clicks := 0
				for _, call := range b.Calls() {
					if call.Name == "pointer.click" {
						clicks++
					}
				}
				var waiting control.Approvals
				if err := socket.Call(t.Context(), control.MethodApprovals, control.Empty{}, &waiting); err != nil {
					t.Fatal(err)
				}
				if want := map[string]int{"for the session": 1, "denied": 1, "declined": 1}[name]; clicks != test.clicks || len(waiting.Approvals) != test.open || want != 0 && forms != want {
					t.Errorf("%d clicks, %d questions are open, %d forms", clicks, len(waiting.Approvals), forms)
				}
				if log := logText(t, socket); !strings.Contains(log, test.logged) {
					t.Errorf("the log has no %s: %s", test.logged, log)
				}
			})
		}
	}
}

// Ensure that a client whose form answers what was not offered lets nothing through: the question
// stays open, and the log says so.
func TestMCPFormAnswersOtherwise(t *testing.T) {
	for _, revision := range formRevisions {
		for _, given := range []any{"always", "", true, nil, []any{"once"}} {
			t.Run(fmt.Sprint(revision, " ", given), func(t *testing.T) {
				b, socket := askingHost(t)
				result := &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": given}}
				// The SDK's client would check it: this one does not.
				unchecked := func(next mcp.MethodHandler) mcp.MethodHandler {
					return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
						if method == "elicitation/create" {
							return result, nil
						}
						return next(ctx, method, req)
					}
				}
				options := &mcp.ClientOptions{
					MultiRoundTrip:     &mcp.MultiRoundTripOptions{Disabled: true},
					ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return result, nil },
				}
				c := mcpClientOf(t, revision, options, mcpserver.Options{}, unchecked)
				params := &mcp.CallToolParams{Name: "primitives_call", Arguments: json.RawMessage(`{"name":"pointer.click","arguments":{"x":1,"y":2,` +
					`"policy_exception_report":{"kind":"generic","intended_tool":"pointer.click","actions_json_path":"none","reason":"a test"}}}`)}
				answered, err := c.CallTool(t.Context(), params)
				if err == nil && answered.NeedsInput() {
					again := *params
					again.RequestState, again.InputResponses = answered.RequestState, mcp.InputResponseMap{"approval": result}
					answered, err = c.CallTool(t.Context(), &again)
				}
				if err != nil || !answered.IsError || !strings.Contains(answered.Content[0].(*mcp.TextContent).Text, `"invalid_arguments"`) {
					t.Fatalf("%+v, %v", answered, err)
				}
				var waiting control.Approvals
				if err := socket.Call(t.Context(), control.MethodApprovals, control.Empty{}, &waiting); err != nil || len(waiting.Approvals) != 1 || len(waiting.Grants) != 0 {
					t.Errorf("waiting %+v, %v", waiting, err)
				}
				if log := logText(t, socket); !strings.Contains(log, "answer_not_offered") || slices.ContainsFunc(b.Calls(), func(call protocol.ActionCall) bool { return call.Name == "pointer.click" }) {
					t.Errorf("calls %v, log %s", b.Calls(), log)
				}
			})
		}
	}
}

// Ensure that whoever answers first wins: what was answered in the popup closes the form, whose late
// answer changes nothing.
func TestMCPFormIsClosed(t *testing.T) {
	for _, revision := range formRevisions {
		t.Run(revision, func(t *testing.T) {
			b, socket := askingHost(t)
			closed := make(chan error, 1)
			c := mcpClientOf(t, revision, &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				var waiting control.Approvals
				if err := socket.Call(ctx, control.MethodApprovals, control.Empty{}, &waiting); err != nil || len(waiting.Approvals) != 1 {
					t.Errorf("waiting %+v, %v", waiting.Approvals, err)
					return nil, err
				}
				if err := socket.Call(t.Context(), control.MethodAnswer, control.Answer{ID: waiting.Approvals[0].ID}, &control.Empty{}); err != nil {
					t.Error(err)
				}
				if revision < "2026-07-28" {
					<-ctx.Done()
					closed <- ctx.Err()
					return nil, ctx.Err()
				}
				closed <- context.Canceled // such a form is the client's: its answer comes too late
				return chosen("once")(ctx, nil)
			}}, mcpserver.Options{})
			wantFault(t, direct(t, c, "pointer.click", `"x":1,"y":2,`), fault.PermissionDenied)
			select {
			case err := <-closed:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("the form was closed by %v", err)
				}
			case <-time.After(10 * time.Second):
				t.Error("the form stayed open")
			}
			if slices.ContainsFunc(b.Calls(), func(call protocol.ActionCall) bool { return call.Name == "pointer.click" }) {
				t.Error("it clicked")
			}
		})
	}
}

// Ensure that the answer of a form counts from the session alone whose call asked, and that one who
// claims to show none, or is no MCP session, answers nothing.
func TestFormOfAnotherSession(t *testing.T) {
	_, socket := askingHost(t)
	c := mcpClient(t, nil, mcpserver.Options{})
	asked := direct(t, c, "pointer.click", `"x":1,"y":2,`)
	wantFault(t, asked, fault.NeedsApproval)
	id, _ := asked.Error.Evidence["id"].(string)
	own := control.SessionParams{Kind: policy.SessionMCP, ID: t.Name(), Form: true}
	for name, session := range map[string]control.SessionParams{
		"another session": {Kind: policy.SessionMCP, ID: "other", Form: true},
		"no form":         {Kind: policy.SessionMCP, ID: t.Name()},
		"a terminal":      {Kind: policy.SessionCLI, ID: t.Name(), Form: true},
	} {
		if err := socket.Call(t.Context(), control.MethodFormAnswer, control.FormAnswer{Session: session, ID: id, Answer: "once"}, &control.Empty{}); err == nil {
			t.Errorf("%s answered", name)
		}
	}
	if err := socket.Call(t.Context(), control.MethodFormAnswer, control.FormAnswer{Session: own, ID: id, Answer: "once"}, &control.Empty{}); err != nil {
		t.Error(err)
	}
}

func logText(t *testing.T, socket *control.Client) string {
	t.Helper()
	var records json.RawMessage
	if err := socket.Call(t.Context(), control.MethodLog, control.LogParams{}, &records); err != nil {
		t.Fatal(err)
	}
	return string(records)
}

// Ensure that an action which has to ask after its first step has acted is not run from that step
// again, whatever the client's form would say: the answer warns of it.
func TestMCPFormInMidAction(t *testing.T) {
	for _, revision := range formRevisions {
		t.Run(revision, func(t *testing.T) {
			b, _ := askingHost(t)
			dir := filepath.Join(paths.Storage(), "scopes", "public", "sites", "one.test", "shop")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			step := func(id string) string {
				return `{"id":"` + id + `","primitive":"pointer.click","args":{"x":1,"y":1}}`
			}
			action := `{"protocol":"actions.json","version":1,"tools":[{"name":"buy","description":"d","input_schema":{"type":"object"},` +
				`"workflow":{"version":1,"expression_language":"jsonata","steps":[` + step("add") + `,` + step("pay") + `]}}]}`
			if err := os.WriteFile(filepath.Join(dir, "actions.json"), []byte(action), 0o600); err != nil {
				t.Fatal(err)
			}
			b.Page = func(ctx context.Context, call protocol.ActionCall) (any, error) {
				if call.Name == "pointer.click" { // it leads to another origin of the map, for which the action was not allowed
					if err := b.Claim(ctx, 1, "https://www.one.test/"); err != nil {
						return nil, err
					}
				}
				return fakes.Answer(call)
			}
			forms := 0
			c := mcpClientOf(t, revision, &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				forms++
				return chosen("once")(ctx, req)
			}}, mcpserver.Options{})
			f := wantFault(t, mcpCall(t, c, "actions_site", `{"mode":"call","action":"buy"}`), fault.NeedsApproval)
			clicks := 0
			for _, call := range b.Calls() {
				if call.Name == "pointer.click" {
					clicks++
				}
			}
			if clicks != 1 || forms != 1 || !strings.Contains(f.NextStep, "already acted on the page (add)") {
				t.Errorf("%d clicks, %d forms, next step %q", clicks, forms, f.NextStep)
			}
		})
	}
}
