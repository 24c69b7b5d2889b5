package profile

import (
	"context"
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// clickTimeout bounds the call that a launcher starts, like a call from a terminal.
const clickTimeout = dispatch.DefaultSiteTimeout

// launcherSession is the session of the user's clicks on launchers: it may act, and
// effects that need an approval still need one.
var launcherSession = &dispatch.Session{ID: "launcher", SessionKind: policy.SessionAgent, Mode: policy.ModeAct}

// LauncherClicked opens what a launcher declares. It does not wait: the
// extension's messages come in order.
func (p *profile) LauncherClicked(c protocol.LauncherClick) {
	tab, claimed := p.tabs.Get(c.TabID)
	if !claimed || tab.RuntimeID != "" && tab.RuntimeID != c.RuntimeID {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), clickTimeout)
		defer cancel()
		p.logError("a launcher's click", p.actions.HandleClick(ctx, c.TabID, c.ID, c.URL, func(action string, args json.RawMessage) error {
			text, err := json.Marshal(map[string]any{"mode": "call", "action": action, "arguments": args})
			if err != nil {
				return fault.Wrap(err, fault.InternalError, "a call cannot be written: %v", err)
			}
			call, err := strictjson.Parse(text, strictjson.Limits{})
			if err != nil {
				return fault.Wrap(err, fault.InternalError, "a call cannot be written: %v", err)
			}
			e := p.dispatcher.Call(ctx, launcherSession, dispatch.Call{
				Name: dispatch.SiteTool, Arguments: call, Target: tabs.Target{TabID: c.TabID}, Timeout: clickTimeout - time.Second,
			})
			if e.Error != nil {
				return e.Error
			}
			return nil
		}))
	}()
}
