package dispatch

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// hanging makes a rig whose page never answers, and signals when it gets a request.
func hanging(t *testing.T) (r *rig, asked chan struct{}) {
	t.Helper()
	r = newRig(t)
	asked = make(chan struct{}, 8)
	r.page = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
		asked <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return r, asked
}

func TestStop(t *testing.T) {
	// Ensure that Stop ends what runs in a tab and what waits for it, with the reason, and nothing elsewhere; and that nothing is left in the list.
	r, asked := hanging(t)
	if err := r.Tabs.Claim(tabs.Tab{TabID: 2, URL: "https://example.com/", RuntimeID: "r2"}); err != nil {
		t.Fatal(err)
	}
	answers := map[int]chan Envelope{1: make(chan Envelope, 2), 2: make(chan Envelope, 1)}
	for _, tab := range []int{1, 1, 2} {
		go func() {
			answers[tab] <- r.Call(t.Context(), r.session, Call{Name: "pointer.click", Arguments: report("pointer.click", `{"x":1,"y":2}`), Target: tabs.Target{TabID: tab}})
		}()
	}
	<-asked
	<-asked // the third waits for its lane
	for deadline := time.Now().Add(5 * time.Second); ; runtime.Gosched() {
		placed := 0
		for _, c := range r.Running() {
			if c.TabID != 0 && c.Name == "pointer.click" && c.SessionID == "cli" {
				placed++
			}
		}
		if placed == 3 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("running: %+v", r.Running())
		}
	}
	if done, err := r.Stop(t.Context(), 1, policy.FacePage); err != nil || done.Ended != 2 || done.Code != "" {
		t.Errorf("stopped: %+v %v", done, err)
	}
	dispatched := map[fault.Dispatched]int{}
	for range 2 {
		e := <-answers[1]
		f := wantCode(t, e, fault.Cancelled)
		if !e.Meta.Stopped {
			t.Error("who ran the call cannot tell that the user stopped it")
		}
		if f.Message != "the user stopped the call in the page" || f.NextStep == "" || f.Evidence["stopped_by"] != "user" || f.Evidence["face"] != "page" {
			t.Errorf("the caller is told %q %q", f.Message, f.NextStep)
		}
		dispatched[f.Dispatched]++
	}
	if dispatched[fault.NotDispatched] != 1 || dispatched[fault.DispatchedUnknown] != 1 {
		t.Errorf("dispatched: %v", dispatched)
	}
	if left := r.Running(); len(left) != 1 || left[0].TabID != 2 {
		t.Errorf("still running: %+v", left)
	}
	if done, err := r.Stop(t.Context(), 0, policy.FacePopup); err != nil || done.Ended != 1 {
		t.Errorf("stopped: %+v %v", done, err)
	}
	wantCode(t, <-answers[2], fault.Cancelled)
	if left := r.Running(); len(left) != 0 {
		t.Errorf("still running: %+v", left)
	}
}

func TestChoices(t *testing.T) {
	// Ensure that the user's mode and pace hold for a session that may more, say whose word it is, and tell the page what to show, with what it is about and without what is typed, only where something acts.
	r := newRig(t)
	choices := Choices{Mode: policy.ModeAsk}
	r.Choices = func() Choices { return choices }
	f := wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":2}`), fault.PermissionDenied)
	if f.Dispatched != fault.NotDispatched || f.NextStep == fault.New(fault.PermissionDenied, "").NextStep {
		t.Errorf("%+v", f)
	}
	if e := r.call(t, "page.info", `{}`); !e.OK {
		t.Error(e.Error)
	}
	choices = Choices{Mode: policy.ModeAct, Pace: time.Second, Show: true}
	shown, seen := map[string]string{}, []time.Time{}
	inner := r.page
	r.page = func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
		seen = append(seen, time.Now())
		shown[c.Record.Name] = strings.TrimSpace(c.Shown + " " + c.ShownArgument)
		return inner(ctx, c)
	}
	r.call(t, "pointer.click", `{"x":1,"y":2}`)
	r.call(t, "pointer.click", `{"x":1,"y":2}`)
	if len(seen) != 2 || seen[1].Sub(seen[0]) < choices.Pace {
		t.Errorf("the second click did not wait: %v", seen)
	}
	r.call(t, "page.info", `{}`)
	r.call(t, "text.insert", `{"text":"sesame","target":{"label":"Password"}}`)
	if shown["pointer.click"] != "pointer.click" || shown["page.info"] != "" || shown["text.insert"] != "text.insert Password" {
		t.Errorf("shown: %v", shown)
	}
}

func TestStopSession(t *testing.T) {
	// Ensure that a session that ends in the middle of calls cancels them and no others, that its end waits until their outcomes are logged with the reason, and that nothing of them is left.
	r, asked := hanging(t)
	if err := r.Tabs.Claim(tabs.Tab{TabID: 2, URL: "https://example.com/", RuntimeID: "r2"}); err != nil {
		t.Fatal(err)
	}
	other := &Session{ID: "other", SessionKind: policy.SessionCLI, Mode: policy.ModeAct}
	click := func(s *Session, tab int) <-chan Envelope {
		answer := make(chan Envelope, 1)
		go func() {
			answer <- r.Call(t.Context(), s, Call{Name: "pointer.click", Arguments: report("pointer.click", `{"x":1,"y":2}`), Target: tabs.Target{TabID: tab}})
		}()
		<-asked
		return answer
	}
	ends, stays := click(r.session, 1), click(other, 2)
	<-r.StopSession(r.session.ID)
	if left := r.Running(); len(left) != 1 || left[0].SessionID != "other" {
		t.Errorf("still running: %+v", left)
	}
	var last journal.Record
	for _, record := range r.records(t) {
		if record.Type == journal.TypeOutcome {
			last = record
		}
	}
	if last.SessionID != r.session.ID || !strings.Contains(string(last.Data), "the session ended while the call ran") {
		t.Errorf("the log ends with %s %s", last.Type, last.Data)
	}
	if f := wantCode(t, <-ends, fault.Cancelled); f.Dispatched != fault.DispatchedUnknown || f.NextStep == "" {
		t.Errorf("the caller is told %+v", f)
	}
	click(other, 1) // the lane is free
	if _, err := r.Stop(t.Context(), 0, policy.FacePopup); err != nil {
		t.Fatal(err)
	}
	wantCode(t, <-stays, fault.Cancelled)
	<-r.StopSession("nobody's")
}

func TestCancelledWhileItsIntentIsWritten(t *testing.T) {
	// Ensure that a call which is cancelled at any moment leaves no intent open, also while the disk takes it.
	r := newRig(t)
	for i := range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(i)*20*time.Microsecond, cancel)
		r.Call(ctx, r.session, Call{Name: "pointer.click", Arguments: report("pointer.click", `{"x":1,"y":1}`)})
		cancel()
	}
	r.records(t) // once all are on disk
	if open, err := r.Journal.OpenIntents(); err != nil || len(open) != 0 {
		t.Errorf("open intents: %v %v", open, err)
	}
}
