package voice

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestWhatTheUserSaidMeanwhileCounts(t *testing.T) {
	// Ensure that a session of an earlier host is not gone on with when the user has stopped it before that began, and that what the earlier host left is let go of then, and when the going on fails, and never of a session that runs.
	made, letGo := 0, 0
	manager := func() *Manager {
		made, letGo = 0, 0
		return &Manager{Observer: &recordingObserver{rows: map[string]Row{}}, NewOptions: func(context.Context, bool) (Options, error) {
			made++
			return Options{Provider: &scriptedProvider{}, Tools: &fakeTools{}}, nil
		}}
	}
	start := func(ctx context.Context, m *Manager) error { _, err := m.Start(ctx, true); return err }
	for name, c := range map[string]struct {
		before       func(context.Context, *Manager) error
		kept         bool
		failing      error
		made, letGo  int
		runs, failed bool
	}{
		"kept":               {nil, true, nil, 1, 0, true, false},
		"none kept":          {nil, false, nil, 0, 1, false, false},
		"stopped":            {func(_ context.Context, m *Manager) error { m.Stop(); return nil }, true, nil, 0, 1, false, false},
		"started":            {start, true, nil, 1, 0, true, false},
		"started, none kept": {start, false, nil, 1, 0, true, false},
		"failing":            {nil, true, errors.New("no network"), 0, 1, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := manager()
				if c.before != nil {
					if err := c.before(t.Context(), m); err != nil {
						t.Fatal(err)
					}
				}
				var from OptionsFunc
				if c.kept {
					from = m.NewOptions
				}
				if c.failing != nil {
					from = func(context.Context, bool) (Options, error) { return Options{}, c.failing }
				}
				err := m.Resume(t.Context(), true, from, func() { letGo++ })
				_, runs := m.Session()
				if (err != nil) != c.failed || made != c.made || letGo != c.letGo || (runs == nil) != c.runs {
					t.Errorf("%v; made %d, let go %d, runs %t", err, made, letGo, runs == nil)
				}
				m.Stop()
			})
		})
	}
}

func TestWhileASessionEnds(t *testing.T) {
	// Ensure that a session which has failed and still releases what it held takes no message, and that a start then waits for its end and begins another.
	synctest.Test(t, func(t *testing.T) {
		p := &scriptedProvider{}
		m := &Manager{Observer: &recordingObserver{rows: map[string]Row{}}, NewOptions: func(context.Context, bool) (Options, error) {
			return Options{Provider: p, Tools: &fakeTools{}, Ended: func() { time.Sleep(time.Second) }}, nil
		}}
		if _, err := m.Start(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		defer m.Stop()
		p.conn().events <- ProviderError{Code: "insufficient_quota", Fatal: true}
		synctest.Wait()
		ending, err := m.Session()
		if err != nil {
			t.Fatal(err)
		}
		sent := make(chan error, 1)
		go func() { sent <- ending.Send("hello", Queue) }()
		state, err := m.Start(t.Context(), true)
		if err != nil || state.Status != Listening || p.count() != 2 {
			t.Errorf("the start gave %+v, %v, on %d connections", state, err, p.count())
		}
		if err := <-sent; !fault.Is(err, fault.VoiceRefused) {
			t.Errorf("the message gave %v", err)
		}
	})
}
