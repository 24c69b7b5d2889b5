package registry

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
)

// ReadScript returns, as JSON text, what only scripts learn of a document: its origin, the
// titles of its tools and, where the browser does not report them, the tools. It must run in a
// world of its own, where the page's scripts do not reach, and takes nothing by names that an
// element could have.
var ReadScript = fmt.Sprintf(`(async () => {
	const context = Object.getOwnPropertyDescriptor(Document.prototype, "modelContext")?.get?.call(document);
	const all = await context?.getTools().catch(() => []) ?? [];
	const attribute = (form, name) => Element.prototype.getAttribute.call(form, name);
	const forms = new Map(Array.from(Document.prototype.querySelectorAll.call(document, "form[toolname]"), f => [attribute(f, "toolname"), f]));
	return JSON.stringify({origin: self.origin, tools: all.filter(t => t.window === self).slice(0, %d).map(t => {
		const form = forms.get(t.name);
		return {name: t.name, title: t.title, description: t.description, inputSchema: t.inputSchema, hints: t.annotations,
			form: !!form, autosubmit: !!form && attribute(form, "toolautosubmit") !== null};
	})});
})()`, maxTools)

// UnreadFrame is a frame whose document must be read.
type UnreadFrame struct {
	Session, Frame, Document string
	registered               int
}

// Read is what [ReadScript] returned for a frame.
type Read struct {
	Origin string // empty where no grant could name it
	Tools  []Declared
}

// DecodeRead decodes the result of [ReadScript] for a frame.
func DecodeRead(frame, text string) (Read, error) {
	p, err := decodeParams[struct {
		Origin string `json:"origin"`
		Tools  []struct {
			Name        string          `json:"name"`
			Title       string          `json:"title"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"inputSchema"`
			Hints       struct {
				ReadOnly         bool `json:"readOnlyHint"`
				UntrustedContent bool `json:"untrustedContentHint"`
				Consequential    bool `json:"consequentialHint"`
				Debugging        bool `json:"debugging"`
			} `json:"hints"`
			Form       bool `json:"form"`
			Autosubmit bool `json:"autosubmit"`
		} `json:"tools"`
	}](json.RawMessage(text))
	if err != nil {
		return Read{}, fault.Wrap(err, fault.InvalidResult, "the tools of a frame cannot be read: %v", err)
	}
	var read Read
	if o, err := origin.Parse(p.Origin); err == nil {
		read.Origin = o.String()
	}
	for _, t := range p.Tools {
		read.Tools = append(read.Tools, truncateDeclared(Declared{
			Frame: frame, Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema, Form: t.Form,
			Annotations: Annotations{t.Hints.ReadOnly, t.Hints.UntrustedContent, t.Hints.Consequential, t.Hints.Debugging, t.Autosubmit},
		}))
	}
	return read, nil
}

// UnreadFrames returns the frames whose documents must be read: for tools that no event
// reported, for the origin of tools, and if titles is set for titles.
func (r *Registry) UnreadFrames(titles bool) (all []UnreadFrame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.frames {
		offers := len(f.doc.tools)+len(f.doc.early) > 0
		if f.doc.known && (!f.doc.complete || offers && (!f.doc.originRead || titles && f.doc.titlesRead < f.doc.registered)) {
			all = append(all, UnreadFrame{f.session, f.id, f.doc.id, f.doc.registered})
		}
	}
	return all
}

// SetRead adds what was read of a frame's document; nil if it could not be read. A tool known
// from events has more detail, and stays; it gets its title.
func (r *Registry) SetRead(of UnreadFrame, read *Read) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.frames[of.Frame]
	if f == nil || f.session != of.Session || f.doc.id != of.Document {
		return
	}
	reported := f.doc.complete
	f.doc.complete = true
	if read == nil {
		return
	}
	f.doc.origin, f.doc.originRead = read.Origin, true
	for _, d := range read.Tools {
		known := cmp.Or(f.doc.tools[d.Name], f.doc.early[d.Name])
		switch {
		case known != nil:
			known.Title = d.Title
		case !reported: // else the page has taken it back meanwhile
			r.addTool(of.Session, d)
		}
	}
	f.doc.titlesRead = of.registered
}
