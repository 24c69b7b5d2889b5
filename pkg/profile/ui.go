package profile

import (
	"context"
	"os"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/rpc"
	"github.com/actionsjson/actions-host/pkg/ui"
)

// openUI makes what serves the popup and the options page. From then on the
// user's choices hold for every call.
func (p *profile) openUI() (err error) {
	if p.ui, err = ui.Open(p.journal, os.Getenv(paths.EnvUnwatched) != "1"); err != nil {
		return err
	}
	p.ui.Path, p.ui.Tabs, p.ui.Store, p.ui.Sessions = p.dispatcher, p.tabs, p.storage, p.sessions
	p.ui.Conversation = func() string {
		if own := p.agentSession.Load(); own != nil {
			return own.ID
		}
		return ""
	}
	p.dispatcher.Choices = p.ui.Choices
	p.scripts.ScriptInput = p.ui.ScriptInput
	return nil
}

// RegisterPages adds the handlers of what the extension's own pages request.
func (p *profile) RegisterPages(m *rpc.Mux) {
	p.agent.Register(m)
	p.ui.Register(m)
	rpc.Handle(m, protocol.MethodUIRecord, p.Record)
	rpc.Handle(m, protocol.MethodRecorded, func(ctx context.Context, e protocol.Recorded) (protocol.Empty, error) {
		return protocol.Empty{}, p.recorder.Event(ctx, e)
	})
}
