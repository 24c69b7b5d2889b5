package profile

import (
	"context"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/kv"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// savedStops are the user's stops as they are stored. They end with the run of the browser:
// after it no tab is handed over, and the user begins anew.
type savedStops struct {
	BrowserSession string          `json:"browser_session"`
	Stops          []dispatch.Stop `json:"stops"`
}

const keyStops = "held"

// openStops restores the user's stops, as the worker, and this process with it, may end at
// any moment.
func (p *profile) openStops() error {
	bucket := kv.Bucket[string, savedStops]{DB: p.journal.Bolt(), Name: "stops", What: "the user's stops"}
	saved, found, err := bucket.Get(keyStops)
	if err != nil {
		return err
	}
	if found && saved.BrowserSession == p.hello.BrowserSession {
		p.dispatcher.Hold(saved.Stops)
	}
	p.dispatcher.SaveStops = func(stops []dispatch.Stop) error {
		return bucket.Put(keyStops, savedStops{BrowserSession: p.hello.BrowserSession, Stops: append([]dispatch.Stop{}, stops...)})
	}
	p.tabs.Observe(tabs.Observer{AfterRelease: p.dispatcher.ForgetStops})
	// Not at once: a tab that is gone takes its stop with it in the handshake, before whose
	// answer nothing can be shown.
	p.dispatcher.StopsChanged = func() { go p.showWork() }
	return nil
}

// DebuggingCancelled stops all agents: the browser's Cancel ends the debugging of every tab.
func (p *profile) DebuggingCancelled(int) {
	_, finish := p.dispatcher.BeginStop(0, policy.FaceBrowser)
	go func() { p.logError("stopping for the browser's Cancel", finish(context.Background())) }()
}
