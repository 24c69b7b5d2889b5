package registry

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"slices"
)

// IDPrefix begins the id of every tool.
const IDPrefix = "pt_"

// ActionPrefix begins the names under which page tools are called and asked about: what follows is the page's word.
const ActionPrefix = "page:"

// Bounds of what is kept; what is beyond is only counted.
const (
	maxTools      = 5000     // of one document
	maxToolsBytes = 32 << 20 // of all tools of the tab
	toolOverhead  = 1000     // bytes of a tool beside its long texts
)

// Tool is one registration as callers see it.
type Tool struct {
	ID string
	Declared
	Session     string // of the debugger; empty for the tab's own
	Origin      string // of its document; empty where no grant could name it
	OriginKnown bool   // false until the document could be asked
	URL         string // of its document
	Top         bool   // in the tab's own document

	order int
}

func (r *Registry) addTool(session string, d Declared) {
	f := r.frameIn(session, d.Frame)
	if !f.doc.known {
		r.requestFrames(session)
	}
	into := f.doc.tools
	if f.navigating {
		into = f.doc.early
	}
	if old := into[d.Name]; old != nil {
		if sameRegistration(old.Declared, d) {
			return // reported again
		}
		f.doc.remove(into, old)
	}
	if len(into) >= maxTools || r.bytes()+d.size() > maxToolsBytes {
		r.overflow++
		return
	}
	f.doc.bytes += d.size()
	if d.Title == "" {
		f.doc.registered++
	}
	r.ordinal++
	into[d.Name] = &Tool{ID: IDPrefix + rand.Text()[:16], Declared: d, order: r.ordinal}
}

// sameRegistration reports whether two declarations are of the same registration, as far as can
// be known.
func sameRegistration(a, b Declared) bool {
	return a.BrowserID == b.BrowserID && a.Description == b.Description && a.Annotations == b.Annotations && a.BackendNodeID == b.BackendNodeID &&
		a.SchemaLeftOut == b.SchemaLeftOut && bytes.Equal(a.InputSchema, b.InputSchema) && bytes.Equal(a.OutputSchema, b.OutputSchema) && slices.Equal(a.Stack, b.Stack)
}

func (r *Registry) removeTool(session string, removed Removed) {
	f := r.frames[removed.Frame]
	if f == nil || f.session != session {
		return
	}
	for _, tools := range []map[string]*Tool{f.doc.early, f.doc.tools} {
		t := tools[removed.Name]
		if t != nil && (removed.BrowserID == "" || t.BrowserID == removed.BrowserID) {
			f.doc.remove(tools, t)
			return
		}
	}
}

// size returns about how many bytes the declaration takes.
func (d Declared) size() int {
	size := toolOverhead + len(d.Description) + len(d.InputSchema) + len(d.OutputSchema)
	for _, p := range d.Stack {
		size += len(p.Function) + len(p.URL) + len(p.Async)
	}
	return size
}

// bytes returns about how many bytes all tools take.
func (r *Registry) bytes() (all int) {
	for _, f := range r.frames {
		all += f.doc.bytes
	}
	return all
}

// remove removes a tool from one of the document's maps.
func (d *document) remove(from map[string]*Tool, t *Tool) {
	d.bytes -= t.size()
	delete(from, t.Name)
}

// Tools lists all tools, those of the tab's own document first, then in the order in which they
// were registered; overflow counts those that were too many to keep.
func (r *Registry) Tools() (all []Tool, overflow int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.frames {
		for _, t := range f.doc.tools {
			all = append(all, r.snapshot(f, t))
		}
		for name, t := range f.doc.early {
			if f.doc.tools[name] == nil {
				all = append(all, r.snapshot(f, t))
			}
		}
	}
	slices.SortFunc(all, func(a, b Tool) int {
		if a.Top != b.Top {
			return map[bool]int{true: -1, false: 1}[a.Top]
		}
		return cmp.Compare(a.order, b.order)
	})
	return all, r.overflow
}

func (r *Registry) snapshot(f *frame, t *Tool) Tool {
	out := *t
	out.Session, out.Origin, out.OriginKnown, out.URL = f.session, f.doc.origin, f.doc.originRead, f.doc.url
	out.Top = f.doc.known && f.parent == "" && f.session == ""
	return out
}

// Tool returns the tool of an id; false once it is gone.
func (r *Registry) Tool(id string) (Tool, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, t := r.find(id)
	if t == nil {
		return Tool{}, false
	}
	return r.snapshot(f, t), true
}

func (r *Registry) find(id string) (*frame, *Tool) {
	for _, f := range r.frames {
		for _, tools := range []map[string]*Tool{f.doc.tools, f.doc.early} {
			for _, t := range tools {
				if t.ID == id {
					return f, t
				}
			}
		}
	}
	return nil, nil
}

// Sensitive reports whether the arguments may hold what no log must: the fields of a form of the
// page cannot be told apart from here, schemas may mark theirs, and one that was left out might.
func (d Declared) Sensitive() bool {
	return d.Form || d.SchemaLeftOut || bytes.Contains(d.InputSchema, []byte(`"writeOnly"`)) || bytes.Contains(d.InputSchema, []byte(`"password"`))
}

// Schema returns the input schema for a caller: an empty object where there is none.
func (t Tool) Schema() json.RawMessage {
	if t.InputSchema == nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	return t.InputSchema
}
