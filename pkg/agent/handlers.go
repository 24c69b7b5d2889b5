package agent

import (
	"context"
	"strings"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/clarify"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/rpc"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// state is the answer to all requests but that for the view: changes are sent as they
// happen.
type state struct {
	State voice.State `json:"state"`
}

// Register adds the handlers of what the extension's pages request.
func (c *Controller) Register(m *rpc.Mux) {
	rpc.Handle(m, protocol.MethodAgentView, func(context.Context, protocol.Empty) (view, error) { return c.view(), nil })
	handle(c, m, protocol.MethodAgentStart, func(ctx context.Context, p protocol.AgentStart) error {
		_, err := c.Voice.Start(ctx, p.TextOnly)
		return err
	})
	handle(c, m, protocol.MethodAgentStop, func(context.Context, protocol.Empty) error {
		c.Voice.Stop()
		return nil
	})
	handle(c, m, protocol.MethodAgentForget, func(context.Context, protocol.Empty) error {
		c.allowAPI(false)
		_, err := c.Memory.Forget()
		return err
	})
	handle(c, m, protocol.MethodAgentApprove, func(ctx context.Context, p protocol.ApprovalAnswer) error {
		answer := policy.Answer{ID: p.ID, Allow: p.Verdict == "allow", Scope: policy.Scope(p.Scope), Face: policy.FacePopup}
		if p.Face != "" { // an extension before protocol 11 does not say
			answer.Face = policy.Face(p.Face)
		}
		return c.Answer(ctx, answer)
	})
	handle(c, m, protocol.MethodAgentAnswer, func(_ context.Context, p protocol.QuestionAnswer) error {
		return c.Questions.Answer(p.ID, clarify.Reply{Option: p.Option, Text: p.Text})
	})
	handle(c, m, protocol.MethodAgentSettings, func(_ context.Context, p protocol.SettingsChange) error {
		return c.changeSettings(p.Changes)
	})
	handleInSession(c, m, protocol.MethodAgentSend, func(_ context.Context, s *voice.Session, p protocol.AgentMessage) error {
		if strings.TrimSpace(p.Text) == allowAPICommand {
			c.allowAPI(true)
			s.AddSystemMessage(allowAPIMessage)
			return nil
		}
		if err := s.Send(p.Text, voice.Mode(p.Mode)); err != nil {
			return err
		}
		c.Questions.Leave(c.Voice.State().SessionID)
		return nil
	})
	handleInSession(c, m, protocol.MethodAgentInterrupt, func(_ context.Context, s *voice.Session, _ protocol.Empty) error {
		s.Interrupt()
		return nil
	})
	handleInSession(c, m, protocol.MethodAgentMute, func(ctx context.Context, s *voice.Session, p protocol.MediaMute) error {
		return s.Mute(ctx, p.Input, p.Output)
	})
	if c.Chats != nil {
		c.registerChats(m)
	}
}

// allowAPICommand is what a person types so that a grant for an origin covers writes too.
const allowAPICommand = "/allow-api"

const allowAPIMessage = "The user has typed " + allowAPICommand + ": from now on a request to an origin that they allowed may write there without a question. Say so in a few words."

func (c *Controller) allowAPI(allow bool) {
	c.AllowAPI(allow)
	c.LogEvent("allow_api", map[string]bool{"allow": allow})
}

// handle registers a handler after which the state is answered.
func handle[P any](c *Controller, m *rpc.Mux, method string, h func(context.Context, P) error) {
	rpc.Handle(m, method, func(ctx context.Context, p P) (state, error) {
		err := h(ctx, p)
		return state{c.Voice.State()}, err
	})
}

// handleInSession is [handle] for what needs a session that runs or connects.
func handleInSession[P any](c *Controller, m *rpc.Mux, method string, h func(context.Context, *voice.Session, P) error) {
	handle(c, m, method, func(ctx context.Context, p P) error {
		s, err := c.Voice.ActiveOrStarting()
		if err != nil {
			return err
		}
		return h(ctx, s, p)
	})
}
