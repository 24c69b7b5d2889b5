package browser

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	// maxChildSessions bounds the frames that are asked at once; a page can hold any number.
	maxChildSessions = 100
	// ChildTimeout bounds the answer of a frame in another process; a responsive one takes
	// milliseconds, and no frame may delay what concerns the whole tab.
	ChildTimeout = time.Second
)

// Sessions lists the child sessions that are known, by their ids.
func (f *Following) Sessions() (all []ChildSession) {
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(f.all.sessions)) {
		all = append(all, f.all.sessions[id].ChildSession)
	}
	return all
}

// Each runs work concurrently in the tab's own session, whose ID is empty, and in each child
// session, including new ones: a frame that hangs delays the others only for a moment, one that
// crashes not at all. Frames that come later than [ChildTimeout] are left out, as a page may make
// new ones for ever. The commands are for the tab's page of one origin only, as with
// [Debugger.ForOrigin]. It returns the errors by session; a child session that did not answer
// in time counts as unresponsive from then on.
func (f *Following) Each(ctx context.Context, origin string, work func(ctx context.Context, d *Debugger, session string) error) map[string]error {
	type result struct {
		session string
		err     error
	}
	done := make(chan result)
	begun, failed := map[string]bool{}, map[string]error{}
	begin := func(session string) {
		begun[session] = true
		go func() {
			limited, cancel := ctx, func() {}
			if session != "" {
				limited, cancel = context.WithTimeout(ctx, ChildTimeout)
			}
			defer cancel()
			err := f.In(limited, origin, session, work)
			if err != nil && limited.Err() != nil && ctx.Err() == nil {
				f.setUnresponsive(session, true)
			}
			done <- result{session, err}
		}()
	}
	begin("")
	last := time.Now().Add(ChildTimeout)
	for running := 1; running > 0; {
		for _, s := range f.Sessions() {
			if !begun[s.ID] && len(begun) <= maxChildSessions && time.Now().Before(last) {
				begin(s.ID)
				running++
			}
		}
		r := <-done
		running--
		if r.err != nil {
			failed[r.session] = r.err
		}
	}
	return failed
}

// In runs work in one session. The context ends with the session.
func (f *Following) In(ctx context.Context, origin, session string, work func(ctx context.Context, d *Debugger, session string) error) error {
	if session == "" {
		return work(ctx, f.d.ForOrigin(origin), session)
	}
	f.all.mu.Lock()
	s := f.all.sessions[session]
	if s == nil || s.crashed {
		f.all.mu.Unlock()
		return fault.New(fault.FrameNotFound, "the frame is gone, or has crashed").WithDispatched(fault.NotDispatched)
	}
	life, greeted := s.life, s.initialized
	f.all.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(life, cancel)()
	select {
	case <-greeted:
	case <-ctx.Done():
		return fault.From(ctx.Err())
	}
	return work(ctx, f.d.ForOrigin(origin).Child(session), session)
}

// CatchUp waits until all events of the tab so far were delivered, new frames included.
// Unresponsive frames are skipped. The error is that of the tab's own session.
func (f *Following) CatchUp(ctx context.Context, origin string) error {
	failed := f.Each(ctx, origin, func(ctx context.Context, d *Debugger, session string) error {
		err := d.Fence(ctx)
		if err == nil {
			f.setUnresponsive(session, false)
		}
		return err
	})
	return failed[""]
}

// setUnresponsive records whether a session is unresponsive.
func (f *Following) setUnresponsive(session string, unresponsive bool) {
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	if s := f.all.sessions[session]; s != nil {
		s.unresponsive = unresponsive
	}
}
