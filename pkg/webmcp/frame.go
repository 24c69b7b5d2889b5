package webmcp

import "github.com/actionsjson/actions-host/pkg/origin"

// frame is a place for documents. Its parent may be in another session.
type frame struct {
	id, parent, session string
	born                int
	navigating          bool // since begun; nothing has been committed yet
	begun               int
	doc                 *document
}

// document is what a frame shows.
type document struct {
	id, origin, url string
	known           bool // its address was told
	heard           bool // all its registrations were told, or read
	tools           map[string]*Tool
	// early are registrations that came while the frame was navigating. Those of
	// a document that comes back from the back/forward cache are told before it
	// is; if another one comes they were the old document's.
	early map[string]*Tool
}

// at gives the frame in its session. A frame that was in another one has a new
// document there.
func (r *Registry) at(session, id string) *frame {
	f := r.frames[id]
	if f != nil && f.session == session {
		return f
	}
	if f != nil {
		r.leave(f, LostDocument)
	}
	r.ordinal++
	f = &frame{id: id, session: session, born: r.ordinal, doc: newDocument()}
	r.frames[id] = f
	return f
}

func newDocument() *document { return &document{tools: map[string]*Tool{}, early: map[string]*Tool{}} }

// describe notes what is known of the frame's document.
func (r *Registry) describe(f *frame, info Frame) {
	if info.Parent != "" {
		f.parent = info.Parent
	}
	f.doc.id, f.doc.url, f.doc.known = info.Document, info.URL, true
	f.doc.origin = r.originOf(f, info)
}

// originOf gives the origin that policy decides by. The text of a srcdoc stands
// in the page around it; any other document without an address may be anybody's.
func (r *Registry) originOf(f *frame, info Frame) string {
	if o, err := origin.Parse(info.Origin); err == nil {
		return o.String()
	}
	if info.URL == "about:srcdoc" && r.frames[f.parent] != nil {
		return r.frames[f.parent].doc.origin
	}
	return ""
}

// settle keeps early registrations: no new document has come.
func (f *frame) settle() {
	for name, t := range f.doc.early {
		if f.doc.tools[name] == nil {
			f.doc.tools[name] = t
		}
	}
	clear(f.doc.early)
	f.navigating = false
}

func (r *Registry) navigated(session string, e FrameNavigated) {
	f := r.at(session, e.Frame.ID)
	if !f.doc.known || f.doc.id != e.Frame.Document {
		early := f.doc.early
		begun := f.begun
		if !f.navigating {
			begun = r.ordinal
		}
		r.leave(f, LostDocument)
		f.doc.heard = true // from its beginning, or all again
		if e.Restored {
			f.doc.tools = early
		}
		r.dropBelow(f.id, begun)
		r.askAgain(session)
	}
	f.settle()
	r.describe(f, e.Frame)
}

// leave ends the frame's document.
func (r *Registry) leave(f *frame, why Loss) {
	r.runs.lost(f.doc, why)
	f.doc = newDocument()
}

func (r *Registry) drop(f *frame) {
	r.leave(f, LostDocument)
	delete(r.frames, f.id)
}

// dropBelow drops the frames of a document that is gone, but not those that came
// since: they are in the new one.
func (r *Registry) dropBelow(id string, since int) {
	for _, f := range r.frames {
		if f.parent == id && f.id != id && f.born < since {
			r.drop(f)
			r.dropBelow(f.id, since)
		}
	}
}
