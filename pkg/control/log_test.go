package control_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// write puts records of a session into the host's log.
func write(t *testing.T, h *host, session string, count int) {
	t.Helper()
	for i := range count {
		r := journal.Record{SessionID: session, Type: journal.TypeOutcome, CallID: fmt.Sprint(session, i), Name: "page.info", Data: json.RawMessage(`{"ok":true,"url":"https://example.com/"}`)}
		if err := h.dispatcher.Journal.Commit(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLogFilters(t *testing.T) {
	// Ensure that filters, the newest records, sessions, their ids and the check of the chain reach the log, and that a filter that cannot mean anything is refused.
	h, _, c := started(t)
	write(t, h, "mcp:a", 5)
	write(t, h, "cli", 3)
	var seen []string
	err := c.Log(limited(t), control.LogParams{Filter: journal.Filter{Session: "mcp:a"}, Newest: 3, Limit: 2}, func(r journal.Record) error {
		seen = append(seen, r.CallID)
		return nil
	})
	if got := strings.Join(seen, " "); err != nil || got != "mcp:a2 mcp:a3 mcp:a4" {
		t.Errorf("%s, %v", got, err)
	}
	if err := c.Log(limited(t), control.LogParams{Filter: journal.Filter{Session: "nobody"}, Newest: 3}, func(r journal.Record) error {
		return fmt.Errorf("record %d", r.Seq)
	}); err != nil {
		t.Errorf("of nobody: %v", err)
	}
	var sessions control.LogSessions
	if err := c.Call(limited(t), control.MethodLogSessions, control.LogFilter{}, &sessions); err != nil || len(sessions.Sessions) != 2 || sessions.Sessions[0].Calls != 5 {
		t.Errorf("%+v, %v", sessions, err)
	}
	var ids control.LogSessionIDs
	if err := c.Call(limited(t), control.MethodLogSessionIDs, control.Empty{}, &ids); err != nil || strings.Join(ids.IDs, " ") != "cli mcp:a" {
		t.Errorf("%+v, %v", ids, err)
	}
	var report journal.Report
	if err := c.Call(limited(t), control.MethodLogVerify, control.Empty{}, &report); err != nil || !report.OK || report.Records != 8 {
		t.Errorf("%+v, %v", report, err)
	}
	if err := c.Call(limited(t), control.MethodLog, control.LogParams{Filter: journal.Filter{Types: []string{"x"}}}, nil); !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("got %v", err)
	}
	for _, limit := range []int{0, 10, 200, 4000} {
		if text, err := c.SessionText(limited(t), "mcp:a", limit); err != nil || len(text) > limit || limit >= 200 && !strings.Contains(text, "✓ page.info") {
			t.Errorf("%d bytes where %d are allowed, %v: %s", len(text), limit, err, text)
		}
	}
}

func TestFollow(t *testing.T) {
	// Ensure that following gives what is there and then each record as it is written, ends with its context, and tells where to go on.
	h, _, c := started(t)
	write(t, h, "cli", 4)
	ctx, stop := context.WithCancel(limited(t))
	seen := make(chan uint64, 20)
	ended := make(chan uint64, 1)
	go func() {
		next, _ := c.Follow(ctx, control.LogParams{Newest: 2, Filter: journal.Filter{Session: "cli"}}, func(r journal.Record) error {
			seen <- r.Seq
			return nil
		})
		ended <- next
	}()
	expect := func(want uint64) {
		t.Helper()
		select {
		case got := <-seen:
			if got != want {
				t.Fatalf("record %d, not %d", got, want)
			}
		case <-ctx.Done():
			t.Fatalf("record %d did not come", want)
		}
	}
	expect(3)
	expect(4)
	write(t, h, "mcp:other", 1)
	write(t, h, "cli", 2)
	expect(6)
	expect(7)
	stop()
	if next := <-ended; next != 8 {
		t.Errorf("to go on at %d", next)
	}
}

func TestFollowAnewLog(t *testing.T) {
	// Ensure that who followed a log that was begun anew since then sees it from its start.
	h, _, c := started(t)
	write(t, h, "cli", 2)
	ctx, stop := context.WithCancel(limited(t))
	defer stop()
	first := make(chan uint64, 20)
	go c.Follow(ctx, control.LogParams{From: 500}, func(r journal.Record) error {
		first <- r.Seq
		return nil
	})
	select {
	case got := <-first:
		if got != 1 {
			t.Errorf("begins with %d", got)
		}
	case <-ctx.Done():
		t.Error("it waits for ever")
	}
}

func TestSessionStartIsLogged(t *testing.T) {
	// Ensure that the log says once who a session is of, and nothing of the sessions that are shared.
	_, _, c := started(t)
	own := pageInfo()
	own.Session = control.SessionParams{Kind: policy.SessionMCP, ID: "a", Client: "Some Agent 1.2"}
	for _, p := range []control.CallParams{pageInfo(), own, own} {
		if err := c.Call(limited(t), control.MethodCall, p, &dispatch.Envelope{}); err != nil {
			t.Fatal(err)
		}
	}
	var data []string
	if err := c.Log(limited(t), control.LogParams{Filter: journal.Filter{Types: []string{journal.TypeSessionStarted}}}, func(r journal.Record) error {
		data = append(data, string(r.Data))
		return nil
	}); err != nil || len(data) != 1 || !strings.Contains(data[0], `"client":"Some Agent 1.2"`) {
		t.Errorf("%v, %v", data, err)
	}
}
