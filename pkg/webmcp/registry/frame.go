package registry

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
	id, url    string
	origin     string // what its scripts say of it; empty where no grant could name it
	known      bool   // its address is known
	complete   bool   // all its registrations were received, or read
	originRead bool
	registered int // counts registrations whose titles must be read
	titlesRead int // registered when they were read last
	tools      map[string]*Tool
	// early are registrations that came while the frame was navigating. Those of a document
	// that is restored from the back/forward cache come before it does; if another document
	// comes they were the old one's.
	early map[string]*Tool
	bytes int // of both
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

// sensitive reports whether what the frame's tool of the name takes must stay out of the log, as
// it does for one that is not known.
func (f *frame) sensitive(tool string) bool {
	early, t := f.doc.early[tool], f.doc.tools[tool]
	return early == nil && t == nil || early != nil && early.Sensitive() || t != nil && t.Sensitive()
}

// describe sets what is known about the frame's document.
func (r *Registry) describe(f *frame, info Frame) {
	if info.Parent != "" {
		f.parent = info.Parent
	}
	f.doc.id, f.doc.url, f.doc.known = info.Document, info.URL, true
}

// commitEarly keeps early registrations: no new document has come.
func (f *frame) commitEarly() {
	for name, t := range f.doc.early {
		if f.doc.tools[name] == nil {
			f.doc.tools[name] = t
			delete(f.doc.early, name)
		} else {
			f.doc.remove(f.doc.early, t)
		}
	}
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
		if e.Restored {
			r.endDocument(f, LostDocument)
			f.doc.tools = early
			for _, t := range early {
				f.doc.bytes += t.size()
			}
		} else {
			r.leaveDocument(f)
		}
		f.doc.complete = true // from its beginning, or all again
		r.removeDescendants(f.id, begun)
		r.requestFrames(session)
	}
	f.commitEarly()
	r.describe(f, e.Frame)
}

// endDocument replaces the frame's document with an empty one.
func (r *Registry) endDocument(f *frame, why Loss) {
	r.runs.markLost(func(one *run) bool { return one.doc == f.doc || one.next == f.doc }, why)
	f.doc = newDocument()
}

// leaveDocument replaces the frame's document with an empty one. Browsers give the result of a
// form, or of a tool that leads to another page, once that page is there.
func (r *Registry) leaveDocument(f *frame) {
	left := f.doc
	r.runs.markLost(func(one *run) bool { return one.next == left }, LostDocument)
	f.doc = newDocument()
	r.runs.each(func(one *run) {
		if one.State == Running && one.doc == left {
			one.next, one.why = f.doc, LostDocument
		}
	})
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
