package profile

import (
	"cmp"
	"context"
	"reflect"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
)

const (
	// workDelay is how long a call runs before the page shows it: most are over by then.
	workDelay = 400 * time.Millisecond
	// workInterval is the least time between two looks at what runs.
	workInterval = 100 * time.Millisecond
)

// shownWork is what the extension was sent last.
type shownWork struct {
	mu   sync.Mutex
	last *protocol.Work // nil before the first: what an earlier host sent may be shown yet
}

// followWork shows what runs, and what is stopped, until the connection has ended.
func (p *profile) followWork(changed, done <-chan struct{}) {
	var next <-chan time.Time
	for {
		if p.showWork() {
			next = time.After(workDelay)
		}
		select {
		case <-changed:
		case <-next:
			next = nil
		case <-done:
			return
		}
		select {
		case <-time.After(workInterval):
		case <-done:
			return
		}
	}
}

// showWork sends the extension what runs and what is stopped, unless it has that already. It
// reports whether there are calls that are too young to be shown.
func (p *profile) showWork() (young bool) {
	p.work.mu.Lock()
	defer p.work.mu.Unlock()
	work, young := p.currentWork(time.Now())
	if last := p.work.last; last != nil && reflect.DeepEqual(work, *last) {
		return young
	}
	p.work.last = &work
	p.logError("showing what runs", p.browser.WorkChanged(context.Background(), work))
	return young
}

func (p *profile) currentWork(now time.Time) (work protocol.Work, young bool) {
	work = protocol.Work{Running: []protocol.WorkCall{}, Stops: []protocol.WorkStop{}}
	for _, s := range p.dispatcher.Held() {
		work.Stops = append(work.Stops, protocol.WorkStop{TabID: s.TabID, Face: string(s.Face)})
	}
	work.Recordings = p.recorder.Running()
	show := p.dispatcher.Choices != nil && p.dispatcher.Choices().Show
	for _, r := range p.dispatcher.Running() {
		// Code that runs is always shown, and at once: the user may want to abort it.
		if r.TabID == 0 || !show && r.Title == "" {
			continue
		}
		if r.Title != "" {
			work.Running = append(work.Running, protocol.WorkCall{TabID: r.TabID, Who: cmp.Or(r.SessionName, string(r.Session)), Name: r.Name, Argument: r.Title})
			continue
		}
		if now.Sub(r.StartedAt) < workDelay {
			young = true
			continue
		}
		work.Running = append(work.Running, protocol.WorkCall{
			TabID: r.TabID, Who: cmp.Or(r.SessionName, string(r.Session)), Name: cmp.Or(r.Step, r.Name), Action: r.Action,
			Argument: r.Argument, Step: r.Position.Step, Steps: r.Position.Steps,
		})
	}
	return work, young
}
