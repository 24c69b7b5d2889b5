package dispatch

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// about returns what a question about the call is about.
func about(in invocation, tab tabs.Tab, r policy.Request) policy.About {
	a := policy.About{TabID: tab.TabID, OnceOnly: r.RequireNewApproval}
	if in.record == nil {
		a.Action = true
		if in.plan != nil {
			a.Plan = in.plan()
		}
		return a
	}
	a.Argument = in.record.LabelArgument(in.args)
	security := in.record.Security
	if in.record.URLArgument != "" {
		a.Destination = otherOrigin(r)
		return a
	}
	for _, text := range redact.TextsOf(in.args, slices.Concat(security.InjectableArguments, security.Unlogged)...) {
		a.Characters += utf8.RuneCountInString(text)
	}
	var target struct {
		Locator json.RawMessage `json:"locator"`
	}
	if json.Unmarshal(in.args, &target) == nil {
		a.Locator = target.Locator
	}
	return a
}

// otherOrigin returns the origin that a call would go to from its tab's own; empty for none.
func otherOrigin(r policy.Request) string {
	for _, target := range r.TargetOrigins {
		if target != r.Origin {
			return target
		}
	}
	return ""
}
