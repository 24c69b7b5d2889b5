package primitives

import (
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/primitive"
)

// pressedPointers are the pointers that calls have pressed and not yet released, by tab.
type pressedPointers struct {
	mu    sync.Mutex
	byTab map[int]*pressedPointer
	ended map[int]string // why the last one was released without a call
}

// pressedPointer is a pointer between pointer.down and pointer.up.
type pressedPointer struct {
	call       primitive.Call // the pointer.down
	documentID string         // that it was pressed in
	runtimeID  string         // of the tab's own document then
	mouse      mouse
	ttl        time.Duration
	used       chan struct{} // a value for each call on it
	done       chan struct{} // closed when it is released

	at point // guarded by pressedPointers.mu
}

func (p *pressedPointers) keep(tabID int, pressed *pressedPointer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byTab == nil {
		p.byTab, p.ended = map[int]*pressedPointer{}, map[int]string{}
	}
	p.byTab[tabID] = pressed
	delete(p.ended, tabID)
}

// get returns the pointer that the call's session has pressed in its tab, else why there is none.
func (p *pressedPointers) get(c primitive.Call) (*pressedPointer, string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pressed := p.byTab[c.TabID]
	switch {
	case pressed == nil && p.ended[c.TabID] != "":
		return nil, p.ended[c.TabID]
	case pressed == nil:
		return nil, "not_pressed"
	case pressed.call.Session.SessionID() != c.Session.SessionID():
		return nil, "pressed_by_another_session"
	}
	select {
	case pressed.used <- struct{}{}:
	default:
	}
	return pressed, ""
}

func (p *pressedPointers) pressedIn(tabID int) *pressedPointer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byTab[tabID]
}

// take removes the pointer, and reports whether it was still pressed.
func (p *pressedPointers) take(tabID int, pressed *pressedPointer, why string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byTab[tabID] != pressed {
		return false
	}
	delete(p.byTab, tabID)
	p.ended[tabID] = why
	close(pressed.done)
	return true
}

// forget drops what is known of a tab that is not claimed any more: nothing can be sent there.
func (p *pressedPointers) forget(tabID int) {
	if pressed := p.pressedIn(tabID); pressed != nil {
		p.take(tabID, pressed, "")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.ended, tabID)
}

func (p *pressedPointers) move(pressed *pressedPointer, at point) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pressed.at = at
}

func (p *pressedPointers) lastPoint(pressed *pressedPointer) point {
	p.mu.Lock()
	defer p.mu.Unlock()
	return pressed.at
}
