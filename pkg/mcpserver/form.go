package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/printable"
)

const (
	// roundsVersion is the first revision in which a result asks for input and the client calls
	// again with it; a server sends no requests of its own any more.
	roundsVersion = "2026-07-28"

	formRequest = "approval" // names the form in such a result
	formMember  = "answer"   // of what the user filled in
)

// formSchema offers what a form may answer. Always is not among it: a lasting grant is made where the
// user sees what they have granted.
var formSchema = map[string]any{
	"type": "object", "required": []string{formMember},
	"properties": map[string]any{formMember: map[string]any{
		"type": "string", "title": "Allow it?", "enum": []string{"deny", "once", "session"},
		"enumNames": []string{"Deny", "Allow once", "Allow for this session"},
	}},
}

// form is how the client of one call asks its user.
type form struct {
	session  *mcp.ServerSession
	rounds   bool              // by results, and calls that come again
	response mcp.InputResponse // of a call that comes again
	state    string            // the question that it is about
	pending  *mcp.ElicitParams // to be asked by the result
}

type formKey struct{}

func withForm(ctx context.Context, f *form) context.Context {
	return context.WithValue(ctx, formKey{}, f)
}

// newForm returns the form of a call; its session is nil where the client has none.
func newForm(req *mcp.CallToolRequest) *form {
	f := &form{response: req.Params.InputResponses[formRequest], state: req.Params.RequestState}
	if showsForms(req.Session) {
		f.session = req.Session
		f.rounds = req.Session.InitializeParams().ProtocolVersion >= roundsVersion
	}
	return f
}

// showsForms reports whether a client has declared that it shows forms. One that names no kind of
// elicitation means forms, as there was no other.
func showsForms(s *mcp.ServerSession) bool {
	if s == nil {
		return false
	}
	hello := s.InitializeParams()
	if hello == nil || hello.Capabilities == nil || hello.Capabilities.Elicitation == nil {
		return false
	}
	return hello.Capabilities.Elicitation.Form != nil || hello.Capabilities.Elicitation.URL == nil
}

// hasForm reports whether the server's client shows forms.
func (s *Server) hasForm() bool {
	for client := range s.mcp.Sessions() {
		if showsForms(client) {
			return true
		}
	}
	return false
}

// result returns the result that has the client ask.
func (f *form) result() *mcp.CallToolResult {
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{formRequest: f.pending}, RequestState: f.state}
}

// ask has the user answer the question of a call, in the client's form or wherever they do it first.
// It reports whether to repeat the call: then it runs, or is refused because the user refused.
func (s *Server) ask(ctx context.Context, client *control.Client, e dispatch.Envelope, onProgress func(string)) (dispatch.Envelope, bool) {
	f, _ := ctx.Value(formKey{}).(*form)
	id, open := questionOf(e)
	if f == nil || f.session == nil || !open {
		return e, s.awaitApproval(ctx, client, e, onProgress)
	}
	switch {
	case f.rounds && f.response != nil && f.state == id:
		given, _ := f.response.(*mcp.ElicitResult)
		f.response = nil
		return s.answerForm(ctx, client, e, given)
	case f.rounds:
		if f.pending = s.formFor(ctx, client, e); f.pending == nil {
			return e, true // it was answered this moment
		}
		f.state = id
		return e, false
	}
	onProgress("waiting for the user's approval")
	return s.elicit(ctx, client, e, f)
}

// questionOf returns the question of a call that can be made again once it is answered. A call that
// nobody can be asked about has none, nor has an action that asked after a step of it had acted.
func questionOf(e dispatch.Envelope) (id string, open bool) {
	if e.OK || e.Error.Code != fault.NeedsApproval || !e.Error.Retryable {
		return "", false
	}
	id, _ = e.Error.Evidence["id"].(string)
	return id, id != ""
}

// elicit shows the form by a request of the server. Whoever answers elsewhere closes it.
func (s *Server) elicit(ctx context.Context, client *control.Client, e dispatch.Envelope, f *form) (dispatch.Envelope, bool) {
	params := s.formFor(ctx, client, e)
	if params == nil {
		return e, true // it was answered this moment
	}
	asking, closeForm := context.WithDeadline(ctx, expiry(e))
	defer closeForm()
	elsewhere := make(chan bool, 1)
	go func() {
		answered := s.awaitAnswer(asking, client, e)
		elsewhere <- answered
		if answered {
			closeForm()
		}
	}()
	given, err := f.session.Elicit(asking, params)
	if err != nil && asking.Err() != nil {
		return e, ctx.Err() == nil && <-elsewhere
	}
	var refused *jsonrpc.Error
	switch {
	case errors.As(err, &refused):
		return e, false // it shows no form after all; the question stays open elsewhere
	case err != nil:
		given = &mcp.ElicitResult{Action: "accept"} // not what the form offers
	}
	return s.answerForm(ctx, client, e, given)
}

// answerForm hands the host what the user chose. A form that was closed without a choice leaves the
// question open.
func (s *Server) answerForm(ctx context.Context, client *control.Client, e dispatch.Envelope, given *mcp.ElicitResult) (dispatch.Envelope, bool) {
	id, _ := questionOf(e)
	answer := control.FormAnswer{Session: s.session(), ID: id}
	switch {
	case given == nil || given.Action == "cancel":
		return e, false
	case given.Action == "decline":
		answer.Answer = "deny"
	default:
		answer.Answer, _ = given.Content[formMember].(string)
	}
	err := client.Call(ctx, control.MethodFormAnswer, answer, &control.Empty{})
	if f := fault.From(err); f != nil && f.Evidence["outcome"] == nil {
		return dispatch.Envelope{Name: e.Name, Error: f.WithDispatched(fault.NotDispatched)}, false
	}
	return e, true // also where somebody else was faster
}

// formFor returns the form for the question of a call, nil where it is not open any more.
func (s *Server) formFor(ctx context.Context, client *control.Client, e dispatch.Envelope) *mcp.ElicitParams {
	id, _ := questionOf(e)
	var waiting control.Approvals
	if err := client.Call(ctx, control.MethodApprovals, control.Empty{}, &waiting); err != nil {
		return nil
	}
	for _, q := range waiting.Approvals {
		if q.ID == id {
			return &mcp.ElicitParams{Mode: "form", Message: formMessage(q), RequestedSchema: formSchema}
		}
	}
	return nil
}

// formMessage returns the words of the form. Those of a page are escaped: they cannot look like ours.
func formMessage(q policy.Approval) string {
	effects := make([]string, len(q.Effects))
	for i, effect := range q.Effects {
		effects[i] = string(effect)
	}
	summary := printable.Escape(q.Summary)
	for i, step := range q.About.Plan {
		summary += fmt.Sprintf("\n%d. %s", i+1, printable.Escape(step.Does))
	}
	return fmt.Sprintf("An agent wants %s on %s (%s).\n%s\nRefused unless it is answered within %s.",
		printable.Escape(q.Name), cmp.Or(q.Origin, "no page"), strings.Join(effects, ", "), summary, time.Until(q.ExpiresAt).Round(time.Second))
}
