// Package registry tracks the tools that the pages of one tab offer by WebMCP, and their
// invocations.
//
// Rules of this package:
//   - It handles events and sends nothing: what has to be requested from the browser is in
//     [Registry.PendingSessions].
//   - A tool's id names one registration in one document. It is opaque, dies with
//     either of them, and never comes again.
//   - Browsers do not report that a document's tools are gone with it; here they are removed
//     with the document, the frame, the session or the debugger.
//   - An invocation ends once. One whose end can no longer come is lost, which is
//     not the same as failed.
//   - What a page says about its tools is data and decides nothing.
package registry

import (
	"maps"
	"slices"
	"sync"
)

// Registry holds the tools of one tab. It is safe for concurrent use.
type Registry struct {
	mu              sync.Mutex
	frames          map[string]*frame
	pendingSessions map[string]bool   // sessions whose frames must be requested; with true also to be enabled
	sessions        map[string]string // of frames in other processes: the frame
	runs            runs
	ordinal         int
	overflow        int
}

// New returns the registry of a tab whose own session is pending.
func New() *Registry {
	r := &Registry{runs: newRuns()}
	r.clear()
	return r
}

func (r *Registry) clear() {
	r.frames, r.sessions = map[string]*frame{}, map[string]string{}
	r.pendingSessions = map[string]bool{"": true}
}

// Reset forgets all tools: the debugger is off the tab. What runs is lost. It returns the
// invocations that are to be reported, as [Registry.HandleEvent] does.
func (r *Registry) Reset() []Invocation {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.frames {
		r.endDocument(f, LostDebugger)
	}
	r.clear()
	return r.runs.takeLost()
}

// PendingSessions returns the sessions whose frames must be requested; those with true are new
// and must be enabled first. [Registry.SetFrames] removes them.
func (r *Registry) PendingSessions() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.pendingSessions)
}

// requestFrames marks a session as pending: its frames must be requested again.
func (r *Registry) requestFrames(session string) {
	if !r.pendingSessions[session] { // one that must be enabled is pending already
		r.pendingSessions[session] = false
	}
}

// Sessions lists the tab's own session and those of its frames.
func (r *Registry) Sessions() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{""}, slices.Sorted(maps.Keys(r.sessions))...)
}

// HandleEvent handles an event of a session. It returns the invocations that are to be
// reported: those of other clients, and the ends of those that nobody waits for.
func (r *Registry) HandleEvent(session string, event Event) []Invocation {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := event.(type) {
	case ToolsAdded:
		for _, d := range e.Tools {
			r.addTool(session, d)
		}
	case ToolsRemoved:
		for _, removed := range e.Tools {
			r.removeTool(session, removed)
		}
	case ToolInvoked:
		return r.runs.toolInvoked(e, r.frames[e.Frame])
	case ToolResponded:
		return r.runs.toolResponded(e)
	case FrameNavigating:
		if f := r.frames[e.Frame]; f != nil {
			f.commitEarly()
			r.ordinal++
			f.navigating, f.navigatingSince = true, r.ordinal
		}
	case FrameNavigated:
		r.navigated(session, e)
	case FrameLoaded:
		if f := r.frames[e.Frame]; f != nil {
			r.runs.markLost(func(one *run) bool { return one.next == f.doc }, LostDocument)
		}
	case FrameMoved:
		if f := r.frames[e.Frame]; f != nil && f.doc.known {
			f.doc.url = e.URL
		}
	case FrameDetached:
		if f := r.frames[e.Frame]; f != nil && (!e.Swapped || f.session == session) {
			r.removeFrame(f)
		}
	case SessionAttached:
		r.sessions[e.Session] = e.Frame
		r.pendingSessions[e.Session] = true
	case SessionDetached:
		delete(r.sessions, e.Session)
		delete(r.pendingSessions, e.Session)
		for _, f := range r.frames {
			if f.session == e.Session {
				r.removeFrame(f)
			}
		}
	}
	return r.runs.takeLost()
}

// SetFrames sets the frames of a session: its documents are those and no others. It returns the
// invocations that are to be reported.
func (r *Registry) SetFrames(session string, frames []Frame) []Invocation {
	r.mu.Lock()
	defer r.mu.Unlock()
	listed := map[string]bool{}
	for _, info := range frames {
		listed[info.ID] = true
		f := r.frameIn(session, info.ID)
		if f.doc.known && f.doc.id != info.Document {
			r.endDocument(f, LostDocument)
		}
		r.describe(f, info)
		f.doc.complete = f.doc.complete || info == frames[0] // a session's main document was reported when it was enabled
	}
	for _, f := range r.frames {
		if f.session == session && !listed[f.id] {
			r.removeFrame(f)
		}
	}
	delete(r.pendingSessions, session)
	return r.runs.takeLost()
}
