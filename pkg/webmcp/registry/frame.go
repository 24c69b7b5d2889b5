package registry

import "github.com/actionsjson/actions-host/pkg/origin"

// frame is a place for documents. Its parent may be in another session.
type frame struct {
	id, parent, session string
	createdAt           int
	navigating          bool // since begun; nothing has been committed yet
	navigatingSince     int
	doc                 *document
}

// document is what a frame shows.
type document struct {
	id, origin, url string
	known           bool // its address is known
	complete        bool // all its registrations were received, or read
	tools           map[string]*Tool
	// early are registrations that came while the frame was navigating. Those of a document
	// that is restored from the back/forward cache come before it does; if another document
	// comes they were the old one's.
	early map[string]*Tool
}

// frameIn returns the frame in its session. A frame that was in another one has a new
// document there.
func (r *Registry) frameIn(session, id string) *frame {
	f := r.frames[id]
	if f != nil && f.session == session {
		return f
	}
	if f != nil {
		r.endDocument(f, LostDocument)
	}
	r.ordinal++
	f = &frame{id: id, session: session, createdAt: r.ordinal, doc: newDocument()}
	r.frames[id] = f
	return f
}

func newDocument() *document { return &document{tools: map[string]*Tool{}, early: map[string]*Tool{}} }

// describe sets what is known about the frame's document.
func (r *Registry) describe(f *frame, info Frame) {
	if info.Parent != "" {
		f.parent = info.Parent
	}
	f.doc.id, f.doc.url, f.doc.known = info.Document, info.URL, true
	var around string
	if parent := r.frames[f.parent]; parent != nil {
		around = parent.doc.origin
	}
	f.doc.origin = origin.OfDocument(info.Origin, info.URL, around)
}

// commitEarly keeps early registrations: no new document has come.
func (f *frame) commitEarly() {
	for name, t := range f.doc.early {
		if f.doc.tools[name] == nil {
			f.doc.tools[name] = t
		}
	}
	clear(f.doc.early)
	f.navigating = false
}

func (r *Registry) navigated(session string, e FrameNavigated) {
	f := r.frameIn(session, e.Frame.ID)
	if !f.doc.known || f.doc.id != e.Frame.Document {
		early := f.doc.early
		begun := f.navigatingSince
		if !f.navigating {
			begun = r.ordinal
		}
		r.endDocument(f, LostDocument)
		f.doc.complete = true // from its beginning, or all again
		if e.Restored {
			f.doc.tools = early
		}
		r.removeDescendants(f.id, begun)
		r.requestFrames(session)
	}
	f.commitEarly()
	r.describe(f, e.Frame)
}

// endDocument replaces the frame's document with an empty one.
func (r *Registry) endDocument(f *frame, why Loss) {
	r.runs.markLost(f.doc, why)
	f.doc = newDocument()
}

func (r *Registry) removeFrame(f *frame) {
	r.endDocument(f, LostDocument)
	delete(r.frames, f.id)
}

// removeDescendants removes the frames of a document that is gone, but not those created since:
// they are in the new one.
func (r *Registry) removeDescendants(id string, since int) {
	for _, f := range r.frames {
		if f.parent == id && f.id != id && f.createdAt < since {
			r.removeFrame(f)
			r.removeDescendants(f.id, since)
		}
	}
}
