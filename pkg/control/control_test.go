package control_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
)

func TestMethods(t *testing.T) {
	// Ensure that each method reaches the service and gives its answer.
	_, _, c := started(t)
	if c.Status.ProfileID != "0123456789abcdef" {
		t.Errorf("status %+v", c.Status)
	}
	var pong control.Pong
	if err := c.Call(limited(t), control.MethodPing, control.Empty{}, &pong); err != nil || pong.ExtensionVersion != "1.2.3" {
		t.Errorf("ping %+v, %v", pong, err)
	}
	var list control.Tabs
	if err := c.Call(limited(t), control.MethodTabs, control.SessionParams{}, &list); err != nil || string(list.Tabs) != "[]" {
		t.Errorf("tabs %+v, %v", list, err)
	}
	var e dispatch.Envelope
	if err := c.Call(limited(t), control.MethodCall, pageInfo(), &e); err != nil || !e.OK || string(e.Output) != info {
		t.Errorf("call %+v, %v", e, err)
	}
	var waiting control.Approvals
	if err := c.Call(limited(t), control.MethodApprovals, control.Empty{}, &waiting); err != nil || len(waiting.Approvals) != 0 {
		t.Errorf("approvals %+v, %v", waiting, err)
	}
}

func TestRefusals(t *testing.T) {
	// Ensure that what a client asks wrongly is answered with its code, and that the connection goes on.
	_, _, c := started(t)
	for name, row := range map[string]struct {
		method string
		params any
		code   fault.Code
	}{
		"unknown method":   {"teleport", control.Empty{}, fault.CapabilityUnavailable},
		"a claim":          {"claim", map[string]int{"tab_id": 1}, fault.CapabilityUnavailable},
		"unknown member":   {control.MethodCall, map[string]any{"nam": "page.info"}, fault.InvalidMessage},
		"wrong type":       {control.MethodCall, map[string]any{"name": 1}, fault.InvalidMessage},
		"case variant":     {control.MethodTabs, map[string]any{"Kind": "cli"}, fault.InvalidMessage},
		"not an object":    {control.MethodLog, []int{1}, fault.InvalidMessage},
		"unknown approval": {control.MethodAnswer, control.Answer{ID: "none", Allow: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.Call(limited(t), row.method, row.params, &control.Empty{})
			if err == nil || row.code != "" && !fault.Is(err, row.code) {
				t.Errorf("got %v", err)
			}
		})
	}
	if err := c.Call(limited(t), control.MethodPing, control.Empty{}, &control.Pong{}); err != nil {
		t.Errorf("the connection ended: %v", err)
	}
}

func TestLogInParts(t *testing.T) {
	// Ensure that a log is read to its end in parts, each record once and in order, with what was just logged.
	h, _, c := started(t)
	for range 5 {
		if err := h.dispatcher.Journal.Append(t.Context(), journal.Record{Type: journal.TypeLifecycle, Data: json.RawMessage(`{}`)}); err != nil {
			t.Fatal(err)
		}
	}
	var seen []uint64
	for from := uint64(1); ; {
		var page control.LogPage
		if err := c.Call(limited(t), control.MethodLog, control.LogParams{From: from, Limit: 2}, &page); err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Records {
			seen = append(seen, r.Seq)
		}
		if from = page.Next; from == 0 {
			break
		}
	}
	if !slices.Equal(seen, []uint64{1, 2, 3, 4, 5}) {
		t.Errorf("records %v", seen)
	}
}
