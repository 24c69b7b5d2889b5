package policy

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestDecided(t *testing.T) {
	// Ensure that the end of a question is told by itself, once: an answer at once, its expiry when the time is over although nobody looks, and a withdrawn one not at all.
	synctest.Test(t, func(t *testing.T) {
		e, err := New(nil, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		a := NewApprovals(e)
		told := make(chan Outcome, 10)
		changes := make(chan struct{}, 20)
		a.Decided = func(_ Approval, o Outcome) { told <- o }
		a.Changed = func() { changes <- struct{}{} }
		for i, end := range []func(id string) error{
			func(id string) error { return answerIn(a, Answer{ID: id, Allow: true, Face: FacePopup}) },
			func(id string) error { return answerIn(a, Answer{ID: id, Face: FacePopup}) },
			func(string) error { a.EndSessions("s3"); return nil },
			func(string) error { return nil },
		} {
			r := asking()
			r.SessionID = []string{"s1", "s2", "s3", "s4"}[i]
			if err := end(a.Open(r, e.Decide(r), "").ID); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		got := []Outcome{<-told, <-told}
		slices.Sort(got)
		if len(told) != 0 || !slices.Equal(got, []Outcome{Allowed, Refused}) {
			t.Fatalf("told %v and %d more", got, len(told))
		}
		for len(changes) > 0 {
			<-changes
		}
		began := time.Now()
		if o := <-told; o != Expired || time.Since(began) != ApprovalTTL {
			t.Errorf("told %s after %v", o, time.Since(began))
		}
		<-changes
		synctest.Wait()
		if len(told) != 0 || len(changes) != 0 || len(a.List()) != 0 {
			t.Errorf("%d more, %d changes, open %v", len(told), len(changes), a.List())
		}
	})
}
