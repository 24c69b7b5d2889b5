package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

const somePoint = `{"x":1,"y":2}`

func TestStopHolds(t *testing.T) {
	// Ensure that after a stop no session acts or reads by any route until the user lets agents go on, that each refusal names the face, and that the log has both.
	r := newRig(t)
	sent := 0
	inner := r.page
	r.page = func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
		sent++
		return inner(ctx, c)
	}
	if _, err := r.Stop(t.Context(), 0, policy.FaceBrowser); err != nil {
		t.Fatal(err)
	}
	other := &Session{ID: "other", SessionKind: policy.SessionMCP, Mode: policy.ModeAct}
	for _, s := range []*Session{r.session, other} {
		for name, args := range map[string]string{"pointer.click": somePoint, "page.info": `{}`, "text.insert": `{"text":"x"}`} {
			f := wantCode(t, r.Call(t.Context(), s, Call{Name: name, Arguments: report(name, args)}), fault.StoppedByUser)
			if f.Dispatched != fault.NotDispatched || f.Evidence["face"] != "browser" || !strings.Contains(f.NextStep, "popup") {
				t.Errorf("%s of %s: %+v", name, s.ID, f)
			}
		}
	}
	if sent != 0 {
		t.Errorf("%d calls reached the page", sent)
	}
	if taken, err := r.GoOn(t.Context(), 0, policy.FacePopup); err != nil || taken != 1 {
		t.Fatalf("%d %v", taken, err)
	}
	if e := r.call(t, "page.info", `{}`); !e.OK || sent != 1 {
		t.Errorf("after going on: %+v, %d sent", e.Error, sent)
	}
	want := []string{"stopped browser", "let_go_on popup"}
	if got := r.stopEvents(t); !slices.Equal(got, want) {
		t.Errorf("the log: %q", got)
	}
}

func TestStopOfTabHoldsItsSessions(t *testing.T) {
	// Ensure that a stop of one tab holds the sessions that it ended in every tab, sessions of their kind that begin later, all sessions in that tab, and no other; and that without the tab it still holds the sessions, and nothing there.
	r, asked := hanging(t)
	if err := r.Tabs.Claim(tabs.Tab{TabID: 2, URL: "https://example.com/", RuntimeID: "r2"}); err != nil {
		t.Fatal(err)
	}
	answer := make(chan Envelope, 1)
	click := func(s *Session, tab int) Envelope {
		return r.Call(t.Context(), s, Call{Name: "pointer.click", Arguments: report("pointer.click", somePoint), Target: tabs.Target{TabID: tab}})
	}
	go func() { answer <- click(r.session, 1) }()
	<-asked
	if _, err := r.Stop(t.Context(), 1, policy.FacePopup); err != nil {
		t.Fatal(err)
	}
	wantCode(t, <-answer, fault.Cancelled)
	r.page = newRig(t).page
	other := &Session{ID: "other", SessionKind: policy.SessionMCP, Mode: policy.ModeAct}
	wantCode(t, click(r.session, 2), fault.StoppedByUser)
	wantCode(t, click(other, 1), fault.StoppedByUser)
	if e := click(other, 2); e.Error != nil && e.Error.Code == fault.StoppedByUser {
		t.Errorf("another session in another tab: %+v", e.Error)
	}
	again := &Session{ID: "again", SessionKind: r.session.SessionKind, Mode: policy.ModeAct, Began: time.Now()}
	wantCode(t, click(again, 2), fault.StoppedByUser)
	if err := r.ForgetStops(1); err != nil || len(r.Held()) != 1 {
		t.Errorf("after the release: %+v %v", r.Held(), err)
	}
	wantCode(t, click(r.session, 2), fault.StoppedByUser)
	if e := click(other, 1); e.Error != nil && e.Error.Code == fault.StoppedByUser {
		t.Errorf("another session in the tab that was taken again: %+v", e.Error)
	}
	if taken, err := r.GoOn(t.Context(), 0, policy.FacePopup); err != nil || taken != 1 {
		t.Errorf("%d taken back, %v", taken, err)
	}
}

func TestCodeOfStop(t *testing.T) {
	// Ensure that the code of a terminal's stop takes back that stop alone, whoever else has stopped, and that no guess does.
	r := newRig(t)
	own, err := r.Stop(t.Context(), 0, policy.FaceTerminal)
	if err != nil || len(own.Code) < 12 {
		t.Fatalf("%+v %v", own, err)
	}
	users, err := r.Stop(t.Context(), 0, policy.FaceTerminal)
	if err != nil || users.Code == own.Code {
		t.Fatalf("%+v %v", users, err)
	}
	if _, err := r.Stop(t.Context(), 0, policy.FacePage); err != nil {
		t.Fatal(err)
	}
	for _, guess := range []string{"", "X", users.Code + "A", r.Held()[0].Code} {
		if _, err := r.GoOnByCode(t.Context(), guess); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%q: %v", guess, err)
		}
	}
	if left, err := r.GoOnByCode(t.Context(), strings.ToLower(own.Code)); err != nil || left != 2 {
		t.Errorf("%d stops left, %v", left, err)
	}
	if _, err := r.GoOnByCode(t.Context(), own.Code); err == nil {
		t.Error("a code holds twice")
	}
	wantCode(t, r.call(t, "page.info", `{}`), fault.StoppedByUser)
	for range 2 * maxCoded {
		if _, err := r.Stop(t.Context(), 0, policy.FaceTerminal); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(r.Held()); n > maxCoded+2 {
		t.Errorf("%d stops are held", n)
	}
}

func TestStopsTogether(t *testing.T) {
	// Ensure that stops of all faces in the same moment end the call once, all hold, stand in the log each, and that one Go on takes all back.
	r, asked := hanging(t)
	answer := make(chan Envelope, 1)
	go func() { answer <- r.call(t, "pointer.click", somePoint) }()
	<-asked
	faces := []policy.Face{policy.FaceBrowser, policy.FaceKeyboard, policy.FacePage, policy.FacePopup, policy.FaceTerminal}
	var group sync.WaitGroup
	for _, face := range faces {
		group.Go(func() {
			if _, err := r.Stop(t.Context(), 0, face); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	wantCode(t, <-answer, fault.Cancelled)
	if n := len(r.Held()); n != len(faces) {
		t.Errorf("%d stops hold", n)
	}
	if taken, err := r.GoOn(t.Context(), 0, policy.FacePopup); err != nil || taken != len(faces) {
		t.Errorf("%d %v", taken, err)
	}
	if got := r.stopEvents(t); len(got) != len(faces)+1 {
		t.Errorf("the log: %q", got)
	}
}

func TestStopsAreStored(t *testing.T) {
	// Ensure that what holds is stored at each change, that a stop whose storing fails still ends the calls and holds, and that its error is told.
	r := newRig(t)
	var stored []Stop
	r.SaveStops = func(stops []Stop) error { stored = stops; return nil }
	if _, err := r.Stop(t.Context(), 0, policy.FacePage); err != nil || len(stored) != 1 {
		t.Errorf("%+v %v", stored, err)
	}
	if _, err := r.GoOn(t.Context(), 0, policy.FacePopup); err != nil || len(stored) != 0 {
		t.Errorf("%+v %v", stored, err)
	}
	full := errors.New("the disk is full")
	r.SaveStops = func([]Stop) error { return full }
	if _, err := r.Stop(t.Context(), 0, policy.FacePage); !errors.Is(err, full) {
		t.Error(err)
	}
	wantCode(t, r.call(t, "page.info", `{}`), fault.StoppedByUser)
}

// stopEvents returns the stops of the log and their ends, with their faces.
func (r *rig) stopEvents(t *testing.T) (events []string) {
	t.Helper()
	for _, record := range r.records(t) {
		var data journal.PolicyEvent
		if json.Unmarshal(record.Data, &data) == nil && data.Face != "" {
			events = append(events, data.Event+" "+string(data.Face))
		}
	}
	return events
}

func TestStopsAtOnceEndACallOnce(t *testing.T) {
	// Ensure that a second stop of a call that has not ended yet counts it no more, and leaves the first as the cause.
	r, asked := hanging(t)
	inner, seen := r.page, make(chan struct{})
	r.page = func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
		out, err := inner(ctx, c)
		<-seen
		return out, err
	}
	done := make(chan Envelope, 1)
	go func() { done <- r.call(t, "page.info", `{}`) }()
	<-asked
	ended := 0
	for _, face := range []policy.Face{policy.FaceBrowser, policy.FacePage, policy.FaceTerminal} {
		stopped, err := r.Stop(t.Context(), 0, face)
		if err != nil {
			t.Error(err)
		}
		ended += stopped.Ended
	}
	close(seen)
	f := wantCode(t, <-done, fault.Cancelled)
	if ended != 1 || f.Evidence["face"] != "browser" {
		t.Errorf("%d calls were ended, the caller is told %+v", ended, f)
	}
}
