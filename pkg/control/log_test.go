package control_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/session"
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

func TestManyReadingsOfOneClient(t *testing.T) {
	// Ensure that of the readings that a client asks for at once one is made at a time and the next when its answer has left: one that does not take them costs the host a few, others read and call meanwhile, and the client's end ends all of them.
	h := newHost(t, "p")
	path := filepath.Join(folder(t), "p.sock")
	serve(t, path, h)
	records := make([]journal.Record, 1000)
	for i := range records {
		records[i] = journal.Record{SessionID: "mcp:a", Type: journal.TypeLifecycle, Data: json.RawMessage(`{"text":"` + strings.Repeat("x ", 500) + `"}`)}
	}
	if err := h.dispatcher.Journal.Commit(t.Context(), records...); err != nil {
		t.Fatal(err)
	}
	const asked = 150 // what may wait on one connection
	greedy, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer greedy.Close()
	send := func(id int, method, params string) {
		t.Helper()
		text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
		if _, err := greedy.Write(append(binary.NativeEndian.AppendUint32(nil, uint32(len(text))), text...)); err != nil {
			t.Fatal(err)
		}
	}
	send(1, control.MethodTabs, `{"kind":"mcp","id":"greedy"}`)
	before := h.dispatcher.Journal.Bolt().Stats()
	for i := range asked {
		send(2+i, control.MethodLog, `{}`)
	}
	other := dial(t, path)
	const read = 20
	for range read {
		var page control.LogPage
		if err := other.Call(limited(t), control.MethodLog, control.LogParams{Limit: 1}, &page); err != nil || len(page.Records) != 1 {
			t.Fatalf("another client's reading: %+v, %v", page, err)
		}
	}
	var e dispatch.Envelope
	if err := other.Call(limited(t), control.MethodCall, pageInfo(), &e); err != nil || !e.OK {
		t.Errorf("another client's call: %v %+v", err, e.Error)
	}
	greedy.Close()
	if ended := <-h.ended; ended.ID != "greedy" {
		t.Errorf("ended: %+v", ended)
	}
	after := h.dispatcher.Journal.Bolt().Stats()
	if looked := after.TxN - before.TxN; looked < read || looked > read+asked/10 {
		t.Errorf("the log was looked at %d times", looked)
	}
}

func TestConfinedSessionsReadTheirOwnLog(t *testing.T) {
	// Ensure that over a connection on which a session in ask mode, or of some origins, has called no method gives the log of another one, that the user's own choice of ask does the same, and that any other connection, as a person's terminal, gets the whole.
	h := newHost(t, "p")
	mode := policy.ModeAct
	h.dispatcher.Choices = func() dispatch.Choices { return dispatch.Choices{Mode: mode} }
	sessions := map[string]*dispatch.Session{}
	h.open = func(p control.SessionParams) *dispatch.Session {
		id := session.LogID(session.Caller{Kind: p.Kind, ID: p.ID})
		if sessions[id] == nil {
			sessions[id] = &dispatch.Session{ID: id, SessionKind: p.Kind, Mode: p.Mode, Origins: p.Origins}
		}
		return sessions[id]
	}
	path := filepath.Join(folder(t), "p.sock")
	serve(t, path, h)
	write(t, h, "mcp:other", 3)
	write(t, h, "mcp:own", 2)
	write(t, h, "mcp:second", 1)
	read := func(c *control.Client, of string) string {
		t.Helper()
		seen := map[string]bool{}
		err := c.Log(limited(t), control.LogParams{Filter: journal.Filter{Session: of}}, func(r journal.Record) error {
			seen[r.SessionID] = true
			return nil
		})
		var listed control.LogSessions
		if listErr := c.Call(limited(t), control.MethodLogSessions, control.LogFilter{Filter: journal.Filter{Session: of}}, &listed); (err == nil) != (listErr == nil) {
			t.Errorf("records: %v, sessions: %v", err, listErr)
		}
		if err != nil {
			return string(fault.From(err).Code)
		}
		for _, s := range listed.Sessions {
			if !seen[s.SessionID] {
				t.Errorf("%s is listed alone", s.SessionID)
			}
		}
		return strings.Join(slices.Sorted(maps.Keys(seen)), " ")
	}
	const whole = "mcp:other mcp:own mcp:second"
	ask := control.SessionParams{Kind: policy.SessionMCP, ID: "own", Mode: policy.ModeAsk}
	for name, p := range map[string]control.SessionParams{"ask": ask, "origins": {Kind: policy.SessionMCP, ID: "second", Mode: policy.ModeAct, Origins: []string{"https://a.test"}}} {
		c := dial(t, path)
		if got := read(c, ""); got != whole {
			t.Errorf("before a session of it called: %s", got)
		}
		if err := c.Call(limited(t), control.MethodTabs, p, nil); err != nil {
			t.Fatal(err)
		}
		own := "mcp:" + p.ID
		if got := read(c, "") + "; " + read(c, own) + "; " + read(c, "mcp:other"); got != own+"; "+own+"; permission_denied" {
			t.Errorf("%s: %s", name, got)
		}
		if err := c.Call(limited(t), control.MethodLogSessionIDs, control.Empty{}, nil); !fault.Is(err, fault.PermissionDenied) {
			t.Errorf("%s: the ids: %v", name, err)
		}
		if err := c.Call(limited(t), control.MethodLogVerify, control.Empty{}, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	two := dial(t, path)
	for _, p := range []control.SessionParams{ask, {Kind: policy.SessionMCP, ID: "second", Mode: policy.ModeAct, Origins: []string{"https://a.test"}}} {
		if err := two.Call(limited(t), control.MethodTabs, p, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(two, "") + "; " + read(two, "mcp:second"); got != "permission_denied; mcp:second" {
		t.Errorf("of two sessions: %s", got)
	}

	free, terminal := dial(t, path), dial(t, path)
	if err := free.Call(limited(t), control.MethodTabs, control.SessionParams{Kind: policy.SessionMCP, ID: "free", Mode: policy.ModeAct}, nil); err != nil {
		t.Fatal(err)
	}
	if got := read(free, ""); !strings.HasSuffix(got, whole) { // its own start stands in it too
		t.Errorf("one that is not confined: %s", got)
	}
	mode = policy.ModeAsk
	if got := read(free, "mcp:other") + "; " + read(terminal, "mcp:other"); got != "permission_denied; mcp:other" {
		t.Errorf("when the user chose ask: %s", got)
	}
}
