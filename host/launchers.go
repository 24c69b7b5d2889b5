package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// clickTime bounds what a launcher starts, as a call of a terminal is bounded.
const clickTime = dispatch.DefaultSiteTimeout

// clicker is the user at a launcher in a page: whose click it is may act, and
// what must be asked is asked all the same.
var clicker = &dispatch.Session{ID: "launcher", SessionKind: policy.SessionAgent, Mode: policy.ModeAct}

// LauncherClicked does what a launcher declares. It does not wait: the
// extension's messages come in order.
func (p *profile) LauncherClicked(c protocol.LauncherClick) {
	tab, claimed := p.tabs.Get(c.TabID)
	if !claimed || tab.RuntimeID != "" && tab.RuntimeID != c.RuntimeID {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), clickTime)
		defer cancel()
		p.tried("a launcher's click", p.actions.Clicked(ctx, c.TabID, c.ID, c.URL, func(action string, args json.RawMessage) error {
			call, err := json.Marshal(map[string]any{"mode": "call", "action": action, "arguments": args})
			if err != nil {
				return fault.Wrap(err, fault.InternalError, "a call cannot be written: %v", err)
			}
			e := p.dispatcher.Call(ctx, clicker, dispatch.Call{
				Name: dispatch.SiteTool, Arguments: call, Target: tabs.Target{TabID: c.TabID}, Timeout: clickTime - time.Second,
			})
			if e.Error != nil {
				return e.Error
			}
			return nil
		}))
	}()
}
