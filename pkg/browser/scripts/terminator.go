package scripts

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	// responseTimeout is how long a page whose main thread is free takes at most to
	// evaluate a number.
	responseTimeout = 300 * time.Millisecond
	// terminateTimeout bounds the wait for code that ran too long to end. V8 looks for an
	// interruption by the bytecode that has run, not by the time: a loop around a slow native
	// function, such as a synchronous request, may go on for hundreds of rounds. What has not
	// ended by then ends as soon as V8 looks.
	terminateTimeout = 10 * time.Second
	// callScript names the script of each call, by which its code is told from the page's own.
	callScript = "actions-host:javascript"
)

// terminators are the terminators of the tabs in which code of calls runs, or
// waits after its time and may go on at any moment.
type terminators struct {
	mu    sync.Mutex
	byTab map[int]*terminator
}

// terminator can end code that keeps a page's main thread busy. Chrome lets no extension
// terminate it outright, but pause it and terminate it as it goes on. A busy page can be paused
// only if the debugger domain was enabled before, so it stays enabled as long as code waits.
type terminator struct {
	all     *terminators
	browser *browser.Browser
	tabID   int
	uses    int // guarded by all.mu

	mu     sync.Mutex // held while the domain is switched
	cancel func()     // takes the listener off; nil while the domain is off

	scripts    sync.Map    // the ids of the scripts of calls
	pausing    atomic.Bool // the next pause is ours
	terminated atomic.Bool
	detached   atomic.Bool // the debugger, and the domain with it
}

// acquire returns the terminator of a tab, ready to end code that begins from now on. What
// an earlier call left in the page and keeps it busy by now is terminated. The
// caller releases it.
func (s *terminators) acquire(ctx context.Context, b *browser.Browser, tabID int, d *browser.Debugger) (*terminator, error) {
	s.mu.Lock()
	t := s.byTab[tabID]
	if t == nil {
		t = &terminator{all: s, browser: b, tabID: tabID}
		if s.byTab == nil {
			s.byTab = map[int]*terminator{}
		}
		s.byTab[tabID] = t
	}
	t.uses++
	s.mu.Unlock()
	if err := t.enable(ctx, d); err != nil {
		t.release(ctx)
		return nil, err
	}
	return t, nil
}

func (t *terminator) enable(ctx context.Context, d *browser.Debugger) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cancel != nil {
		if _, err := t.terminate(ctx, d); err != nil {
			return fault.From(err).WithDispatched(fault.NotDispatched)
		}
		return nil
	}
	t.cancel = t.browser.Debugger(t.tabID).Listen(browser.Listener{
		Event: func(method string, params json.RawMessage) {
			switch method {
			case "Debugger.scriptParsed":
				t.parsed(params)
			case "Debugger.paused":
				go t.resume(params)
			}
		},
		Detached: func(string) { t.all.forget(t) },
	})
	_, err := cdp.Call(ctx, d, debugger.Enable, debugger.EnableParams{MaxScriptsCacheSize: 1})
	return err
}

// parsed keeps the ids of the scripts of calls. The frames of a pause have no names.
func (t *terminator) parsed(params json.RawMessage) {
	var script struct{ URL, ScriptID string }
	if err := json.Unmarshal(params, &script); err == nil && script.URL == callScript {
		t.scripts.Store(script.ScriptID, nil)
	}
}

// resume lets a paused page go on: after a debugger statement of the page, and after
// a pause of ours, which ends the code if it is a call's.
func (t *terminator) resume(params json.RawMessage) {
	var paused struct {
		CallFrames []struct {
			Location struct {
				ScriptID string `json:"scriptId"`
			} `json:"location"`
		} `json:"callFrames"`
	}
	// What cannot be read is not known to be a call's.
	_ = json.Unmarshal(params, &paused)
	end := false
	if t.pausing.Swap(false) {
		for _, f := range paused.CallFrames {
			_, ours := t.scripts.Load(f.Location.ScriptID)
			end = end || ours
		}
	}
	if end {
		t.terminated.Store(true)
	}
	ctx, cancel := context.WithTimeout(context.Background(), terminateTimeout)
	defer cancel()
	// A page that is gone needs no answer.
	_, _ = cdp.Call(ctx, t.browser.Debugger(t.tabID), debugger.Resume, debugger.ResumeParams{TerminateOnResume: &end})
}

// release ends one use. After the last one it switches the debugger domain off, which also
// lets a paused page go on; a page that is gone needs nothing.
func (t *terminator) release(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all.mu.Lock()
	last := t.uses == 1
	t.all.mu.Unlock()
	if last && t.cancel != nil && !t.detached.Load() {
		t.cancel()
		t.cancel = nil
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), terminateTimeout)
		defer cancel()
		_, _ = cdp.Call(ctx, t.browser.Debugger(t.tabID), debugger.Disable, struct{}{})
	}
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	if t.uses--; t.uses == 0 && t.all.byTab[t.tabID] == t {
		delete(t.all.byTab, t.tabID)
	}
}

// forget drops a terminator whose debugger was detached: the domain went with it.
func (s *terminators) forget(t *terminator) {
	t.detached.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byTab[t.tabID] == t {
		delete(s.byTab, t.tabID)
	}
}

// terminate ends the code of calls that keeps the page busy and reports whether there was
// any. It leaves the page's own code alone, and a responsive page.
func (t *terminator) terminate(ctx context.Context, d *browser.Debugger) (ended bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), terminateTimeout)
	defer cancel()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _ = cdp.Call(ctx, d, runtime.Evaluate, runtime.EvaluateParams{Expression: "0", Silent: new(true)})
	}()
	timer := time.NewTimer(responseTimeout)
	defer timer.Stop()
	select {
	case <-answered:
		return false, nil
	case <-timer.C:
	}
	t.terminated.Store(false)
	for busy := true; busy; {
		t.pausing.Store(true)
		if _, err := cdp.Call(ctx, d, debugger.Pause, struct{}{}); err != nil && ctx.Err() == nil {
			t.pausing.Store(false)
			return false, err
		}
		timer.Reset(responseTimeout)
		select {
		case <-answered: // at the latest with the context
			busy = false
		case <-timer.C: // the pause met other code than the call's, which went on: once more
		}
	}
	if ctx.Err() != nil {
		return false, fault.New(fault.JavascriptTimeout, "the code did not end in time, and the page does not answer").
			WithDispatched(fault.DispatchedUnknown).
			WithNextStep("A dialog may be open; else reload the tab.")
	}
	t.settle(ctx, d)
	return t.terminated.Load(), nil
}

// settle waits until the page takes code again: right after a termination Chromium refuses an
// evaluation with a time limit, before any of it runs.
func (t *terminator) settle(ctx context.Context, d *browser.Debugger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), terminateTimeout)
	defer cancel()
	for refused := true; refused && ctx.Err() == nil; {
		_, err := cdp.Call(ctx, d, runtime.Evaluate, runtime.EvaluateParams{
			Expression: "0", Silent: new(true), Timeout: runtime.TimeDelta(terminateTimeout.Milliseconds()),
		})
		refused = fault.Is(err, fault.HandlerFailed)
	}
}
