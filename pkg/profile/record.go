package profile

import (
	"context"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/compile"
	"github.com/actionsjson/actions-host/pkg/recording"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// openRecorder restores the recordings. Each lasts as long as the claim of its tab.
func (p *profile) openRecorder() (err error) {
	if p.recorder, err = recording.Open(p.journal.Bolt(), p.hello.BrowserSession); err != nil {
		return err
	}
	p.recorder.Catalogue, p.recorder.Page = p.dispatcher.Catalogue, p.actions.URL
	p.recorder.Taken, p.recorder.ShowTokens = p.actions.Taken, p.hello.Protocol >= recording.MinProtocolTokens
	p.recorder.Store = func(made compile.Action) (string, error) { return p.actions.Add(made, false) }
	p.recorder.Changed = func() { go p.showWork() }
	p.tabs.Observe(tabs.Observer{BeforeClaim: p.recorder.Forget, AfterRelease: p.recorder.Forget})
	return nil
}

// Record does what the user wants of the recording of a tab.
func (p *profile) Record(ctx context.Context, c protocol.RecordControl) (recording.State, error) {
	return p.recorder.Control(ctx, p.hello.BrowserSession, c)
}
