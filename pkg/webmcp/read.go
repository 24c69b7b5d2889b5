package webmcp

import (
	"encoding/json"
	"fmt"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// ReadScript lists the tools of a document as JSON text; it must run in a world of
// its own, where the page's scripts do not reach. Browsers tell of the tools that
// were there before only for the main document of a session: those of frames that
// share its process must be read.
var ReadScript = fmt.Sprintf(`document.modelContext?.getTools().then(all => JSON.stringify(all.filter(t => t.window === self).slice(0, %d).map(t => {
	const form = Array.from(document.querySelectorAll("form[toolname]")).find(f => f.getAttribute("toolname") === t.name);
	return {name: t.name, description: t.description, inputSchema: t.inputSchema, hints: t.annotations, form: !!form, autosubmit: !!form?.hasAttribute("toolautosubmit")};
})))`, maxTools)

// Unread is a frame whose tools of before must be read.
type Unread struct{ Session, Frame, Document string }

// DecodeRead reads what ReadScript gave for a frame.
func DecodeRead(frame, text string) ([]Declared, error) {
	p, err := decoded[[]struct {
		Name        string          `json:"name"`
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
	}](json.RawMessage(text))
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidResult, "the tools of a frame cannot be read: %v", err)
	}
	var tools []Declared
	for _, t := range p {
		tools = append(tools, bounded(Declared{
			Frame: frame, Name: t.Name, Description: t.Description, InputSchema: t.InputSchema, Form: t.Form,
			Annotations: Annotations{t.Hints.ReadOnly, t.Hints.UntrustedContent, t.Hints.Consequential, t.Hints.Debugging, t.Autosubmit},
		}))
	}
	return tools, nil
}

// Unread lists the frames whose tools of before must be read.
func (r *Registry) Unread() (all []Unread) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.frames {
		if f.doc.known && !f.doc.heard {
			all = append(all, Unread{f.session, f.id, f.doc.id})
		}
	}
	return all
}

// Read takes the tools of a frame; none where it could not be read. What events
// told of a tool is more, and stays.
func (r *Registry) Read(of Unread, tools []Declared) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.frames[of.Frame]
	if f == nil || f.session != of.Session || f.doc.id != of.Document {
		return
	}
	f.doc.heard = true
	for _, d := range tools {
		if f.doc.tools[d.Name] == nil && f.doc.early[d.Name] == nil {
			r.add(of.Session, d)
		}
	}
}
