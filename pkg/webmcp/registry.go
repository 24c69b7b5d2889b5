// Package webmcp knows which tools the pages of one tab offer by WebMCP, and what
// becomes of their invocations.
//
// Rules of this package:
//   - It hears events and asks nobody: what has to be asked of the browser stands
//     in Due.
//   - A tool's id names one registration in one document. It is opaque, dies with
//     either of them, and never comes again.
//   - Browsers do not tell that a document's tools are gone with it; here they go
//     with the document, the frame, the session or the debugger.
//   - An invocation ends once. One whose end can no longer come is lost, which is
//     not the same as failed.
//   - What a page says of its tools is data and decides nothing.
package webmcp

import (
	"maps"
	"slices"
	"sync"
)

// Registry holds the tools of one tab. It is safe for concurrent use.
type Registry struct {
	mu       sync.Mutex
	frames   map[string]*frame
	due      map[string]bool   // sessions to be asked for their frames; with true also to be enabled
	sessions map[string]string // of frames in other processes: the frame
	runs     runs
	ordinal  int
	dropped  int
}

// New makes the registry of a tab whose own session must still be asked.
func New() *Registry {
	r := &Registry{runs: newRuns()}
	r.clear()
	return r
}

func (r *Registry) clear() {
	r.frames, r.sessions = map[string]*frame{}, map[string]string{}
	r.due = map[string]bool{"": true}
}

// Reset forgets all tools: the debugger is off the tab. What runs is lost.
func (r *Registry) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.frames {
		r.leave(f, LostDebugger)
	}
	r.clear()
}

// Due gives the sessions that must be asked for their frames; those with true
// have never been and must be enabled first. Asked ends it.
func (r *Registry) Due() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.due)
}

// askAgain has a session asked which frames it has now.
func (r *Registry) askAgain(session string) {
	if !r.due[session] { // one that must be enabled is asked with that
		r.due[session] = false
	}
}

// Sessions lists the tab's own session and those of its frames.
func (r *Registry) Sessions() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{""}, slices.Sorted(maps.Keys(r.sessions))...)
}

// Hear takes an event of a session. It gives what is to be told of invocations
// that others made.
func (r *Registry) Hear(session string, event Event) []Invocation {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := event.(type) {
	case ToolsAdded:
		for _, d := range e.Tools {
			r.add(session, d)
		}
	case ToolsRemoved:
		for _, gone := range e.Tools {
			r.remove(session, gone)
		}
	case ToolInvoked:
		return r.runs.invoked(e, r.frames[e.Frame])
	case ToolResponded:
		return r.runs.responded(e)
	case FrameNavigating:
		if f := r.frames[e.Frame]; f != nil {
			f.settle()
			r.ordinal++
			f.navigating, f.begun = true, r.ordinal
		}
	case FrameNavigated:
		r.navigated(session, e)
	case FrameMoved:
		if f := r.frames[e.Frame]; f != nil && f.doc.known {
			f.doc.url = e.URL
		}
	case FrameDetached:
		if f := r.frames[e.Frame]; f != nil && (!e.Swapped || f.session == session) {
			r.drop(f)
		}
	case SessionAttached:
		r.sessions[e.Session] = e.Frame
		r.due[e.Session] = true
	case SessionDetached:
		delete(r.sessions, e.Session)
		delete(r.due, e.Session)
		for _, f := range r.frames {
			if f.session == e.Session {
				r.drop(f)
			}
		}
	}
	return nil
}

// Asked takes the frames of a session: its documents are those and no others.
func (r *Registry) Asked(session string, frames []Frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	listed := map[string]bool{}
	for _, info := range frames {
		listed[info.ID] = true
		f := r.at(session, info.ID)
		if f.doc.known && f.doc.id != info.Document {
			r.leave(f, LostDocument)
		}
		r.describe(f, info)
		f.doc.heard = f.doc.heard || info == frames[0] // a session's main document was told when it was enabled
	}
	for _, f := range r.frames {
		if f.session == session && !listed[f.id] {
			r.drop(f)
		}
	}
	delete(r.due, session)
}
