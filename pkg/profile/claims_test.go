package profile

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/a11y/announcements"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/projection"
	"github.com/actionsjson/actions-host/pkg/session"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/pkg/task"
)

func TestWhatOfATabIsDropped(t *testing.T) {
	// Ensure that a claim and a release drop the snapshots and the announcements that are stored for the tab's ID, and a release its tasks.
	p := openProfile(t)
	snapshot := projection.SnapshotKey{TabID: 7, Map: "map", Projection: "projection"}
	queue := task.Key{Session: "cli:a", TabID: 7}
	add := func() int {
		_, summary, err := p.sessions.Tasks.Add(queue, "task")
		if err != nil {
			t.Fatal(err)
		}
		return len(summary.Tasks)
	}
	fill := func() {
		if _, err := p.actions.Snapshots.Replace(snapshot, json.RawMessage(`{}`)); err != nil {
			t.Fatal(err)
		}
		if err := p.a11y.Announcements.Watch(7); err != nil {
			t.Fatal(err)
		}
	}
	check := func(step string, found, watching bool, tasks int) {
		t.Helper()
		_, kept, err := p.actions.Snapshots.Get(snapshot)
		if err != nil {
			t.Fatal(err)
		}
		if w, n := p.a11y.Announcements.Watching(7), add(); kept != found || w != watching || n != tasks {
			t.Errorf("%s: snapshot %v, watching %v, %d tasks", step, kept, w, n)
		}
	}
	fill()
	check("before", true, true, 1)
	if _, err := p.Claim(t.Context(), protocol.Tab{TabID: 7, URL: "https://a.test/"}); err != nil {
		t.Fatal(err)
	}
	check("claimed", false, false, 2)
	fill()
	if _, err := p.Release(t.Context(), 7, "user"); err != nil {
		t.Fatal(err)
	}
	check("released", false, false, 1)
}

func TestReleaseInSpiteOfAnError(t *testing.T) {
	// Ensure that a release is in the log, and tells which claims are left, also where something that was kept of the tab could not be dropped, and that the error is returned.
	p := openProfile(t)
	failure := errors.New("no disk")
	p.tabs.Observe(tabs.Observer{AfterRelease: func(int) error { return failure }})
	for _, id := range []int{7, 8} {
		if _, err := p.Claim(t.Context(), protocol.Tab{TabID: id, URL: "https://a.test/"}); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := p.Release(t.Context(), 7, "user"); !errors.Is(err, failure) || !slices.Equal(left, []int{8}) {
		t.Errorf("%v, %v", left, err)
	}
	if err := p.journal.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	records, err := p.journal.Read(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(records, func(r journal.Record) bool { return r.Type == journal.TypeRelease }) {
		t.Error("the release is not in the log")
	}
}

func TestWhatOfASessionIsDropped(t *testing.T) {
	// Ensure that the subscriptions of a session end with it, a client's and the hosted agent's.
	p := openProfile(t)
	log := p.a11y.Announcements
	for _, id := range []string{"cli:a", "voice:b"} {
		log.Subscribe(id, 7, announcements.Modes{Assertive: announcements.Off})
	}
	p.EndSessions([]control.SessionParams{{Kind: policy.SessionCLI, ID: "a"}})
	if err := p.sessions.End(t.Context(), session.Caller{Kind: policy.SessionVoice, ID: "b"}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]announcements.Mode{"cli:a": announcements.Inject, "voice:b": announcements.Inject} {
		if modes := log.Subscribe(id, 7, announcements.Modes{}); modes.Assertive != want {
			t.Errorf("%s: %s", id, modes.Assertive)
		}
	}
}
