package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
)

// commands is a debugger that answers everything and notes what it was sent; a
// session listed as deaf never answers.
type commands struct {
	mu   sync.Mutex
	sent []string
	deaf []string
}

func (c *commands) answer(ctx context.Context, method string, params json.RawMessage) (any, error) {
	var command protocol.DebuggerCommand
	if method != protocol.MethodDebuggerCommand || json.Unmarshal(params, &command) != nil {
		return struct{}{}, nil
	}
	c.mu.Lock()
	note := command.SessionID + " " + command.Method
	for _, detail := range []string{`"autoAttach":false`, `"waitForDebuggerOnStart":true`} {
		if strings.Contains(string(command.Params), detail) {
			note += " " + detail
		}
	}
	c.sent = append(c.sent, note)
	deaf := slices.Contains(c.deaf, command.SessionID)
	c.mu.Unlock()
	if deaf {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return protocol.DebuggerResult{Result: json.RawMessage(`{}`)}, nil
}

// of returns what the session was sent, sorted: the fake answers several at once.
func (c *commands) of(session string) (sent []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, note := range c.sent {
		if id, what, _ := strings.Cut(note, " "); id == session {
			sent = append(sent, what)
		}
	}
	slices.Sort(sent)
	return sent
}

func attached(session, inner, frame, more string) protocol.DebuggerEvent {
	e := event(1, "Target.attachedToTarget", `{"sessionId":"`+inner+`","targetInfo":{"type":"iframe","targetId":"`+frame+`","parentFrameId":"top"}`+more+`}`)
	e.SessionID = session
	return e
}

func TestChildSessionsHaveOneOwner(t *testing.T) {
	// Ensure that the browser attaches once for all who follow, that each new frame is told at once what all of them want and goes on, one within another too, that who comes later learns of those that are there, and that the last one to leave ends it.
	var c commands
	b, w := greeted(t, c.answer)
	var first, second heard
	follow := func(h *heard, early bool) *Following {
		t.Helper()
		f, err := b.Debugger(1).Follow(limited(t), Follower{
			Early: early, Domain: Domain{Enable: []Command{{"Log.enable", struct{}{}}}, Disable: []Command{{"Log.disable", struct{}{}}}},
			Attached: func(s ChildSession) { h.note("entered " + s.ID + " in " + s.ParentSession) },
			Detached: func(session string) { h.note("left " + session) },
		})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	one := follow(&first, false)
	fire(t, w, event(1, "Target.attachedToTarget", `{"sessionId":"w","targetInfo":{"type":"worker","targetId":"x"}}`))
	fire(t, w, attached("", "a", "fa", ""))
	until(t, "the outer frame is initialized", func() bool { return len(c.of("a")) == 3 })
	two := follow(&second, true)
	if err := one.Enable(limited(t), ""); err != nil {
		t.Fatal(err)
	}
	fire(t, w, attached("a", "b", "fb", `,"waitingForDebugger":true`))
	until(t, "the inner frame goes on", func() bool { return len(c.of("b")) == 5 && len(c.of("a")) == 5 })
	if got, want := c.of("b"), []string{"Inspector.enable", "Log.enable", "Page.enable", "Runtime.runIfWaitingForDebugger", `Target.setAutoAttach "waitForDebuggerOnStart":true`}; !slices.Equal(got, want) {
		t.Errorf("the inner frame is told %q, want %q", got, want)
	}
	if got, want := c.of("a"), []string{"Inspector.enable", "Log.enable", "Page.enable", "Target.setAutoAttach", `Target.setAutoAttach "waitForDebuggerOnStart":true`}; !slices.Equal(got, want) {
		t.Errorf("the outer frame is told %q, want %q", got, want)
	}
	if got, want := c.of(""), []string{"Log.enable", "Target.setAutoAttach", `Target.setAutoAttach "waitForDebuggerOnStart":true`}; !slices.Equal(got, want) {
		t.Errorf("the tab is told %q, want %q", got, want)
	}
	if err := two.Stop(limited(t)); err != nil {
		t.Error(err)
	}
	if slices.Contains(c.of("a"), "Log.disable") || slices.Contains(c.of(""), "Log.disable") {
		t.Error("what the other one needs is switched off")
	}
	fire(t, w, event(1, "Target.detachedFromTarget", `{"sessionId":"a"}`))
	until(t, "the sessions have ended", func() bool { return len(one.Sessions()) == 0 })
	if got := first.notes(); !slices.Equal(got, []string{"entered a in ", "entered b in a", "left a", "left b"}) {
		t.Errorf("the first was told %q", got)
	}
	if got := second.notes(); !slices.Equal(got, []string{"entered a in ", "entered b in a"}) {
		t.Errorf("the second was told %q", got)
	}
	if err := one.Stop(limited(t)); err != nil {
		t.Error(err)
	}
	if got := c.of(""); !slices.Contains(got, `Target.setAutoAttach "autoAttach":false`) || !slices.Contains(got, "Log.disable") {
		t.Errorf("the tab is told %q", got)
	}
}

func TestEachOfRestlessPage(t *testing.T) {
	// Ensure that work in each frame ends on a page that makes a new frame for each one that does not answer.
	c := commands{}
	b, w := greeted(t, c.answer)
	f, err := b.Debugger(1).Follow(limited(t), Follower{})
	if err != nil {
		t.Fatal(err)
	}
	fire(t, w, attached("", "s0", "f0", ""))
	until(t, "a session", func() bool { return len(f.Sessions()) == 1 })
	var made atomic.Int32
	failed := f.Each(limited(t), "", func(ctx context.Context, _ *Debugger, session string) error {
		if session == "" {
			return nil
		}
		n := made.Add(1)
		fire(t, w, attached("", fmt.Sprint("s", n), fmt.Sprint("f", n), ""))
		until(t, "the next session", func() bool { return len(f.Sessions()) > int(n) })
		<-ctx.Done()
		return ctx.Err()
	})
	if n := made.Load(); n > 2 || failed[""] != nil {
		t.Errorf("%d frames were waited for one after the other: %v", n, failed)
	}
}

func TestChildSessionsEnd(t *testing.T) {
	// Ensure that work in a frame ends when the frame crashes, its session ends or the debugger leaves, is refused while it is crashed, and that a frame which never answers holds up no other for good.
	c := commands{deaf: []string{"a", "b", "c"}}
	b, w := greeted(t, c.answer)
	f, err := b.Debugger(1).Follow(limited(t), Follower{})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b", "c"} {
		fire(t, w, attached("", id, "f"+id, ""))
	}
	until(t, "three sessions", func() bool { return len(f.Sessions()) == 3 })
	work := func(session string) <-chan error {
		ended, begun := make(chan error, 1), make(chan struct{})
		go func() {
			ended <- f.In(limited(t), "", session, func(ctx context.Context, d *Debugger, _ string) error {
				close(begun)
				return d.Call(ctx, "Runtime.evaluate", struct{}{}, nil)
			})
		}()
		<-begun
		return ended
	}
	ends := func(what string, ended <-chan error) {
		t.Helper()
		select {
		case err := <-ended:
			if err == nil {
				t.Errorf("%s: the work went well", what)
			}
		case <-time.After(patience):
			t.Fatalf("%s: the work does not end", what)
		}
	}
	failed := f.Each(limited(t), "", func(ctx context.Context, d *Debugger, _ string) error {
		return d.Call(ctx, "Runtime.evaluate", struct{}{}, nil)
	})
	if len(failed) != 3 || failed[""] != nil {
		t.Errorf("failed %v", failed)
	}
	running := work("a")
	crashed := event(1, "Inspector.targetCrashed", `{}`)
	crashed.SessionID = "a"
	fire(t, w, crashed)
	ends("a crash", running)
	if err := f.In(limited(t), "", "a", func(context.Context, *Debugger, string) error { t.Error("it is asked"); return nil }); err == nil {
		t.Error("a crashed frame is asked")
	}
	crashed.Method = "Inspector.targetReloadedAfterCrash"
	fire(t, w, crashed)
	until(t, "the frame is back", func() bool {
		return f.In(limited(t), "", "a", func(context.Context, *Debugger, string) error { return nil }) == nil
	})
	running = work("b")
	fire(t, w, event(1, "Target.detachedFromTarget", `{"sessionId":"b"}`))
	ends("the end of the session", running)
	running = work("c")
	if err := w.Notify(limited(t), protocol.MethodDebuggerDetached, protocol.DebuggerDetached{TabID: 1, Reason: "target_closed"}); err != nil {
		t.Fatal(err)
	}
	ends("the end of the debugger", running)
	again := func() *Following {
		t.Helper()
		f, err := b.Debugger(1).Follow(limited(t), Follower{})
		if err != nil || len(f.Sessions()) != 0 {
			t.Fatalf("followed anew: %v", err)
		}
		return f
	}
	f = again()
	if got := c.of(""); slices.Index(got, "Target.setAutoAttach") != len(got)-2 {
		t.Errorf("the tab was told %q", got) // twice
	}
	fire(t, w, attached("", "d", "fd", ""))
	until(t, "another session", func() bool { return len(f.Sessions()) == 1 })
	if err := w.Call(limited(t), protocol.MethodRelease, protocol.ReleaseParams{TabID: 1, Reason: "user"}, nil); err != nil {
		t.Fatal(err)
	}
	again()
	if got := c.of(""); slices.Index(got, "Target.setAutoAttach") != len(got)-3 {
		t.Errorf("after the release the tab was told %q", got)
	}
}

func TestFrameThatWaitsForNobody(t *testing.T) {
	// Ensure that a frame which waits for an earlier host is let go on: nobody follows.
	var c commands
	_, w := greeted(t, c.answer)
	fire(t, w, attached("", "a", "fa", `,"waitingForDebugger":true`))
	until(t, "the attachment is switched off", func() bool { return slices.Contains(c.of(""), `Target.setAutoAttach "autoAttach":false`) })
}

func TestFramesInOrder(t *testing.T) {
	// Ensure that frames stand before those in them, the tab's own first, that a srcdoc without an origin has that of the page around it, and that nothing else without one has any.
	found := map[string]Frame{
		"3": {ID: "3", URL: "http://a.test/", Origin: "http://a.test"},
		"2": {ID: "2", Parent: "3", URL: "about:srcdoc"},
		"1": {ID: "1", Parent: "2", URL: "about:srcdoc"},
		"5": {ID: "5", Parent: "3", URL: "about:blank"},
		"4": {ID: "4", Parent: "unknown", Session: "s", URL: "about:srcdoc"},
		"0": {ID: "0", Parent: "3", Session: "s", URL: "http://b.test/", Origin: "http://b.test"},
	}
	var got []string
	for _, f := range orderFrames(found) {
		top := ""
		if f.Top {
			top = " top"
		}
		got = append(got, f.ID+" "+f.Origin+top)
	}
	if want := []string{"3 http://a.test top", "0 http://b.test", "2 http://a.test", "1 http://a.test", "5 ", "4 "}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestChildSessionsAreInitializedFirst(t *testing.T) {
	// Ensure that what a follower wants of a session is sent after the commands that initialize it: they may have been chosen before the follower came, and would undo it.
	synctest.Test(t, func(t *testing.T) {
		var c commands
		b, _ := greeted(t, c.answer)
		s := &child{ChildSession: ChildSession{ID: "a"}, initialized: make(chan struct{}), life: t.Context()}
		all := &children{d: b.Debugger(1)}
		go all.send(s, []Command{{"Log.enable", struct{}{}}})
		synctest.Wait()
		if sent := c.of("a"); sent != nil {
			t.Errorf("before the session is initialized it is sent %q", sent)
		}
		close(s.initialized)
		synctest.Wait()
		if sent := c.of("a"); !slices.Equal(sent, []string{"Log.enable"}) {
			t.Errorf("afterwards it is sent %q", sent)
		}
	})
}
