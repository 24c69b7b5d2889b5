package profile

import (
	"context"
	"time"

	"github.com/actionsjson/actions-host/pkg/agent"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// earlierCallTimeout bounds the browser's answer at the start.
const earlierCallTimeout = 10 * time.Second

// keepAgent writes down how the agent's session stands, for the next host.
func (p *profile) keepAgent(caller string, own *dispatch.Session) *agent.SessionStore {
	return agent.NewSessionStore(agent.SpokenPlace(p.journal.Bolt()), func(kept *agent.SavedSession) {
		kept.Caller, kept.BrowserSession, kept.Tab, kept.Rows = caller, p.hello.BrowserSession, own.Current(), p.agent.Rows()
	}, func(err error) { p.log.Error("keeping the agent's session", "error", err) })
}

// keptAgent returns the session that the former host had to leave when the browser
// ended it together with the extension's worker, nil where there is none. Its
// transcript is shown at once.
func (p *profile) keptAgent() *agent.SavedSession {
	kept, err := agent.LoadSaved(agent.SpokenPlace(p.journal.Bolt()), p.hello.BrowserSession, time.Now())
	if err != nil {
		p.log.Error("the agent's former session", "error", err)
	}
	if kept != nil {
		p.agent.Restore(kept.Snapshot.ID, kept.Rows)
	}
	return kept
}

// resumeAgent goes on with a kept session. Where none is gone on with, a call that
// still sounds is ended, as nobody else would let the microphone go, and no later
// host finds the session.
func (p *profile) resumeAgent(kept *agent.SavedSession) {
	var from voice.OptionsFunc
	textOnly := false
	if kept != nil {
		textOnly = kept.Snapshot.TextOnly
		from = func(_ context.Context, textOnly bool) (voice.Options, error) { return p.agentOptions(textOnly, kept) }
	}
	err := p.agent.Voice.Resume(context.Background(), textOnly, from, func() {
		p.logError("forgetting the agent's former session", agent.DeleteSaved(agent.SpokenPlace(p.journal.Bolt())))
		p.endEarlierCall()
	})
	if err != nil {
		p.log.Error("going on with the agent's session", "error", err) // the pane shows it
	}
}

func (p *profile) endEarlierCall() {
	ctx, cancel := context.WithTimeout(context.Background(), earlierCallTimeout)
	defer cancel()
	if err := p.browser.Media().Close(ctx); err != nil && !fault.Is(err, fault.TransportFailed) {
		p.log.Error("ending a call of an earlier host", "error", err)
	}
}
