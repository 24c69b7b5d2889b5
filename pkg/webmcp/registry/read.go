package registry

import (
	"encoding/json"
	"fmt"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// ReadScript lists the tools of a document as JSON text; it must run in a world of its own,
// where the page's scripts do not reach. Browsers report existing tools only for the main
// document of a session: those of frames that share its process must be read.
var ReadScript = fmt.Sprintf(`document.modelContext?.getTools().then(all => JSON.stringify(all.filter(t => t.window === self).slice(0, %d).map(t => {
	const form = Array.from(document.querySelectorAll("form[toolname]")).find(f => f.getAttribute("toolname") === t.name);
	return {name: t.name, description: t.description, inputSchema: t.inputSchema, hints: t.annotations, form: !!form, autosubmit: !!form?.hasAttribute("toolautosubmit")};
})))`, maxTools)

// UnreadFrame is a frame whose existing tools must be read.
type UnreadFrame struct{ Session, Frame, Document string }

// DecodeRead decodes the result of [ReadScript] for a frame.
func DecodeRead(frame, text string) ([]Declared, error) {
	p, err := decodeParams[[]struct {
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
		tools = append(tools, truncateDeclared(Declared{
			Frame: frame, Name: t.Name, Description: t.Description, InputSchema: t.InputSchema, Form: t.Form,
			Annotations: Annotations{t.Hints.ReadOnly, t.Hints.UntrustedContent, t.Hints.Consequential, t.Hints.Debugging, t.Autosubmit},
		}))
	}
	return tools, nil
}

// UnreadFrames returns the frames whose existing tools must be read.
func (r *Registry) UnreadFrames() (all []UnreadFrame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.frames {
		if f.doc.known && !f.doc.complete {
			all = append(all, UnreadFrame{f.session, f.id, f.doc.id})
		}
	}
	return all
}

// SetRead adds the tools that were read from a frame; none if it could not be read. A tool
// known from events has more detail, and stays.
func (r *Registry) SetRead(of UnreadFrame, tools []Declared) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.frames[of.Frame]
	if f == nil || f.session != of.Session || f.doc.id != of.Document {
		return
	}
	f.doc.complete = true
	for _, d := range tools {
		if f.doc.tools[d.Name] == nil && f.doc.early[d.Name] == nil {
			r.addTool(of.Session, d)
		}
	}
}
